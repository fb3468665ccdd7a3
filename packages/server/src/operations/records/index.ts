import { appendRecords } from './append-records.ts';
import { deleteRecords } from './delete-records.ts';
import { getRecords } from './get-records.ts';
import { queryRecords } from './query-records.ts';
import { updateRecords } from './update-records.ts';
import { upsertRecords } from './upsert-records.ts';

/** Operations in the order of the API's reference. */
export const RECORD_OPERATIONS = [getRecords, queryRecords, appendRecords, upsertRecords, updateRecords, deleteRecords];
