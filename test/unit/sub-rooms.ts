/** A folder inside a room: what is decided there, and which folders of the same room it may import. `.` is the room itself. */
export interface SubRoom {
  readonly room: string;
  readonly decides: string;
  readonly imports: readonly string[];
}

/**
 * The folders of each room in reading order: a folder imports only from folders above its own line. A folder is a
 * decision: when the decision changes, one folder changes. A room that is not listed is flat.
 */
export const subRooms: Readonly<Record<string, readonly SubRoom[]>> = {
  'core/time': [
    { room: 'zones', decides: 'instants, wall clocks and what a zone makes of them', imports: [] },
    { room: 'schedules', decides: 'when a schedule ticks', imports: ['zones'] },
    {
      room: 'intervals',
      decides: 'the data intervals of a schedule, and sets of ranges',
      imports: ['zones', 'schedules'],
    },
    { room: 'expressions', decides: 'a time as a function of the interval', imports: ['zones', 'intervals'] },
  ],
  'core/template': [
    { room: 'python', decides: 'what Python would print, compare and compute', imports: [] },
    { room: 'language', decides: 'what stands in a template: tokens, expressions, tags, tree', imports: ['python'] },
    {
      room: 'names',
      decides: "what a name stands for: Airflow's own, the DAG's, the template's",
      imports: ['python', 'language'],
    },
    {
      room: 'bounds',
      decides: 'an expression as a time of the interval (to compare)',
      imports: ['python', 'language', 'names'],
    },
    {
      room: 'mask',
      decides: 'the text with its holes, as SQL is read (to read)',
      imports: ['language', 'names', 'bounds'],
    },
    {
      room: 'render',
      decides: 'the text of one interval, equal to Jinja2 or refused (to run)',
      imports: ['python', 'language', 'names', 'bounds'],
    },
  ],
  'core/sql': [
    { room: 'model', decides: 'the words: statement, query, expression, table', imports: [] },
    { room: 'lex', decides: 'where a token, a comment and a statement end, by dialect', imports: ['model'] },
    {
      room: 'parse',
      decides: 'the cursor, and what names and words mean wherever they stand',
      imports: ['model', 'lex'],
    },
    { room: 'parse/expressions', decides: 'an expression as a tree', imports: ['model', 'lex', 'parse'] },
    {
      room: 'parse/queries',
      decides: 'a query: its tables, columns, conditions',
      imports: ['model', 'lex', 'parse', 'parse/expressions'],
    },
    {
      room: 'statements/rows',
      decides: 'statements that write rows',
      imports: ['model', 'lex', 'parse', 'parse/expressions', 'parse/queries'],
    },
    {
      room: 'statements/definitions',
      decides: 'statements that make, change or drop tables',
      imports: ['model', 'parse', 'parse/expressions', 'parse/queries', 'statements/rows'],
    },
    {
      room: 'statements',
      decides: 'which statement this is, also inside a routine',
      imports: ['model', 'lex', 'parse', 'parse/queries', 'statements/rows', 'statements/definitions'],
    },
    { room: 'ast', decides: 'the second opinion of another parser', imports: ['model'] },
    {
      room: 'names',
      decides: 'where names without a schema are looked up; which statements are those of the ledger',
      imports: ['model', 'lex'],
    },
    {
      room: '.',
      decides: 'a text as statements: the door',
      imports: ['model', 'lex', 'parse', 'parse/expressions', 'parse/queries', 'statements', 'ast'],
    },
    {
      room: 'calls',
      decides: 'which functions a text calls, with which arguments, and what such a call or a body reaches',
      imports: ['model', 'lex', '.'],
    },
  ],
  'core/pipeline': [
    { room: 'model', decides: 'what a pipeline is, whatever the format', imports: [] },
    { room: 'python/syntax', decides: 'Python text as a tree, tolerant', imports: [] },
    {
      room: 'python/values',
      decides: 'what a value is known to be; the words Call, Frame, Interpreter',
      imports: ['model', 'python/syntax'],
    },
    {
      room: 'python/calls',
      decides: 'the arguments of a call, the names in sight, what a class holds; which calls are the same',
      imports: ['python/values'],
    },
    {
      room: 'python/library',
      decides: 'what a call of the standard library gives',
      imports: ['model', 'python/values', 'python/calls'],
    },
    {
      room: 'python/evaluate',
      decides: 'what an expression gives',
      imports: ['model', 'python/syntax', 'python/values', 'python/calls', 'python/library'],
    },
    {
      room: 'python/execute',
      decides: 'what a statement or a call changes',
      imports: ['model', 'python/syntax', 'python/values', 'python/calls', 'python/library', 'python/evaluate'],
    },
    {
      room: 'python',
      decides: 'a file followed within its limits: the door',
      imports: [
        'model',
        'python/syntax',
        'python/values',
        'python/calls',
        'python/library',
        'python/evaluate',
        'python/execute',
      ],
    },
    { room: 'readers/sql-file', decides: 'a SQL file as a pipeline of one task', imports: ['model', 'python/library'] },
    {
      room: 'readers/airflow/program',
      decides: 'what a DAG file builds: DAGs, tasks, edges, arguments, assets',
      imports: ['model', 'python/values', 'python/calls'],
    },
    {
      room: 'readers/airflow/templates',
      decides: 'what Airflow renders a text with',
      imports: [
        'model',
        'python/syntax',
        'python/values',
        'python/calls',
        'python/library',
        'python/evaluate',
        'readers/airflow/program',
      ],
    },
    {
      room: 'readers/airflow/schedule',
      decides: 'when a DAG runs: version, settings, schedule, start',
      imports: ['model', 'python/values', 'python/calls', 'python/library', 'readers/airflow/program'],
    },
    {
      room: 'readers/airflow/operators',
      decides: 'which operator has SQL in which argument, and who runs it',
      imports: ['python/values', 'readers/airflow/program'],
    },
    {
      room: 'readers/airflow/session',
      decides: 'where and how an operator sends its SQL: database, settings, parameters, handler',
      imports: [
        'model',
        'python/syntax',
        'python/values',
        'python/calls',
        'readers/airflow/program',
        'readers/airflow/templates',
      ],
    },
    {
      room: 'readers/airflow/transfers',
      decides: "which tables an operator's arguments name; what operators hide",
      imports: [
        'model',
        'python/values',
        'readers/airflow/program',
        'readers/airflow/templates',
        'readers/airflow/operators',
      ],
    },
    {
      room: 'readers/airflow/access',
      decides: 'which library calls read or write a table',
      imports: ['model', 'python/values', 'python/calls', 'readers/airflow/program', 'readers/airflow/transfers'],
    },
    {
      room: 'readers/airflow/callables',
      decides: 'what the Python of a task does when followed',
      imports: [
        'model',
        'python/values',
        'python/calls',
        'python/library',
        'python/execute',
        'readers/airflow/program',
        'readers/airflow/templates',
        'readers/airflow/operators',
        'readers/airflow/session',
        'readers/airflow/transfers',
        'readers/airflow/access',
      ],
    },
    {
      room: 'readers/airflow/declare',
      decides: 'what DAG(), operators and decorators add to the program',
      imports: [
        'python/syntax',
        'python/values',
        'python/calls',
        'python/library',
        'python/evaluate',
        'python/execute',
        'readers/airflow/program',
        'readers/airflow/templates',
        'readers/airflow/callables',
      ],
    },
    {
      room: 'readers/airflow/pipelines',
      decides: 'the program as pipelines of the model',
      imports: [
        'model',
        'python/values',
        'python/calls',
        'python/library',
        'python/evaluate',
        'readers/airflow/program',
        'readers/airflow/templates',
        'readers/airflow/schedule',
        'readers/airflow/operators',
        'readers/airflow/session',
        'readers/airflow/transfers',
        'readers/airflow/declare',
      ],
    },
    {
      room: 'readers/airflow',
      decides: 'one file: the door',
      imports: [
        'model',
        'python/syntax',
        'python',
        'readers/airflow/program',
        'readers/airflow/schedule',
        'readers/airflow/declare',
        'readers/airflow/pipelines',
      ],
    },
    {
      room: 'readers/airflow/answers',
      decides: 'where a real Airflow says otherwise',
      imports: ['model', 'readers/airflow'],
    },
    { room: 'routines', decides: 'what a routine that a text makes does for one call', imports: ['model'] },
    {
      room: 'workspace',
      decides: 'which files are read, joined, and done again after an edit',
      imports: [
        'model',
        'routines',
        'python/syntax',
        'python',
        'readers/sql-file',
        'readers/airflow/schedule',
        'readers/airflow',
        'readers/airflow/answers',
      ],
    },
  ],
  'core/lineage': [
    {
      room: 'facts',
      decides: 'the words: window, slice, write mode, unknown, table; what a person may declare',
      imports: [],
    },
    { room: 'times', decides: 'which time a SQL expression stands for, as a function of the interval', imports: [] },
    { room: 'columns', decides: 'which range of one column a condition leaves', imports: ['times'] },
    {
      room: 'queries',
      decides: 'what a query reads of each table, and the ranges of the rows that it gives',
      imports: ['facts', 'times', 'columns'],
    },
    {
      room: 'repeats',
      decides: 'what a second run makes of the values and rows that a first one wrote, by running both on rows made up',
      imports: ['columns'],
    },
    {
      room: 'writes',
      decides: 'which slice the statements of a task replace, and how',
      imports: ['facts', 'times', 'columns', 'queries', 'repeats'],
    },
    {
      room: 'tasks',
      decides:
        'what one task reads and writes by SQL, calls, outlets, snapshots and declaration; what of it is unknown',
      imports: ['facts', 'times', 'queries', 'writes'],
    },
    {
      room: 'workspace',
      decides: 'who writes what whom reads; what a name means; what an edit makes anew',
      imports: ['facts', 'times', 'columns', 'queries', 'writes', 'tasks'],
    },
  ],
  'core/lint': [
    {
      room: 'source',
      decides: 'a statement with its task, names and transaction; comments, and what they switch off',
      imports: [],
    },
    {
      room: 'context',
      decides: 'what a rule may ask of its DAG, the other DAGs and the tables of the workspace',
      imports: ['source'],
    },
    { room: 'model', decides: 'the words: finding, fix, rule', imports: ['source', 'context'] },
    { room: 'bounds', decides: 'how a statement cuts by the interval', imports: ['source'] },
    {
      room: 'keys',
      decides: 'by what rows are found again, and which of several is kept',
      imports: ['source', 'context', 'bounds'],
    },
    {
      room: 'reruns',
      decides: 'why a second run gives the same, or does not',
      imports: ['source', 'context', 'bounds'],
    },
    {
      room: 'fixes',
      decides: "a finding's edits, in the file that holds the text",
      imports: ['source', 'context', 'model', 'bounds'],
    },
    {
      room: 'rules/schedule',
      decides: 'one finding a rule, about when runs are and which interval each has',
      imports: ['source', 'context', 'model', 'bounds', 'reruns', 'fixes'],
    },
    {
      room: 'rules/interval',
      decides: 'one finding a rule, about which rows a run takes for its interval',
      imports: ['source', 'context', 'model', 'bounds', 'reruns', 'fixes'],
    },
    {
      room: 'rules/replace',
      decides: 'one finding a rule, about what a run does to the rows of the run before',
      imports: ['source', 'context', 'model', 'bounds', 'reruns', 'fixes'],
    },
    {
      room: 'rules/upsert',
      decides: 'one finding a rule, about keys, values made from old ones, and inputs that are used up',
      imports: ['source', 'context', 'model', 'bounds', 'keys', 'reruns', 'fixes'],
    },
    { room: 'rules', decides: 'what is said of suppressions', imports: ['source', 'context', 'model'] },
    {
      room: '.',
      decides: 'who speaks: rules, severities, suppressions',
      imports: [
        'source',
        'context',
        'model',
        'rules/schedule',
        'rules/interval',
        'rules/replace',
        'rules/upsert',
        'rules',
      ],
    },
  ],
  'core/warehouse': [
    { room: 'port', decides: 'what an engine can do, and what its errors mean', imports: [] },
    {
      room: 'dialects/postgres',
      decides: 'names, values, predicates and row hashes as PostgreSQL text; what its catalog and planner are asked',
      imports: ['port'],
    },
    { room: 'dialects/postgres/ledger', decides: 'the ledger as PostgreSQL text', imports: ['dialects/postgres'] },
    {
      room: 'dialects/postgres/slice',
      decides: 'figures, differences and staging of a slice as PostgreSQL text',
      imports: ['port', 'dialects/postgres', 'dialects/postgres/ledger'],
    },
    { room: 'catalog', decides: 'what the database says of its tables', imports: ['port', 'dialects/postgres'] },
  ],
  'core/plan': [
    { room: 'model', decides: 'the words: request, plan, unit', imports: [] },
    { room: 'tasks', decides: 'which tasks can be planned, and what each reads', imports: ['model'] },
    { room: 'intervals', decides: 'which intervals are dirty', imports: ['model', 'tasks'] },
    { room: 'units', decides: 'which unit waits for which', imports: ['model', 'tasks', 'intervals'] },
    {
      room: 'findings',
      decides: 'what is said before anything runs',
      imports: ['model', 'tasks', 'intervals', 'units'],
    },
    {
      room: '.',
      decides: 'a request as a plan: the door',
      imports: ['model', 'tasks', 'intervals', 'units', 'findings'],
    },
  ],
  'core/scheduler': [
    { room: 'port', decides: 'what a scheduler can do, and what its states and errors mean', imports: [] },
    { room: 'match', decides: 'whether a deployed DAG is the one of the workspace', imports: ['port'] },
    { room: 'commands', decides: 'a plan as commands for a shell, where no API is reached', imports: [] },
  ],
  'core/run': [
    {
      room: 'unit',
      decides: "the words of a run: job, outcome, event, options, clock, the executor's port",
      imports: [],
    },
    { room: 'bind', decides: 'which values a driver puts into SQL, and how it writes them', imports: [] },
    { room: 'jobs/slices', decides: 'which slices units share with each other', imports: ['unit'] },
    {
      room: 'jobs',
      decides: 'the rendered job of a planned unit, or its refusal',
      imports: ['unit', 'bind', 'jobs/slices'],
    },
    { room: 'stored', decides: 'a run as stored, written out, and taken back', imports: ['unit', 'jobs'] },
    {
      room: 'order',
      decides: 'which unit starts when, waits, is tried again; how a run goes on',
      imports: ['unit', 'jobs/slices', 'jobs', 'stored'],
    },
    { room: 'session', decides: 'how a session is set, stopped, cleared; what its errors mean', imports: ['unit'] },
    {
      room: 'tables',
      decides: "the unit's tables and slices as the database has them",
      imports: ['unit', 'session'],
    },
    {
      room: 'reviewed',
      decides: 'a plan as a file to review, and what has moved on since it was written',
      imports: ['unit', 'jobs', 'session', 'tables'],
    },
    {
      room: 'irrevocable',
      decides: 'what a task does that no rollback takes back, and who has to say yes',
      imports: ['unit', 'session'],
    },
    {
      room: 'hidden-inputs',
      decides: 'what a task rests on that stands in the database and not in its text',
      imports: ['unit', 'tables'],
    },
    {
      room: 'claim',
      decides: 'may this unit run now: claim, caps, lease, fence, locks',
      imports: ['unit', 'session', 'tables'],
    },
    {
      room: 'record',
      decides: 'is it due, what changed and why, publish or hold, the marker',
      imports: ['unit', 'session', 'tables', 'irrevocable', 'hidden-inputs', 'claim'],
    },
    {
      room: 'relational/task',
      decides: "how the task's own statements are sent, and where its transaction stands",
      imports: ['unit', 'jobs', 'session', 'tables'],
    },
    {
      room: 'relational/guards',
      decides: 'what it did outside its slices, what of it lasts, what earlier runs left in them; keys that doubled',
      imports: ['session', 'tables', 'record', 'relational/task'],
    },
    {
      room: 'relational/apply',
      decides: 'before, stage, task, after: the slice compared',
      imports: ['unit', 'session', 'tables', 'irrevocable', 'claim', 'record', 'relational/task', 'relational/guards'],
    },
    {
      room: 'relational',
      decides: 'one unit as one transaction, or as parts',
      imports: ['unit', 'session', 'tables', 'irrevocable', 'claim', 'record', 'relational/task', 'relational/apply'],
    },
    {
      room: 'carried',
      decides: 'one unit that a scheduler carries out: what is written down before it, whether it ended, what it left',
      imports: ['unit', 'jobs', 'session', 'tables', 'claim', 'record', 'relational/task', 'relational/apply'],
    },
    {
      room: 'relational/preview',
      decides: 'what a run would do; nothing kept',
      imports: ['unit', 'session', 'tables', 'record', 'relational/task', 'relational/apply', 'relational'],
    },
    {
      room: 'relational/prove',
      decides: 'the same unit twice, on moved clocks',
      imports: ['unit', 'jobs', 'order', 'session', 'relational/task', 'relational/preview'],
    },
    {
      room: 'preflight',
      decides: 'what the database has against a plan',
      imports: ['unit', 'jobs/slices', 'jobs', 'session'],
    },
    { room: 'survey', decides: 'what tables hold, interval by interval, whoever wrote it', imports: [] },
  ],
  'core/view': [
    { room: 'words', decides: 'how a fact, a time and a version are said', imports: [] },
    { room: 'findings', decides: 'which findings still stand after a proof', imports: [] },
    { room: 'document', decides: 'what is shown beside the code', imports: ['words'] },
    { room: 'page', decides: 'what the assistant shows of a plan, and what can be asked of it', imports: ['words'] },
    { room: 'page/range', decides: 'what a typed range means, and the intervals around it', imports: ['words'] },
    { room: 'page/outcome', decides: 'what slices held before and after, as figures', imports: ['page'] },
    {
      room: 'page/status',
      decides: 'the sentence, the one action and the news of the page',
      imports: ['words', 'page'],
    },
    { room: 'report', decides: 'a run as a document', imports: ['words'] },
  ],
  cli: [
    { room: 'terminal', decides: 'the process: its streams, files, exit codes', imports: [] },
    { room: 'reporters/text', decides: 'columns, widths, durations as text', imports: [] },
    { room: 'reporters/check', decides: 'findings as text and as data', imports: [] },
    { room: 'reporters/show', decides: 'what was read as text and as data', imports: ['reporters/check'] },
    {
      room: 'reporters/run',
      decides: 'plans and runs as text and as data',
      imports: ['terminal', 'reporters/text', 'reporters/check'],
    },
    {
      room: 'reporters/scheduler',
      decides: 'a scheduler as text and as data',
      imports: ['reporters/text'],
    },
    { room: 'arguments', decides: 'what the command line asks for', imports: ['terminal'] },
    {
      room: 'connection',
      decides: 'which database and scheduler, what is asked before a run, and what is said of what stopped or ended it',
      imports: ['terminal', 'reporters/run'],
    },
    {
      room: 'commands',
      decides: 'one verb a file',
      imports: [
        'terminal',
        'reporters/text',
        'reporters/check',
        'reporters/show',
        'reporters/run',
        'reporters/scheduler',
        'arguments',
        'connection',
      ],
    },
    { room: '.', decides: 'the door', imports: ['terminal', 'commands'] },
  ],
  vscode: [
    {
      room: 'host',
      decides: 'what the threads beside the editor offer: the workspace, runs; and where a hover leads',
      imports: [],
    },
    { room: 'clients', decides: 'the workers and connections that every surface asks', imports: ['host'] },
    { room: 'prompts', decides: 'what a command asks of the person before it starts', imports: ['clients'] },
    { room: 'panel/words', decides: 'how outcomes are said on the page', imports: ['host'] },
    {
      room: 'panel/facts',
      decides: 'what one assistant page knows, and what of it the page shows',
      imports: ['host', 'clients'],
    },
    {
      room: 'panel/run',
      decides: 'what is asked of the run thread, and what it says',
      imports: ['host', 'clients', 'panel/words', 'panel/facts'],
    },
    {
      room: 'panel/session',
      decides: 'what one assistant page has asked, planned and run',
      imports: ['host', 'clients', 'panel/words', 'panel/facts', 'panel/run'],
    },
    {
      room: 'panel/page',
      decides: 'the page and its place in the editor',
      imports: ['clients', 'prompts', 'panel/facts', 'panel/session'],
    },
    { room: 'features/document', decides: 'what stands beside the code', imports: ['host', 'clients'] },
    {
      room: 'features/commands',
      decides: 'what a person can ask for',
      imports: ['host', 'clients', 'prompts', 'panel/run', 'panel/session', 'panel/page', 'features/document'],
    },
    {
      room: '.',
      decides: 'wiring',
      imports: ['clients', 'prompts', 'panel/page', 'features/document', 'features/commands'],
    },
  ],
};
