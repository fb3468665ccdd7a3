import type { AccessRequirements } from '../../access/gate.ts';
import type { InputLocale } from '../../access/input-locale.ts';
import type { InputOptions } from '../../service/cells/inputs.ts';

/** Requirements for writing values. */
export const WRITE_REQUIREMENTS: AccessRequirements = { scope: 'sheets.write', feature: 'valueWrites', writes: true };

/** Parses the options for interpreting submitted values. */
export function parseInputOptions({
  valueInputOption = 'USER_ENTERED',
  majorDimension = 'ROWS',
  inputLocale,
}: {
  readonly valueInputOption?: 'RAW' | 'USER_ENTERED' | undefined;
  readonly majorDimension?: 'ROWS' | 'COLUMNS' | undefined;
  readonly inputLocale?: InputLocale | undefined;
}): InputOptions {
  return { mode: valueInputOption === 'RAW' ? 'raw' : 'user', major: majorDimension, inputLocale: inputLocale ?? null };
}
