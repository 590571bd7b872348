/** Why a task cannot be made safe, thrown and caught inside this room. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  constructor(
    readonly reason: string,
    readonly remedy: string,
  ) {
    super(reason);
  }
}
