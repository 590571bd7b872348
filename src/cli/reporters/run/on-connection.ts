import type { RunRefusal } from '../../../core/run/unit/run-result.ts';

/** An advice whose commands name their connection, where they would not take it by themselves. */
export const adviceOn = (connection: string | undefined, advice: string): string =>
  connection === undefined
    ? advice
    : advice.replace(commands, (command) => `${command.trimEnd()} --connection ${connection}`);

/** As {@link adviceOn}, of a refusal. */
export const onConnection = (refusal: RunRefusal, connection: string | undefined): RunRefusal =>
  refusal.remedy === undefined ? refusal : { ...refusal, remedy: adviceOn(connection, refusal.remedy) };

/** From the name of the program to what ends the command in a sentence. */
const commands = /\bbackfill (?:history|done|undo|resume|run)\b[^;,()]*?(?=[;,()]|$)/g;
