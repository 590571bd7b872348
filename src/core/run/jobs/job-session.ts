import type { Task } from '../../pipeline/model/model.ts';
import type { SessionSetting } from '../../pipeline/model/task-session.ts';
import { renderTemplate } from '../../template/render/render.ts';
import type { TemplateContext } from '../../template/render/template-context.ts';
import type { JobRefusal } from '../unit/job-refusal.ts';
import type { UnitOptions } from '../unit/unit-job.ts';

/** What a task's operator may say otherwise than its connection. */
export type SessionOptions = Pick<UnitOptions, 'settings' | 'statementTimeoutMs' | 'lockTimeoutMs'>;

/** How the session of one unit is set. */
export interface JobSession<Options extends SessionOptions = UnitOptions> {
  readonly options: Options;
  /** Whom the task's statements run as, where its operator says it. */
  readonly role: string | undefined;
}

/**
 * The run's options with what the task's operator says of its session: that goes over the settings of the connection.
 * Of two time limits the shorter one counts. Refused by name: what a unit's transaction cannot have.
 */
export function jobSession<Options extends SessionOptions>(
  task: Task,
  context: TemplateContext,
  options: Options,
): JobSession<Options> | JobRefusal {
  if (task.session === undefined) return { options, role: undefined };
  const settings: Record<string, string> = { ...options.settings };
  let { statementTimeoutMs, lockTimeoutMs } = options;
  let role: string | undefined;
  for (const setting of task.session.settings) {
    const { name } = setting;
    const rendered = renderTemplate(setting.value, context);
    const refuse = (reason: string, remedy: string): JobRefusal => ({
      code: 'not-rendered',
      message: `${task.id}: ${name} of its session ${reason}`,
      remedy,
      at: setting.at,
    });
    if (!rendered.ok)
      return refuse(`cannot be rendered: ${rendered.reason}`, 'write a constant or an expression of the interval');
    if (rendered.text !== setting.value && /[\s\\]/.test(rendered.text))
      return refuse(`renders to a text with white space, which ends an option: ${rendered.text}`, 'write a constant');
    if (!isSettable(setting))
      return refuse(
        'cannot be had by a unit, which is one READ COMMITTED transaction of the user that connects',
        'take it out of the options, or run the task with its scheduler',
      );
    if (name === 'role') role = rendered.text === 'none' ? undefined : rendered.text;
    else if (name === 'statement_timeout' || name === 'lock_timeout') {
      const limit = timeMs(rendered.text);
      if (limit === undefined) return refuse(`is no time: ${rendered.text}`, 'write it like 30s or 500ms');
      if (name === 'statement_timeout') statementTimeoutMs = shorter(statementTimeoutMs, limit);
      else lockTimeoutMs = shorter(lockTimeoutMs, limit);
    } else settings[name] = rendered.text;
  }
  return { options: { ...options, statementTimeoutMs, lockTimeoutMs, settings }, role };
}

const isSettable = ({ name }: SessionSetting): boolean =>
  !/^(?:default_)?transaction_(?:isolation|read_only|deferrable)$|^session_authorization$/.test(name);

const unitsMs: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A time as PostgreSQL writes it; milliseconds where it names no unit. */
function timeMs(text: string): number | undefined {
  const [, figures, unit = 'ms'] = /^(\d+(?:\.\d+)?)\s*(us|ms|s|min|h|d)?$/.exec(text.trim()) ?? [];
  return figures === undefined ? undefined : Math.round(Number(figures) * (unitsMs[unit] ?? 1));
}

/** 0 is no limit. */
const shorter = (a: number, b: number): number => (a === 0 ? b : b === 0 ? a : Math.min(a, b));
