import type { FileNames } from '../formula/index.ts';
import { collectBoundNames } from './bound-names.ts';
import { FUNCTIONS } from './catalogue.ts';
import { getStoredName } from './stored-names.ts';

/** Functions as workbook files write them. */
export const FILE_NAMES: FileNames = {
  getStoredName,
  listBoundNames: collectBoundNames,
  isFunction: (name) => FUNCTIONS.has(name),
};
