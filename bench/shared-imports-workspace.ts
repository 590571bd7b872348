/**
 * A repository of one team: a package of operators, clients, settings and table definitions that imports itself
 * through and through, and DAG files that import the package. One file in ten is of the package.
 */
export function sharedImportsWorkspace(files: number): ReadonlyMap<string, string> {
  const modules = Math.max(10, Math.floor(files / 10));
  const texts = new Map<string, string>([['requirements.txt', 'apache-airflow==2.10.4\n']]);
  for (let n = 0; n < modules; n++) texts.set(`plugins/house/${kinds[n % kinds.length]}_${n}.py`, moduleText(n));
  texts.set(
    'plugins/house/__init__.py',
    names(modules)
      .map((name) => `from house import ${name}`)
      .join('\n'),
  );
  texts.set(
    'plugins/house/everything.py',
    names(modules)
      .map((name) => `from house.${name} import *`)
      .join('\n'),
  );
  for (let n = 0; texts.size < files + 1; n++) texts.set(`dags/team_${n % 20}/dag_${n}.py`, dagText(n, modules));
  return texts;
}

const kinds = ['operators', 'settings', 'clients', 'tables'] as const;

const names = (modules: number): readonly string[] =>
  Array.from({ length: modules }, (_, n) => `${kinds[n % kinds.length]}_${n}`);

function moduleText(n: number): string {
  const before =
    n >= 4
      ? `from house.settings_${n - 3 - ((n - 3 - 1) % 4)} import TABLES_${n - 3 - ((n - 3 - 1) % 4)} as EARLIER\n`
      : '';
  switch (kinds[n % kinds.length]) {
    case 'operators':
      return `from airflow.models import BaseOperator
from airflow.providers.postgres.hooks.postgres import PostgresHook
${before}

class Load${n}(BaseOperator):
    template_fields = ("sql", "table")

    def __init__(self, table, query, *, keep=None, **kwargs):
        super().__init__(**kwargs)
        self.table = table
        self.sql = query
        self.keep = keep or {"days": ${n}, "rows": ${n * 10}}

    def _clear(self, hook, ds):
        hook.run(f"DELETE FROM {self.table} WHERE day = '{ds}'")

    def execute(self, context):
        hook = PostgresHook("dw")
        if self.keep.get("days"):
            self._clear(hook, context["ds"])
        hook.run(f"INSERT INTO {self.table} {self.sql}")
`;
    case 'settings':
      return `import os
${before}
ENV = os.environ.get("ENVIRONMENT", "dev")
TABLES_${n} = {
${Array.from({ length: 60 }, (_, row) => `    "table_${n}_${row}": {"schema": "mart_${row % 7}", "owner": "team_${row % 5}", "columns": ["id", "day", "value_${row}"], "keep": ${row}},`).join('\n')}
}


def table_of(name):
    found = TABLES_${n}[name]
    return "{}.{}".format(found["schema"], name)


ALL_${n} = [table_of(name) for name in TABLES_${n}]
`;
    case 'clients':
      return `from airflow.hooks.base import BaseHook
from airflow.providers.postgres.hooks.postgres import PostgresHook
${before}

class Client${n}(PostgresHook):
    def rows(self, table, day):
        query = "SELECT * FROM %s WHERE day = '%s'" % (table, day)
        return self.get_records(query)

    def send(self, statements):
        for statement in statements:
            self.run(statement)


def statements_for(table, days):
    return [f"DELETE FROM {table} WHERE day = '{day}'" for day in range(days)]
`;
    default:
      return `from dataclasses import dataclass, field
${before}

@dataclass
class Table${n}:
    name: str
    schema: str = "mart"
    columns: list = field(default_factory=list)

    @property
    def full(self):
        return f"{self.schema}.{self.name}"


KNOWN_${n} = {f"t_{i}": Table${n}(f"t_{i}", columns=["a", "b"]) for i in range(40)}
NAMES_${n} = ", ".join(table.full for table in KNOWN_${n}.values())
`;
  }
}

function dagText(n: number, modules: number): string {
  const operator = (n % modules) - ((n % modules) % 4);
  const settings = Math.min(operator + 1, modules - 1);
  return `from datetime import datetime
from airflow import DAG
from airflow.operators.python import PythonOperator
from house.everything import *
from house.operators_${operator} import Load${operator}
from house import ${settings % 4 === 1 ? `settings_${settings}` : 'settings_1'} as settings


def work(ds, **kwargs):
    client = Client2("dw")
    client.send([f"DELETE FROM mart.work_${n} WHERE day = '{ds}'", f"INSERT INTO mart.work_${n} SELECT * FROM mart.load_${n} WHERE day = '{ds}'"])


with DAG("dag_${n}", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False) as dag:
    load = Load${operator}(task_id="load", table="mart.load_${n}", query="SELECT * FROM raw.source_${n % 50} WHERE day = '{{ ds }}'")
    after = PythonOperator(task_id="work", python_callable=work)
    load >> after
    for name in list(settings.ENV)[:0]:
        Load${operator}(task_id=name, table=name, query="SELECT 1")
`;
}
