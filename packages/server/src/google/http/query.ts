import type { GoogleMethod } from '../call.ts';
import { createInvalidFieldProblem } from '../problem.ts';
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

const STANDARD_ONLY: ReadonlySet<string> = new Set(STANDARD);
const WITH_OWN: ReadonlyMap<GoogleMethod, ReadonlySet<string>> = new Map([
  [getSpreadsheet, new Set([...STANDARD, 'ranges', 'includeGridData', 'excludeTablesInBandedRanges'])],
  [getValues, new Set([...STANDARD, ...READ])],
  [batchGetValues, new Set([...STANDARD, 'ranges', ...READ])],
  [updateValues, new Set([...STANDARD, ...WRITE])],
  [appendValues, new Set([...STANDARD, ...WRITE, 'insertDataOption'])],
]);

/** The query parameters of a method of the Sheets API. */
export function findQueryParameters(method: GoogleMethod): ReadonlySet<string> {
  return WITH_OWN.get(method) ?? STANDARD_ONLY;
}

/** Throws if a request has a query parameter that its method does not have. */
export function refuseUnknownParameters(query: URLSearchParams, supported: ReadonlySet<string> | null): void {
  if (supported === null) return;
  for (const name of query.keys()) if (!supported.has(name)) throw createUnknownParameterProblem(name);
}

function createUnknownParameterProblem(name: string) {
  const shown = name.slice(0, MAX_SHOWN_NAME);
  return createInvalidFieldProblem(
    shown,
    `Invalid JSON payload received. Unknown name "${shown}": Cannot bind query parameter. ` +
      `Field '${shown}' could not be found in request message.`,
  );
}

const MAX_SHOWN_NAME = 100;
