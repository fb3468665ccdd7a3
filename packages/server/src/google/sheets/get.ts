import type { Sheet, Snapshot } from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
import { MAX_GOOGLE_RANGES } from '../../limits/google.ts';
import { getDocument } from '../../service/document/list-documents.ts';
import type { UserEmails } from '../../service/google/document-emails.ts';
import { type ClosedRange, WHOLE } from '../a1.ts';
import {
  bodyOf,
  documentOf,
  type GoogleAnswer,
  type GoogleCall,
  type GoogleMethod,
  READS,
  readingOf,
  requireSuccess,
} from '../call.ts';
import { compileMask, type Mask, maskOf, names, selectMembers } from '../field-mask.ts';
import { flag, objects, refuseUnknown } from '../json.ts';
import { invalid } from '../problem.ts';
import { isOn } from '../values/options.ts';
import { gridRangeAnswer, resolveFilters } from './filters.ts';
import { gridData } from './grid-data.ts';
import { groupAnswers } from './groups.ts';
import { metadataAnswer, metadataOf } from './metadata.ts';
import { namedRanges, sheetProperties, spreadsheetProperties } from './properties.ts';
import { editorEmails } from './protected.ts';
import { placeOf, type ResolvedRange, resolveA1 } from './resolve.ts';
import { sheetIdOf } from './state.ts';
import { basicFilterOf, filterViewsOf } from './stored-filters.ts';
import { storedObjects } from './stored-objects.ts';

/** The requested parts of a spreadsheet. */
interface SpreadsheetRequest {
  readonly mask: Mask;
  /** Null: all sheets. */
  readonly places: ((snapshot: Snapshot) => readonly ResolvedRange[]) | null;
  readonly withData: boolean;
}

/** The mask of a request, and whether cells are requested. A mask that names cells is sufficient. */
export function requestOf(
  fields: string | null,
  includeGridData: boolean,
  places: SpreadsheetRequest['places'],
): SpreadsheetRequest {
  if (fields === null || fields === '') return { mask: null, places, withData: includeGridData };
  const mask = compileMask(fields);
  const isAll = mask === null || (mask.has('sheets') && mask.get('sheets') === null);
  return { mask, places, withData: isAll ? includeGridData : names(mask, 'sheets', 'data') };
}

/** GET `spreadsheets/{id}`. */
export const getSpreadsheet: GoogleMethod = {
  requires: READS,
  writes: false,
  async run(call) {
    const { query } = call;
    const ranges = query.getAll('ranges').filter((range) => range !== '');
    if (ranges.length > MAX_GOOGLE_RANGES) throw invalid(`A request can name ${MAX_GOOGLE_RANGES} ranges at most.`);
    const places =
      ranges.length === 0 ? null : (snapshot: Snapshot) => ranges.map((range) => resolveA1(snapshot, range));
    return spreadsheetAnswer(call, requestOf(query.get('fields'), isOn(query.get('includeGridData')), places));
  },
};

/** POST `spreadsheets/{id}:getByDataFilter`. */
export const getByDataFilter: GoogleMethod = {
  requires: READS,
  writes: false,
  async run(call) {
    const body = bodyOf(call);
    refuseUnknown(body, ['dataFilters', 'includeGridData', 'excludeTablesInBandedRanges'], '');
    const filters = objects(body, 'dataFilters', '') ?? [];
    const places =
      filters.length === 0
        ? null
        : (snapshot: Snapshot) => resolveFilters(snapshot, filters, documentOf(call)).map(({ place }) => place);
    return spreadsheetAnswer(
      call,
      requestOf(call.query.get('fields'), flag(body, 'includeGridData', '') ?? false, places),
    );
  },
};

async function spreadsheetAnswer(call: GoogleCall, request: SpreadsheetRequest): Promise<GoogleAnswer> {
  const access = documentOf(call);
  const { snapshot } = await readingOf(call);
  const { document } = requireSuccess(await getDocument(call.context, access));
  const emails = await editorEmails(call.context, access, snapshot);
  const source = { snapshot, title: document.title, access, origin: call.origin, emails };
  // Errors in the ranges are reported before the answer begins.
  const places = request.places?.(snapshot) ?? null;
  return { kind: 'pieces', pieces: spreadsheetPieces(source, { ...request, places: places && (() => places) }) };
}

interface SpreadsheetSource {
  readonly snapshot: Snapshot;
  readonly title: string;
  readonly access: DocumentAccess;
  readonly origin: string;
  readonly emails: UserEmails;
}

