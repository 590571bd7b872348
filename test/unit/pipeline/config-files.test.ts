import { expect, test } from 'vitest';
import { readTasks, statementsInWords } from '../../support/read-tasks.ts';

const dag = (load: string): string => `
import json
from pathlib import Path
import yaml
from airflow import DAG
from airflow.providers.postgres.operators.postgres import PostgresOperator

${load}

with DAG("d"):
    for table in config["tables"]:
        PostgresOperator(
            task_id=table["name"],
            sql=f"INSERT INTO {config['schema']}.{table['name']} SELECT * FROM {table.get('source', 'raw')}",
        )
`;

const yaml = 'schema: shop\ntables:\n  - name: orders\n    source: raw.orders\n  - name: items\n';
const json = JSON.stringify({ schema: 'shop', tables: [{ name: 'orders', source: 'raw.orders' }, { name: 'items' }] });

test.each([
  ['with open("config/shop.yaml") as file:\n    config = yaml.safe_load(file)', 'config/shop.yaml', yaml],
  ['config = yaml.safe_load((Path(__file__).parent / "shop.yml").read_text())', 'dags/shop.yml', yaml],
  ['config = yaml.load(open("/opt/airflow/dags/shop.yml"), Loader=yaml.FullLoader)', 'dags/shop.yml', yaml],
  ['with open(Path(__file__).parent / "shop.json") as file:\n    config = json.load(file)', 'dags/shop.json', json],
  ['config = json.loads(Path("shop.json").read_text())', 'shop.json', json],
])('tasks of a file of settings: %s', (load, path, text) => {
  const tasks = readTasks(dag(load), { [path]: text });
  expect(tasks.map(({ name }) => name)).toEqual(['orders', 'items']);
  expect(tasks.map(statementsInWords)).toEqual([['insert shop.orders < raw.orders'], ['insert shop.items < raw']]);
});

test.each(['schema: [', 'a: &a\n  b: *a', 'tables: 2026-11-28', '', '- x'])(
  'settings that say something else: %j',
  (text) => {
    const load = 'config = yaml.safe_load(open("shop.yml"))';
    expect(readTasks(dag(load), { 'shop.yml': text }).flatMap(statementsInWords)).not.toContain('insert shop.orders');
  },
);
