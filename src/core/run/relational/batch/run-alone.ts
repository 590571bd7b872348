/** Units that do not go together after all: what was done of them is to be rolled back, and each run by itself. */
export class RunAlone extends Error {
  /** In words that follow "because". */
  readonly reason: string;
  /** True for any units of the task, not only for these. */
  readonly always: boolean;

  constructor(reason: string, always = false) {
    super(reason);
    this.reason = reason;
    this.always = always;
  }
}
