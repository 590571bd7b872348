import { expect, test } from 'vitest';
import { defaultReaderOptions, type ReaderOptions } from '../../../src/core/pipeline/model/reader-options.ts';
import {
  deployedEnvironment,
  settingsFor,
  workspaceSettings,
} from '../../../src/core/pipeline/readers/airflow/schedule/airflow-settings.ts';
import { fileSetOf } from '../../support/folder-files.ts';

function settings(files: Readonly<Record<string, string>>, options: Partial<ReaderOptions> = {}) {
  const all = { ...defaultReaderOptions, airflowVersion: 3 as const, ...options };
  return settingsFor('', workspaceSettings(fileSetOf(new Map(Object.entries(files))), all), all);
}

test.each([
  ['nothing said', {}, { catchupByDefault: false, cronIntervals: 'zero-width', deltaIntervals: 'zero-width' }],
  [
    'airflow.cfg',
    {
      'airflow.cfg': '[core]\ndefault_task_retries = 3 # twice is not enough\n[scheduler]\ncatchup_by_default = True\n',
    },
    { catchupByDefault: true, defaultRetries: 3 },
  ],
  [
    'the option for crons, which decides timedeltas too',
    { 'config/airflow.cfg': '[scheduler]\ncreate_cron_data_intervals = true\n' },
    { cronIntervals: 'tick-to-tick', deltaIntervals: 'tick-to-tick' },
  ],
  [
    'the option for timedeltas, which Airflow does not look at',
    { 'airflow.cfg': '[scheduler]\ncreate_delta_data_intervals = true\n' },
    { cronIntervals: 'zero-width', deltaIntervals: 'zero-width' },
  ],
  [
    'the environment of a compose file',
    { 'docker-compose.yaml': 'environment:\n  AIRFLOW__SCHEDULER__CREATE_CRON_DATA_INTERVALS: "True"\n' },
    { cronIntervals: 'tick-to-tick' },
  ],
  [
    'the environment of an image, which beats airflow.cfg',
    {
      Dockerfile: 'FROM apache/airflow:3.0.1\nENV AIRFLOW__CORE__DEFAULT_TIMEZONE=Europe/Berlin\n',
      'airflow.cfg': '[core]\ndefault_timezone = Asia/Tokyo\n',
    },
    { defaultZone: 'Europe/Berlin' },
  ],
  [
    'two environments that disagree, so neither counts',
    {
      'dev.env': 'AIRFLOW__SCHEDULER__CATCHUP_BY_DEFAULT=True\nAIRFLOW__CORE__DEFAULT_TASK_RETRIES=1\n',
      'prod.env': 'AIRFLOW__SCHEDULER__CATCHUP_BY_DEFAULT=False\nAIRFLOW__CORE__DEFAULT_TASK_RETRIES=1\n',
    },
    { catchupByDefault: false, defaultRetries: 1 },
  ],
] as const)('settings from %s', (_, files, expected) => {
  expect(settings(files)).toMatchObject(expected);
});

test('what the user sets beats the workspace', () => {
  const files = { 'airflow.cfg': '[scheduler]\ncreate_cron_data_intervals = True\n' };
  expect(settings(files, { createCronDataIntervals: false })).toMatchObject({
    cronIntervals: 'zero-width',
    deltaIntervals: 'zero-width',
  });
  expect(settings({}, { createDeltaDataIntervals: true })).toMatchObject({
    cronIntervals: 'zero-width',
    deltaIntervals: 'tick-to-tick',
  });
});

test('what decides intervals goes to an Airflow that is asked, and nothing else', () => {
  const files = {
    'airflow.cfg': '[core]\ndefault_timezone = Asia/Tokyo\nparallelism = 4\n[scheduler]\ncatchup_by_default = False\n',
    '.env': 'AIRFLOW__CORE__DEFAULT_TIMEZONE=Europe/Madrid\nAIRFLOW__SCHEDULER__CREATE_CRON_DATA_INTERVALS=$CRON\n',
  };
  expect(deployedEnvironment(fileSetOf(new Map(Object.entries(files))))).toEqual({
    AIRFLOW__CORE__DEFAULT_TIMEZONE: 'Europe/Madrid',
    AIRFLOW__SCHEDULER__CATCHUP_BY_DEFAULT: 'False',
  });
});
