import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { subRooms } from './sub-rooms.ts';

/** Which room may import which, and why. A room may always import itself. `core` stands for all of its rooms. */
const allowed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'core/text': {},
  'core/time': { 'core/text': 'a schedule that cannot be read is a problem with a place' },
  'core/template': {
    'core/text': 'spans and problems',
    'core/time': 'an expression of a template is a time as a function of the interval',
  },
  'core/sql': {
    'core/text': 'every fact has a span',
    'core/time': 'interval literals are calendar offsets',
    'core/template': 'SQL is read under the mask of its template',
  },
  'core/pipeline': {
    'core/text': 'places in files',
    'core/time': 'schedules',
    'core/template': 'templates of operator arguments',
    'core/sql': 'a task holds its SQL as read',
  },
  'core/lineage': {
    'core/text': 'facts remember their place',
    'core/time': 'windows are functions of the interval',
    'core/template': 'bounds are symbolic values',
    'core/sql': 'predicates give windows',
    'core/pipeline': 'tasks are joined up',
  },
  'core/lint': {
    'core/text': 'marks and edits',
    'core/time': 'rules compare bounds',
    'core/template': 'rules look at expressions',
    'core/sql': 'rules look at statements',
    'core/pipeline': 'rules look at tasks',
    'core/lineage': 'what one file leaves open another may decide',
  },
  'core/warehouse': {
    'core/text': 'spans of statements',
    'core/time': 'bounds are bound by column type',
    'core/sql': 'dialects and their names',
    'core/pipeline': 'who runs a task',
    'core/lineage': 'write modes and slices',
  },
  'core/safe': {
    'core/text': 'edits',
    'core/time': 'bounds of a slice as SQL',
    'core/template': 'names of the interval in a template',
    'core/sql': 'statements of a task and what is put around them',
    'core/pipeline': 'tasks',
    'core/lineage': 'the slice that a task owns',
    'core/lint': 'edits of SQL in the file that holds it',
    'core/warehouse': 'what can be part of a transaction',
  },
  'core/plan': {
    'core/text': 'places of what is refused',
    'core/time': 'grids and intervals',
    'core/sql': 'what of a text is not the task’s own code',
    'core/pipeline': 'tasks and executors',
    'core/lineage': 'windows decide what is dirty',
    'core/warehouse': 'schema hashes of targets',
  },
  'core/scheduler': {
    'core/text': 'counts in words',
    'core/time': 'logical dates and data intervals of runs',
    'core/pipeline': 'DAGs of the workspace are held against those that are deployed',
    'core/plan': 'units as commands',
  },
  'core/diff': {
    'core/time': 'bounds of slices',
    'core/warehouse': 'figures are taken through a session',
    'core/plan': 'slices of units',
    'core/lineage': 'write modes',
  },
  'core/ledger': {
    'core/time': 'instants are stored',
    'core/pipeline': 'executors are stored',
    'core/lineage': 'write modes are stored',
    'core/warehouse': 'the ledger is kept through a session',
    'core/plan': 'plans are stored',
    'core/diff': 'differences are stored',
  },
  'core/run': {
    'core/text': 'places of statements',
    'core/time': 'bounds of jobs',
    'core/template': 'statements are rendered for an interval',
    'core/sql': 'rendered text is split into statements',
    'core/pipeline': 'jobs are made from tasks',
    'core/lineage': 'slices and windows of jobs',
    'core/warehouse': 'units run through sessions',
    'core/plan': 'units are run in the order of the plan',
    'core/diff': 'a unit compares its slice before and after',
    'core/ledger': 'whatever happens is recorded',
    'core/scheduler': 'who carries out what our engine cannot',
  },
  'core/view': {
    'core/text': 'places beside the code',
    'core/time': 'the selected interval in the zone of its pipeline',
    'core/template': 'expressions resolved for the selected interval',
    'core/sql': 'where a write stands',
    'core/pipeline': 'what a file holds',
    'core/lineage': 'slices and windows of a task',
    'core/lint': 'findings of a document',
    'core/plan': 'what is downstream',
    'core/diff': 'figures of the last run',
    'core/ledger': 'states of recent intervals',
    'core/run': 'what a rerun would send',
  },
  warehouses: { core: 'the ports that engines carry out' },
  orchestrators: { core: 'the port that schedulers carry out' },
  node: { core: 'files and settings become what core reads' },
  protocol: { core: 'messages carry what core knows' },
  cli: {
    core: 'the same product without an editor',
    node: 'files, settings, clock',
    warehouses: 'engines, through open.ts only',
    orchestrators: 'schedulers, through open.ts only',
  },
  vscode: {
    core: 'the product',
    node: 'files, settings, clock',
    protocol: 'messages to the page',
    warehouses: 'engines, through open.ts only',
    orchestrators: 'schedulers, through open.ts only',
  },
  webview: {
    protocol: 'the page knows its messages',
    'core/time': 'times are shown and picked',
    'core/ledger': 'types only: the states that messages carry',
    'core/diff': 'types only: the figures that messages carry',
  },
};

