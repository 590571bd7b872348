import { describe, expect, test } from 'vitest';
import { corpus } from './corpus.ts';
import { mutateText } from './mutate-text.ts';
import { seededRandom } from './seeded-random.ts';
import { type WholePath, wholePath } from './whole-path.ts';

const workspaces = corpus();
const long = process.env.FUZZ_RUNS !== undefined;
const runs = Number(process.env.FUZZ_RUNS ?? 300);
const firstSeed = Number(process.env.FUZZ_SEED ?? 1);
const slowMs = 1000;

/** Every run of a workspace goes through one reader, as in an editor. */
const paths = new Map<string, WholePath>();
function pathOf(name: string): WholePath {
  const known = paths.get(name) ?? wholePath();
  paths.set(name, known);
  return known;
}

function damaged(seed: number) {
  const random = seededRandom(seed);
  const workspace = random.pick(workspaces);
  const target = random.pick(workspace.targets);
  const other = random.pick(workspaces);
  const otherText = other.files.get(random.pick(other.targets)) ?? '';
  const { text, done } = mutateText(workspace.files.get(target) ?? '', otherText, random);
  return { workspace, target, text, done, files: new Map(workspace.files).set(target, text) };
}

/** Processor time of a piece of work of this process. */
function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

describe('damaged files go the whole way', () => {
  test('the corpus has not been lost', () => {
    expect(workspaces.length).toBeGreaterThan(350);
    const targets = workspaces.flatMap((workspace) => workspace.targets);
    expect(targets.filter((path) => path.endsWith('.py')).length).toBeGreaterThan(60);
  });

  test('and so do whole ones', () => {
    for (const { name, files, targets } of workspaces) for (const target of targets) pathOf(name).drive(files, target);
  });

  test(`${runs} times: no exception, every place inside its file`, () => {
    const defects: string[] = [];
    for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
      const { workspace, target, done, files } = damaged(seed);
      const told = `seed ${seed}, ${workspace.name} ${target} after ${done.join(', ')}`;
      try {
        const spent = cpuMs(() => pathOf(workspace.name).drive(files, target));
        // Said only where it was asked for: how long a machine takes is no property of the code.
        if (long && spent > slowMs) {
          const again = cpuMs(() => wholePath().drive(files, target));
          if (again > slowMs) defects.push(`${told}: ${Math.round(again)} ms`);
        }
      } catch (error) {
        defects.push(`${told}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      }
    }
    expect(defects).toEqual([]);
  });
});
