import type { FileNames } from '../formula/index.ts';
import { collectBoundNames } from './bound-names.ts';
import { FUNCTIONS } from './catalogue.ts';
import { storedName } from './stored-names.ts';

/** Functions as workbook files write them. */
export const FILE_NAMES: FileNames = {
  storedName,
  boundNames: collectBoundNames,
  isFunction: (name) => FUNCTIONS.has(name),
};