/** Edges of the table above that may carry types but no code. */
const typesOnly = new Set(['webview > core/ledger', 'webview > core/diff']);

/** The one place that may import a package, so that it can be replaced there. */
const owners: Readonly<Record<string, readonly string[]>> = {
  '@electric-sql/pglite': ['src/warehouses/pglite/'],
  '@grpc/grpc-js': ['src/warehouses/spark/'],
  'apache-arrow': ['src/warehouses/spark/'],
  protobufjs: ['src/warehouses/spark/'],
  '@vscode/webview-ui-toolkit': ['webview/ui.ts'],
  commander: ['src/cli/'],
  diff: ['src/cli/reporters/'],
  lit: ['webview/'],
  'node-sql-parser': ['src/core/sql/ast/'],
  pg: ['src/warehouses/postgres/'],
  picocolors: ['src/cli/'],
  'string-width': ['src/cli/reporters/'],
  vscode: ['src/vscode/'],
  'web-tree-sitter': ['src/core/pipeline/', 'src/node/python-parser.ts'],
  yaml: ['src/node/'],
};

/** Where a package may be named for its types while its code is loaded elsewhere. */
const packageTypesOnly: readonly (readonly [name: string, where: string])[] = [
  ['web-tree-sitter', 'src/core/pipeline/'],
];

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Import {
  readonly file: string;
  readonly target: string;
  readonly types: boolean;
}

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

/** Import and export declarations and `import()` calls; strings elsewhere are not looked at. */
function importsOf(file: string, code: string): Import[] {
  const found: Import[] = [];
  const declaration = /^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm;
  const specifiers = /\{([^}]*)\}/;
  for (const match of code.matchAll(declaration)) {
    const named = specifiers.exec(match[0])?.[1];
    const inlineTypes = named?.split(',').every((one) => /^\s*(type\s|$)/.test(one)) ?? false;
    found.push({ file, target: match[2] as string, types: match[1] !== undefined || inlineTypes });
  }
  for (const match of code.matchAll(/\bimport\(\s*'([^']+)'\s*\)(\.|\[)?/g)) {
    found.push({ file, target: match[1] as string, types: false });
  }
  return found;
}

function roomOf(path: string): string {
  const [top, second, third] = path.split('/');
  if (top !== 'src') return top ?? '';
  return second === 'core' ? `core/${third}` : (second ?? '');
}

const packageName = (target: string): string =>
  target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');

