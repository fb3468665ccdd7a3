import type { Sheet, Snapshot } from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
import { MAX_GOOGLE_RANGES } from '../../limits/google.ts';
import { getDocument } from '../../service/document/list-documents.ts';
import type { UserEmails } from '../../service/google/document-emails.ts';
import { type ClosedRange, WHOLE_SHEET } from '../a1.ts';
import {
  type GoogleAnswer,
  type GoogleCall,
  type GoogleMethod,
  openCallReading,
  READS,
  requireCallDocument,
  requireRequestBody,
  requireSuccess,
} from '../call.ts';
import { compileMask, type FieldMask, findMemberMask, includesPath, selectMembers } from '../field-mask.ts';
import { readFlag, readObjects } from '../json.ts';
import { createInvalidProblem } from '../problem.ts';
import { isQueryFlagSet } from '../values/options.ts';
import { resolveFilters, toGridRange } from './filters.ts';
import { writeGridData } from './grid-data.ts';
import { toGroupAnswers } from './groups.ts';
import { readMetadata, toMetadataAnswer } from './metadata.ts';
import { describeSheet, describeSpreadsheet, listNamedRanges } from './properties.ts';
import { readEditorEmails } from './protected-ranges.ts';
import { clampToGrid, type ResolvedRange, resolveA1 } from './resolve.ts';
import { readSheetId } from './state.ts';
import { readBasicFilter, readFilterViews } from './stored-filters.ts';
import { describeStoredObjects } from './stored-objects.ts';

/** The requested parts of a spreadsheet. */
interface SpreadsheetRequest {
  readonly mask: FieldMask;
  /** Null: all sheets. */
  readonly places: ((snapshot: Snapshot) => readonly ResolvedRange[]) | null;
  readonly withData: boolean;
}

/** The mask of a request, and whether cells are requested. A mask that names cells is sufficient. */
function parseSheetsRequest(
  fields: string | null,
  includeGridData: boolean,
  resolveRanges: SpreadsheetRequest['places'],
): SpreadsheetRequest {
  if (fields === null || fields === '') return { mask: null, places: resolveRanges, withData: includeGridData };
  const mask = compileMask(fields);
  const isAll = mask === null || (mask.has('sheets') && mask.get('sheets') === null);
  return { mask, places: resolveRanges, withData: isAll ? includeGridData : includesPath(mask, 'sheets', 'data') };
}

/** GET `spreadsheets/{id}`. */
export const getSpreadsheet: GoogleMethod = {
  requires: READS,
  writes: false,
  async run(call) {
    const { query } = call;
    const ranges = query.getAll('ranges').filter((range) => range !== '');
    if (ranges.length > MAX_GOOGLE_RANGES)
      throw createInvalidProblem(`A request can name ${MAX_GOOGLE_RANGES} ranges at most.`);
    const places =
      ranges.length === 0 ? null : (snapshot: Snapshot) => ranges.map((range) => resolveA1(snapshot, range));
    return answerSpreadsheet(
      call,
      parseSheetsRequest(query.get('fields'), isQueryFlagSet(query.get('includeGridData')), places),
    );
  },
};

/** POST `spreadsheets/{id}:getByDataFilter`. */
export const getByDataFilter: GoogleMethod = {
  requires: READS,
  writes: false,
  async run(call) {
    const body = requireRequestBody(call, ['dataFilters', 'includeGridData', 'excludeTablesInBandedRanges']);
    const filters = readObjects(body, 'dataFilters', '') ?? [];
    const places =
      filters.length === 0
        ? null
        : (snapshot: Snapshot) =>
            resolveFilters(snapshot, filters, requireCallDocument(call)).map(({ place }) => place);
    return answerSpreadsheet(
      call,
      parseSheetsRequest(call.query.get('fields'), readFlag(body, 'includeGridData', '') ?? false, places),
    );
  },
};

async function answerSpreadsheet(call: GoogleCall, request: SpreadsheetRequest): Promise<GoogleAnswer> {
  const access = requireCallDocument(call);
  const { snapshot } = await openCallReading(call);
  const { document } = requireSuccess(await getDocument(call.context, access));
  const emails = await readEditorEmails(call.context, access, snapshot);
  const source = { snapshot, title: document.title, access, origin: call.origin, emails };
  // Errors in the ranges are reported before the answer begins.
  const places = request.places?.(snapshot) ?? null;
  return { kind: 'pieces', pieces: writeSpreadsheet(source, { ...request, places: places && (() => places) }) };
}

interface SpreadsheetSource {
  readonly snapshot: Snapshot;
  readonly title: string;
  readonly access: DocumentAccess;
  readonly origin: string;
  readonly emails: UserEmails;
}

