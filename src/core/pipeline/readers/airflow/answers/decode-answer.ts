import { instant } from '../../../../time/zones/instant.ts';
import { isZone } from '../../../../time/zones/zone.ts';
import type { ZoneName } from '../../../../time/zones/zone-name.ts';
import type { AirflowAnswer, SerializedDag, SerializedTask } from './airflow-answer.ts';

export type DecodedAnswer =
  | { readonly ok: true; readonly answer: AirflowAnswer }
  | { readonly ok: false; readonly reason: 'torn' | 'no-airflow' };

/** Reads what the script wrote for these files. `torn` is anything else than its whole answer. */
export function decodeAnswer(text: string, files: readonly string[]): DecodedAnswer {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    return { ok: false, reason: 'torn' };
  }
  if (!isRecord(raw) || !Array.isArray(raw.dags) || !Array.isArray(raw.errors)) return { ok: false, reason: 'torn' };
  if (raw.airflow === null) return { ok: false, reason: 'no-airflow' };
  const dags = raw.dags.map((dag) => decodeDag(dag, files));
  const errors = raw.errors.map((error) => decodeError(error, files));
  if (typeof raw.airflow !== 'string' || !all(dags) || !all(errors)) return { ok: false, reason: 'torn' };
  return { ok: true, answer: { version: raw.airflow, files, dags, errors } };
}

function decodeDag(raw: unknown, files: readonly string[]): SerializedDag | undefined {
  if (!isRecord(raw) || typeof raw.id !== 'string' || !isRecord(raw.timetable) || !Array.isArray(raw.tasks))
    return undefined;
  const file = fileAt(raw.file, files);
  const tasks = raw.tasks.map(decodeTask);
  const { __type: type, __var: parts } = raw.timetable;
  if (file === undefined || !all(tasks) || typeof type !== 'string') return undefined;
  return {
    id: raw.id,
    file,
    timetable: { type, parts: isRecord(parts) ? parts : {} },
    zone: decodeZone(raw.timeZone),
    startDate: typeof raw.startDate === 'number' ? instant(raw.startDate) : undefined,
    endDate: typeof raw.endDate === 'number' ? instant(raw.endDate) : undefined,
    catchup: raw.catchup === true,
    tasks,
  };
}

function decodeTask(raw: unknown): SerializedTask | undefined {
  if (!isRecord(raw) || typeof raw.id !== 'string' || typeof raw.operator !== 'string') return undefined;
  const { id, operator, downstream } = raw;
  if (!Array.isArray(downstream) || !downstream.every((name) => typeof name === 'string')) return undefined;
  return { id, operator, mapped: raw.mapped === true, downstream };
}

function decodeError(raw: unknown, files: readonly string[]): AirflowAnswer['errors'][number] | undefined {
  if (!isRecord(raw) || typeof raw.message !== 'string') return undefined;
  const file = fileAt(raw.file, files);
  return file === undefined ? undefined : { file, message: raw.message };
}

const fileAt = (index: unknown, files: readonly string[]): string | undefined =>
  typeof index === 'number' ? files[index] : undefined;

/** A name, or the offset from UTC in seconds. */
export function decodeZone(raw: unknown): ZoneName | undefined {
  if (typeof raw === 'string') return isZone(raw) ? raw : undefined;
  if (typeof raw !== 'number') return undefined;
  const minutes = Math.abs(Math.round(raw / 60));
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${raw < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const all = <T>(values: readonly (T | undefined)[]): values is readonly T[] =>
  values.every((value) => value !== undefined);
