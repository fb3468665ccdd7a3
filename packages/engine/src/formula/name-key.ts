import { foldName } from '../value/fold.ts';

/**
 * What two spellings of the name of a sheet, defined name, table or column share when they are the same name: neither
 * letter case nor the Unicode form of an accented letter tells names apart.
 */
export const nameKey: (name: string) => string = foldName;