function faults({ file, target, types }: Import): string[] {
  if (target.startsWith('node:'))
    return file.startsWith('src/core/') ? [`${file}: core is pure and must not use ${target}`] : [];
  if (!target.startsWith('.')) {
    const name = packageName(target);
    const homes = owners[name];
    if (homes === undefined)
      return [`${file}: ${name} has no owner; add one to the table with the folder that may import it`];
    if (!homes.some((home) => file.startsWith(home))) return [`${file}: ${name} belongs to ${homes.join(' and ')}`];
    const typesHere = packageTypesOnly.some(([owned, where]) => owned === name && file.startsWith(where));
    return typesHere && !types ? [`${file}: only types of ${name} may be imported here`] : [];
  }
  const path = normalize(join(dirname(file), target))
    .split(sep)
    .join('/');
  const [from, to] = [roomOf(file), roomOf(path)];
  const edges = allowed[from];
  const unlisted = [from, to].find((room) => allowed[room] === undefined && room !== 'core');
  if (edges === undefined || unlisted !== undefined) return [`${file}: ${unlisted} is not a room of the table`];
  if (from === to) return [];
  if (edges[to] === undefined && !(to.startsWith('core/') && edges.core !== undefined))
    return [`${file}: ${from} must not import ${to}`];
  if (typesOnly.has(`${from} > ${to}`) && !types) return [`${file}: only types may come from ${to}`];
  const engine = /^src\/(?:warehouses|orchestrators)\/(?!open\.ts$)/.test(path);
  return engine ? [`${file}: engines and schedulers are reached through open.ts, not ${path}`] : [];
}

const files = [...sources('src'), ...sources('webview')];

test('every file lies in a room of the table', () => {
  expect(files.filter((file) => allowed[roomOf(file)] === undefined)).toEqual([]);
});

test('every package that is owned is imported and installed, and every installed one has an owner', () => {
  const imported = new Set(
    files.flatMap((file) =>
      importsOf(file, readFileSync(join(root, file), 'utf8'))
        .map(({ target }) => target)
        .filter((target) => !target.startsWith('.') && !target.startsWith('node:'))
        .map(packageName),
    ),
  );
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const owned = Object.keys(owners);
  expect(owned.filter((name) => !imported.has(name))).toEqual([]);
  // The editor gives its own module.
  expect(owned.filter((name) => name !== 'vscode').sort()).toEqual(Object.keys(dependencies).sort());
});

test('rooms import only what they may, and packages only their owners', () => {
  expect(files.length).toBeGreaterThan(50);
  expect(files.flatMap((file) => importsOf(file, readFileSync(join(root, file), 'utf8')).flatMap(faults))).toEqual([]);
});

/** Each import between files of the repository, types included, as `[from, to]`. */
function fileEdges(): (readonly [from: string, to: string])[] {
  return files.flatMap((file) =>
    importsOf(file, readFileSync(join(root, file), 'utf8'))
      .filter(({ target }) => target.startsWith('.'))
      .map(({ target }): [string, string] => [
        file,
        normalize(join(dirname(file), target))
          .split(sep)
          .join('/'),
      ]),
  );
}

/** The folder of a file below its room, `.` for the room itself. */
function subRoomOf(path: string): string {
  const below = dirname(path).slice(folderOf(roomOf(path)).length);
  return below === '' ? '.' : below.slice(1);
}

const folderOf = (room: string): string => (room === 'webview' ? room : `src/${room}`);

function subRoomFaults([from, to]: readonly [string, string]): string[] {
  const room = roomOf(from);
  const rows = subRooms[room];
  const [here, there] = [subRoomOf(from), subRoomOf(to)];
  if (rows === undefined || room !== roomOf(to) || here === there) return [];
  const row = rows.find((one) => one.room === here);
  return row === undefined || row.imports.includes(there) ? [] : [`${from}: ${room}, ${here} must not import ${there}`];
}

/** Node 20 has no `Map.groupBy`. */
function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

/** The first circle that a walk along the edges meets, as its files in order. */
function circleOf(edges: readonly (readonly [string, string])[]): readonly string[] {
  const next = groupBy(edges, ([from]) => from);
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]): readonly string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return [];
    for (const [, to] of next.get(file) ?? []) {
      const circle = walk(to, [...path, file]);
      if (circle.length > 0) return circle;
    }
    done.add(file);
    return [];
  };
  return [...next.keys()].map((file) => walk(file, [])).find((circle) => circle.length > 0) ?? [];
}

