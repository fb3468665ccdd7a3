import { foldName } from '../value/fold.ts';

/**
 * The key of a sheet, name, table or column. It is equal for spellings that differ in letter case or in the Unicode
 * form of accented letters.
 */
export const nameKey: (name: string) => string = foldName;