/** A `Spreadsheet` as JSON text in pieces. Cells are converted while they are sent. */
export function* spreadsheetPieces(
  { snapshot, title, access, origin, emails }: SpreadsheetSource,
  { mask, places: placesIn, withData }: SpreadsheetRequest,
): Generator<string> {
  const { documentId } = access;
  const places = placesIn?.(snapshot) ?? null;
  let separator = '';
  const member = (name: string, value: unknown): string => {
    const below = maskOf(mask, name);
    const left = below === undefined || value === undefined ? undefined : selectMembers(value, below);
    if (left === undefined) return '';
    const text = `${separator}"${name}":${JSON.stringify(left)}`;
    separator = ',';
    return text;
  };
  yield '{';
  yield member('spreadsheetId', documentId);
  yield member(
    'properties',
    maskOf(mask, 'properties') === undefined ? undefined : spreadsheetProperties(snapshot, title),
  );
  const sheets = maskOf(mask, 'sheets');
  if (sheets !== undefined) {
    yield `${separator}"sheets":[`;
    separator = ',';
    const shown = snapshot.sheets.flatMap((sheet, index) => {
      const own = places?.filter((place) => place.sheet.id === sheet.id) ?? null;
      return own?.length === 0 ? [] : [{ sheet, index, places: own }];
    });
    for (const [i, one] of shown.entries()) {
      if (i > 0) yield ',';
      yield* sheetPieces(snapshot, one, { access, emails }, { mask: sheets, withData });
    }
    yield ']';
  }
  const namedRangeAnswers =
    maskOf(mask, 'namedRanges') === undefined ? [] : namedRanges(snapshot).map(({ answer }) => answer);
  yield member('namedRanges', namedRangeAnswers.length === 0 ? undefined : namedRangeAnswers);
  yield member('spreadsheetUrl', `${origin}/documents/${documentId}`);
  const metadata =
    maskOf(mask, 'developerMetadata') === undefined ? [] : metadataOf(snapshot).filter(({ sheet }) => sheet === null);
  yield member('developerMetadata', metadata.length === 0 ? undefined : metadata.map(metadataAnswer));
  yield '}';
}

interface GoogleSheetPart {
  readonly sheet: Sheet;
  readonly index: number;
  readonly places: readonly ResolvedRange[] | null;
}

function* sheetPieces(
  snapshot: Snapshot,
  { sheet, index, places }: GoogleSheetPart,
  { access, emails }: Pick<SpreadsheetSource, 'access' | 'emails'>,
  { mask, withData }: { readonly mask: Mask; readonly withData: boolean },
): Generator<string> {
  const isHidden = access.hiddenSheets.has(sheet.id);
  const rest: Record<string, unknown> = {};
  const add = (name: string, make: () => unknown) => {
    const below = maskOf(mask, name);
    if (below === undefined) return;
    const left = selectMembers(make(), below);
    if (left !== undefined) rest[name] = left;
  };
  add('properties', () => sheetProperties(sheet, index));
  if (!isHidden)
    for (const [name, make] of Object.entries(partsOf(snapshot, sheet, access, emails)))
      add(name, () => omitIfEmpty(make()));
  if (!isHidden) add('basicFilter', () => basicFilterOf(snapshot, sheet));
  const data = maskOf(mask, 'data');
  const text = JSON.stringify(rest);
  if (!withData || data === undefined || isHidden) return yield text;
  yield text === '{}' ? '{"data":[' : `${text.slice(0, -1)},"data":[`;
  for (const [i, place] of (places ?? [placeOf(sheet, WHOLE, true)]).entries()) {
    if (i > 0) yield ',';
    yield* gridData(snapshot, place, data);
  }
  yield ']}';
}

function omitIfEmpty(list: readonly unknown[]): readonly unknown[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** The lists of a sheet, apart from its properties and cells. */
function partsOf(
  snapshot: Snapshot,
  sheet: Sheet,
  access: DocumentAccess,
  emails: UserEmails,
): Readonly<Record<string, () => readonly unknown[]>> {
  const sheetId = sheetIdOf(sheet);
  return {
    merges: () => mergesOf(sheet).map((area) => gridRangeAnswer(sheetId, area)),
    filterViews: () => filterViewsOf(snapshot, sheet),
    ...storedObjects(snapshot, sheet, access, emails),
    rowGroups: () => groupAnswers(sheet, 'rows', sheetId),
    columnGroups: () => groupAnswers(sheet, 'columns', sheetId),
    developerMetadata: () =>
      metadataOf(snapshot)
        .filter((one) => one.sheet === sheet && one.lines === null)
        .map(metadataAnswer),
  };
}

function mergesOf({ layout }: Sheet): readonly ClosedRange[] {
  return layout.merges;
}