test('folders inside a room import only what stands above them in its table', () => {
  expect(fileEdges().flatMap(subRoomFaults)).toEqual([]);
  for (const [room, rows] of Object.entries(subRooms)) {
    const order = rows.map((row) => row.room);
    const upward = rows.flatMap((row) =>
      row.imports.filter((one) => order.indexOf(one) >= order.indexOf(row.room) || !order.includes(one)),
    );
    expect(upward, room).toEqual([]);
    const used = new Set(files.filter((file) => roomOf(file) === room).map(subRoomOf));
    expect([...used].sort(), `the folders of ${room}`).toEqual([...order].sort());
  }
  expect(subRoomFaults(['src/core/lineage/facts/a.ts', 'src/core/lineage/tasks/b.ts'])).toHaveLength(1);
});

test('no files import each other in a circle', () => {
  expect(circleOf(fileEdges())).toEqual([]);
  expect(
    circleOf([
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'b'],
    ]),
  ).toEqual(['b', 'c', 'b']);
});

test('no folder holds more than 15 files', () => {
  const crowded = [
    ...groupBy(
      files.filter((file) => file.endsWith('.ts')),
      dirname,
    ),
  ]
    .filter(([, inside]) => inside.length > 15)
    .map(([folder, inside]) => `${folder}: ${inside.length}`);
  expect(crowded).toEqual([]);
});

test('no file is longer than 400 lines', () => {
  const long = files.filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > 401);
  expect(long).toEqual([]);
});

test('no cycle between rooms is allowed by the table', () => {
  const visit = (room: string, path: readonly string[]): void => {
    if (path.includes(room)) throw new Error(`the table allows a cycle: ${[...path, room].join(' > ')}`);
    for (const next of Object.keys(allowed[room] ?? {})) visit(next, [...path, room]);
  };
  for (const room of Object.keys(allowed)) visit(room, []);
});

test('the test itself sees wrong imports', () => {
  const check = (file: string, code: string): string[] => importsOf(file, code).flatMap(faults);
  expect(check('src/core/time/a.ts', "import { x } from '../plan/plan.ts';")).toEqual([
    'src/core/time/a.ts: core/time must not import core/plan',
  ]);
  expect(check('src/core/time/a.ts', "import 'node:fs';")).toHaveLength(1);
  expect(check('src/cli/a.ts', "import {\n  type A,\n  b,\n} from '../vscode/b.ts';")).toHaveLength(1);
  expect(check('src/cli/a.ts', "const x = await import('pg');")).toEqual([
    'src/cli/a.ts: pg belongs to src/warehouses/postgres/',
  ]);
  expect(check('src/cli/a.ts', "import { x } from '../warehouses/postgres/session.ts';")).toHaveLength(1);
  expect(check('src/cli/a.ts', "import { x } from '../warehouses/open.ts';")).toEqual([]);
  expect(check('src/core/pipeline/a.ts', "import { Parser } from 'web-tree-sitter';")).toHaveLength(1);
  expect(check('src/core/pipeline/a.ts', "import { type Tree } from 'web-tree-sitter';")).toEqual([]);
  expect(check('webview/a.ts', "import { y } from '../src/core/ledger/codec.ts';")).toHaveLength(1);
  expect(check('src/node/a.ts', "import x from 'left-pad';")[0]).toContain('has no owner');
  const unlisted = 'is not a room of the table';
  expect(check('src/attic/a.ts', "import { x } from './b.ts';")[0]).toContain(unlisted);
  expect(check('src/cli/a.ts', "import { x } from '../attic/b.ts';")[0]).toContain(unlisted);
  expect(check('src/cli/a.ts', "import { x } from '../core/attic/b.ts';")[0]).toContain(unlisted);
  expect(check('webview/a.ts', "import type { y } from '../src/core/ledger/codec.ts';")).toEqual([]);
  expect(check('webview/a.ts', "import type { y } from '../src/core/run/run-event.ts';")).toHaveLength(1);
  expect(check('src/core/run/a.ts', "import { x } from '../view/b.ts';")).toHaveLength(1);
});
