import type { GoogleMethod } from '../call.ts';
import { invalidFieldProblem } from '../problem.ts';
import { getSpreadsheet } from '../sheets/get.ts';
import { batchGetValues, getValues } from '../values/read-methods.ts';
import { appendValues, updateValues } from '../values/write-methods.ts';

/** Parameters of all methods. */
const STANDARD = [
  '$.xgafv',
  'access_token',
  'alt',
  'callback',
  'fields',
  'key',
  'oauth_token',
  'prettyPrint',
  'quotaUser',
  'uploadType',
  'upload_protocol',
  'userIp',
];
const READ = ['majorDimension', 'valueRenderOption', 'dateTimeRenderOption'];
const WRITE = [
  'valueInputOption',
  'includeValuesInResponse',
  'responseValueRenderOption',
  'responseDateTimeRenderOption',
];

const OWN: ReadonlyMap<GoogleMethod, readonly string[]> = new Map([
  [getSpreadsheet, ['ranges', 'includeGridData', 'excludeTablesInBandedRanges']],
  [getValues, READ],
  [batchGetValues, ['ranges', ...READ]],
  [updateValues, WRITE],
  [appendValues, [...WRITE, 'insertDataOption']],
]);

/** The query parameters of a method of the Sheets API. */
export function listQueryParameters(method: GoogleMethod): readonly string[] {
  return [...STANDARD, ...(OWN.get(method) ?? [])];
}

/** Throws if a request has a query parameter that its method does not have. */
export function refuseUnknownParameters(query: URLSearchParams, supported: readonly string[] | null): void {
  if (supported === null) return;
  for (const name of query.keys()) if (!supported.includes(name)) throw unknownParameterProblem(name);
}

function unknownParameterProblem(name: string) {
  const shown = name.slice(0, MAX_SHOWN_NAME);
  return invalidFieldProblem(
    shown,
    `Invalid JSON payload received. Unknown name "${shown}": Cannot bind query parameter. ` +
      `Field '${shown}' could not be found in request message.`,
  );
}

const MAX_SHOWN_NAME = 100;
