import type { Warehouse } from '../../warehouse/port/ports.ts';
import { surveyLake } from './survey-lake.ts';
import { type SliceSurvey, type SurveySlice, surveyLimitMs, surveySlices } from './survey-slices.ts';

/** A session that tables are counted in. */
export interface Survey {
  /** Throws {@link WarehouseError} where the connection is lost. */
  count(slices: readonly SurveySlice[]): Promise<SliceSurvey>;
  close(): Promise<void>;
}

/** `settings`: of the connection. Throws {@link WarehouseError}. */
export async function openSurvey(warehouse: Warehouse, settings: Readonly<Record<string, string>>): Promise<Survey> {
  const { lake } = warehouse;
  const session = lake === undefined ? await warehouse.connect('unit') : await lake.connect('own');
  return {
    count: (slices) =>
      lake === undefined ? surveySlices(session, slices, surveyLimitMs, settings) : surveyLake(session, slices),
    close: () => session.close(),
  };
}
