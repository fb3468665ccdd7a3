import type { Extent, Sheet } from './snapshot.ts';

/** The sheet's used extent: rows and columns up to the last that hold a value or formula. */
export function usedExtent(sheet: Sheet): Extent {
  return sheet.extent();
}