/** A `Spreadsheet` as JSON text in pieces. Cells are converted while they are sent. */
export function* writeSpreadsheet(
  { snapshot, title, access, origin, emails }: SpreadsheetSource,
  { mask, places: placesIn, withData }: SpreadsheetRequest,
): Generator<string> {
  const { documentId } = access;
  const places = placesIn?.(snapshot) ?? null;
  let separator = '';
  const writeMember = (name: string, value: unknown): string => {
    const below = findMemberMask(mask, name);
    const left = below === undefined || value === undefined ? undefined : selectMembers(value, below);
    if (left === undefined) return '';
    const text = `${separator}"${name}":${JSON.stringify(left)}`;
    separator = ',';
    return text;
  };
  yield '{';
  yield writeMember('spreadsheetId', documentId);
  yield writeMember(
    'properties',
    findMemberMask(mask, 'properties') === undefined ? undefined : describeSpreadsheet(snapshot, title),
  );
  const sheets = findMemberMask(mask, 'sheets');
  if (sheets !== undefined) {
    yield `${separator}"sheets":[`;
    separator = ',';
    const shown = snapshot.sheets.flatMap((sheet, index) => {
      const own = places?.filter((place) => place.sheet.id === sheet.id) ?? null;
      return own?.length === 0 ? [] : [{ sheet, index, places: own }];
    });
    for (const [i, one] of shown.entries()) {
      if (i > 0) yield ',';
      yield* writeSheet(snapshot, one, { access, emails }, { mask: sheets, withData });
    }
    yield ']';
  }
  const namedRangeAnswers =
    findMemberMask(mask, 'namedRanges') === undefined ? [] : listNamedRanges(snapshot).map(({ answer }) => answer);
  yield writeMember('namedRanges', namedRangeAnswers.length === 0 ? undefined : namedRangeAnswers);
  yield writeMember('spreadsheetUrl', `${origin}/documents/${documentId}`);
  const metadata =
    findMemberMask(mask, 'developerMetadata') === undefined
      ? []
      : readMetadata(snapshot).filter(({ sheet }) => sheet === null);
  yield writeMember('developerMetadata', metadata.length === 0 ? undefined : metadata.map(toMetadataAnswer));
  yield '}';
}

interface GoogleSheetPart {
  readonly sheet: Sheet;
  readonly index: number;
  readonly places: readonly ResolvedRange[] | null;
}

/** The JSON text of a sheet in pieces, with the members of the mask; only `properties` if its values are hidden. */
function* writeSheet(
  snapshot: Snapshot,
  { sheet, index, places }: GoogleSheetPart,
  { access, emails }: Pick<SpreadsheetSource, 'access' | 'emails'>,
  { mask, withData }: { readonly mask: FieldMask; readonly withData: boolean },
): Generator<string> {
  const isHidden = access.hiddenSheets.has(sheet.id);
  const rest: Record<string, unknown> = {};
  const addMember = (name: string, make: () => unknown) => {
    const below = findMemberMask(mask, name);
    if (below === undefined) return;
    const left = selectMembers(make(), below);
    if (left !== undefined) rest[name] = left;
  };
  addMember('properties', () => describeSheet(sheet, index));
  if (!isHidden)
    for (const [name, make] of Object.entries(describeSheetLists(snapshot, sheet, access, emails)))
      addMember(name, () => omitEmptyList(make()));
  if (!isHidden) addMember('basicFilter', () => readBasicFilter(snapshot, sheet));
  const data = findMemberMask(mask, 'data');
  const text = JSON.stringify(rest);
  if (!withData || data === undefined || isHidden) return yield text;
  yield text === '{}' ? '{"data":[' : `${text.slice(0, -1)},"data":[`;
  for (const [i, place] of (places ?? [clampToGrid(sheet, WHOLE_SHEET, true)]).entries()) {
    if (i > 0) yield ',';
    yield* writeGridData(snapshot, place, data);
  }
  yield ']}';
}

/** The list, or undefined if it is empty, so that JSON leaves it out. */
function omitEmptyList(list: readonly unknown[]): readonly unknown[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** The lists of a sheet, apart from its properties and cells. */
function describeSheetLists(
  snapshot: Snapshot,
  sheet: Sheet,
  access: DocumentAccess,
  emails: UserEmails,
): Readonly<Record<string, () => readonly unknown[]>> {
  const sheetId = readSheetId(sheet);
  return {
    merges: () => listMergedAreas(sheet).map((area) => toGridRange(sheetId, area)),
    filterViews: () => readFilterViews(snapshot, sheet),
    ...describeStoredObjects(snapshot, sheet, access, emails),
    rowGroups: () => toGroupAnswers(sheet, 'rows', sheetId),
    columnGroups: () => toGroupAnswers(sheet, 'columns', sheetId),
    developerMetadata: () =>
      readMetadata(snapshot)
        .filter((one) => one.sheet === sheet && one.lines === null)
        .map(toMetadataAnswer),
  };
}

function listMergedAreas({ layout }: Sheet): readonly ClosedRange[] {
  return layout.merges;
}
