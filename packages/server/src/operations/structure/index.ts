import { changeStructure } from './change-structure.ts';
import { listNames } from './list-names.ts';
import { listTables } from './list-tables.ts';

/** In the order of the API's reference. */
export const STRUCTURE_OPERATIONS = [listNames, listTables, changeStructure];
