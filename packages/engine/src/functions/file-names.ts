import type { FileNames } from '../formula/index.ts';
import { boundNames } from './bound-names.ts';
import { FUNCTIONS } from './catalogue.ts';
import { storedName } from './stored-names.ts';

/** Functions as workbook files write them. */
export const FILE_NAMES: FileNames = { storedName, boundNames, isFunction: (name) => FUNCTIONS.has(name) };
