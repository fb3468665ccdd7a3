import { batchUpdate } from '../batch/batch-update-method.ts';
import type { GoogleAnswer, GoogleMethod } from '../call.ts';
import { compileMask, type FieldMask, selectMembers } from '../field-mask.ts';
import { createInvalidFieldsProblem, type Problem } from '../problem.ts';
import { createSpreadsheet } from '../sheets/create.ts';
import { getByDataFilter, getSpreadsheet } from '../sheets/get.ts';
import { getMetadata, searchMetadata } from '../sheets/metadata-methods.ts';
import { batchClearByDataFilter, batchClearValues, clearValues } from '../values/clear-methods.ts';
import { batchGetByDataFilter, batchGetValues, getValues } from '../values/read-methods.ts';
import { appendValues, batchUpdateByDataFilter, batchUpdateValues, updateValues } from '../values/write-methods.ts';

/** The members of an answer by name, as far as masks are checked; null: the members below are not checked. */
interface AnswerMembers {
  readonly [name: string]: AnswerMembers | null;
}

/** Members that have no members of their own, from names separated by blanks. */
function parseMemberNames(names: string): AnswerMembers {
  return Object.fromEntries(names.split(' ').map((name) => [name, null]));
}

const CELL = parseMemberNames(
  'userEnteredValue effectiveValue formattedValue userEnteredFormat effectiveFormat hyperlink note textFormatRuns ' +
    'dataValidation pivotTable dataSourceTable dataSourceFormula chipRuns',
);
const SHEET: AnswerMembers = {
  ...parseMemberNames(
    'merges conditionalFormats filterViews protectedRanges basicFilter charts bandedRanges developerMetadata ' +
      'rowGroups columnGroups slicers tables',
  ),
  properties: parseMemberNames(
    'sheetId title index sheetType gridProperties hidden tabColor tabColorStyle rightToLeft dataSourceSheetProperties',
  ),
  data: { ...parseMemberNames('startRow startColumn rowMetadata columnMetadata'), rowData: { values: CELL } },
};
const SPREADSHEET: AnswerMembers = {
  ...parseMemberNames('spreadsheetId spreadsheetUrl developerMetadata dataSources dataSourceSchedules'),
  properties: parseMemberNames(
    'title locale autoRecalc timeZone defaultFormat iterativeCalculationSettings spreadsheetTheme ' +
      'importFunctionsExternalUrlAccessAllowed',
  ),
  sheets: SHEET,
  namedRanges: parseMemberNames('namedRangeId name range'),
};
const VALUES = parseMemberNames('range majorDimension values');
const UPDATE: AnswerMembers = {
  ...parseMemberNames('spreadsheetId updatedRange updatedRows updatedColumns updatedCells'),
  updatedData: VALUES,
};
const UPDATES: AnswerMembers = {
  ...parseMemberNames('spreadsheetId totalUpdatedRows totalUpdatedColumns totalUpdatedCells totalUpdatedSheets'),
  responses: UPDATE,
};
const CLEARED = parseMemberNames('spreadsheetId clearedRanges');

/** Google's names of the members of answers: https://developers.google.com/sheets/api/reference/rest */
const MEMBERS: ReadonlyMap<GoogleMethod, AnswerMembers> = new Map<GoogleMethod, AnswerMembers>([
  [createSpreadsheet, SPREADSHEET],
  [getSpreadsheet, SPREADSHEET],
  [getByDataFilter, SPREADSHEET],
  [batchUpdate, { spreadsheetId: null, replies: null, updatedSpreadsheet: SPREADSHEET }],
  [getValues, VALUES],
  [batchGetValues, { spreadsheetId: null, valueRanges: VALUES }],
  [batchGetByDataFilter, { spreadsheetId: null, valueRanges: { valueRange: VALUES, dataFilters: null } }],
  [updateValues, UPDATE],
  [appendValues, { spreadsheetId: null, tableRange: null, updates: UPDATE }],
  [batchUpdateValues, UPDATES],
  [batchUpdateByDataFilter, { ...UPDATES, responses: { ...UPDATE, dataFilter: null } }],
  [clearValues, parseMemberNames('spreadsheetId clearedRange')],
  [batchClearValues, CLEARED],
  [batchClearByDataFilter, CLEARED],
  [searchMetadata, parseMemberNames('matchedDeveloperMetadata')],
  [getMetadata, parseMemberNames('metadataId metadataKey metadataValue location visibility')],
]);

/** Methods that read the mask themselves, because they send their answers in pieces. */
const SELECTING: ReadonlySet<GoogleMethod> = new Set([createSpreadsheet, getSpreadsheet, getByDataFilter, batchUpdate]);

/**
 * The field mask of a request of the Sheets API, if its answer must still be reduced to it; null if there is none or
 * the method applies it itself. Throws if the mask names a member that the answer cannot have.
 */
export function parseAnswerMask(method: GoogleMethod, fields: string | null): FieldMask {
  const members = MEMBERS.get(method);
  if (members === undefined || fields === null || fields === '') return null;
  const mask = compileMask(fields);
  refuseUnknownPath(mask, members, [], fields);
  return SELECTING.has(method) ? null : mask;
}

/** Throws a `Problem` for the first path of the mask that answers never contain. `above` is the path so far. */
function refuseUnknownPath(
  mask: FieldMask,
  members: AnswerMembers | null,
  above: readonly string[],
  fields: string,
): void {
  if (mask === null || members === null) return;
  for (const [name, below] of mask) {
    const path = [...above, name];
    if (name !== '*' && !Object.hasOwn(members, name)) throw createUnknownPathProblem(path.join('.'), fields);
    const next = name === '*' ? null : (members[name] ?? null);
    refuseUnknownPath(below, next, path, fields);
  }
}

function createUnknownPathProblem(path: string, field: string): Problem {
  const description = `Error expanding 'fields' parameter. Cannot find matching fields for path '${path}'.`;
  return createInvalidFieldsProblem('Request contains an invalid argument.', [{ field, description }]);
}

/** The part of a JSON answer that a mask includes. */
export function selectAnswer(answer: GoogleAnswer, mask: FieldMask): GoogleAnswer {
  if (mask === null) return answer;
  if (answer.kind === 'json') return { kind: 'json', body: selectMembers(answer.body, mask) };
  if (answer.kind !== 'text') return answer;
  return { kind: 'json', body: selectMembers(JSON.parse(answer.text.toString()), mask) };
}
