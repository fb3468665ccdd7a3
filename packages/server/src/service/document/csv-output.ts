import type { CsvFormat } from '@cellwire/files';
import { invalidRequest, type Refusal } from '../refusal.ts';

export const EXPORT_FORMATS = ['xlsx', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Field delimiters of a `.csv` file, by their names in the API. */
export const EXPORT_DELIMITERS = [',', ';', '|', 'tab'] as const;

/** Requested form of a `.csv` file. */
export interface CsvOutput {
  readonly delimiter?: (typeof EXPORT_DELIMITERS)[number] | undefined;
  readonly decimal?: '.' | ',' | undefined;
  readonly bom?: boolean | undefined;
}

/** The options for a file of a format, or a refusal. */
export function toCsvFormat(format: ExportFormat, { delimiter, decimal, bom }: CsvOutput): CsvFormat | Refusal {
  const option = Object.entries({ delimiter, decimal, bom }).find(([, value]) => value !== undefined);
  if (format !== 'csv' && option) return invalidRequest(option[0], `${option[0]} applies to .csv files only`);
  return {
    ...(delimiter !== undefined && { delimiter: delimiter === 'tab' ? '\t' : delimiter }),
    ...(decimal !== undefined && { decimal }),
    ...(bom !== undefined && { bom }),
  };
}
