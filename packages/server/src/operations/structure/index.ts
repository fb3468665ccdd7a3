import { changeStructure } from './change-structure.ts';
import { listNames } from './list-names.ts';
import { listTables } from './list-tables.ts';

/** Operations in the order of the API's reference. */
export const STRUCTURE_OPERATIONS = [listNames, listTables, changeStructure];
