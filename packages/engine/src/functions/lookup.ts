import { REFERENCES } from './lookup/references.ts';
import { TABLES } from './lookup/tables.ts';
import { XLOOKUPS } from './lookup/xlookup.ts';
import type { FunctionSpec } from './spec.ts';

export const LOOKUP: readonly FunctionSpec[] = [...TABLES, ...XLOOKUPS, ...REFERENCES];
