import { appendValues } from './append-values.ts';
import { batchGetAcrossDocuments } from './batch-get-across-documents.ts';
import { batchGetValues } from './batch-get-values.ts';
import { batchUpdateValues } from './batch-update-values.ts';
import { clearValues } from './clear-values.ts';
import { getValues } from './get-values.ts';
import { putValues } from './put-values.ts';

/** Operations in the order of the API's reference. */
export const VALUE_OPERATIONS = [
  getValues,
  batchGetValues,
  batchGetAcrossDocuments,
  putValues,
  batchUpdateValues,
  appendValues,
  clearValues,
];
