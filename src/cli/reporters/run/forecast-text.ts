import type { Colors } from 'picocolors/types';
import { type Forecast, forecastInWords } from '../../../core/run/unit/forecast.ts';

/** What a run or a preview will read, write, lock and leave, one subject a line. */
export const forecastText = (forecast: Forecast, colors: Colors): string =>
  `${forecastInWords(forecast)
    .map(({ about, text }) => `${colors.bold(about.padEnd(6))}  ${text}`)
    .join('\n')}\n`;
