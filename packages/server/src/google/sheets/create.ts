import type { LocaleId, Snapshot } from '@cellwire/engine';
import { withAccessRetry } from '../../service/access-retry.ts';
import { createDocumentFor } from '../../service/document/create.ts';
import type { DocumentView } from '../../service/document/list-documents.ts';
import { documentTitle } from '../../service/document/store-document.ts';
import { isRefusal } from '../../service/refusal.ts';
import { batchOf } from '../batch/apply.ts';
import { bodyOf, creatorActionOf, type GoogleCall, type GoogleMethod, requireSuccess, snapshotOf } from '../call.ts';
import { compileMask } from '../field-mask.ts';
import { object, objects, type RequestObject, refuseUnknown, text } from '../json.ts';
import { FORBIDDEN, invalid, Problem, problemOf } from '../problem.ts';
import { localeOfName, timeZoneOfName } from './document-settings.ts';
import { spreadsheetPieces } from './get.ts';
import { editorEmails } from './protected.ts';

const FIRST_SHEET_NAME = 'Sheet1';
const NEW_LOCALE: LocaleId = 'en-US';
const NEW_TIME_ZONE = 'Etc/GMT';
/** Members that Google has. Clients send all members of a spreadsheet that they have read. */
const SPREADSHEET_PROPERTIES = [
  'title',
  'locale',
  'autoRecalc',
  'timeZone',
  'defaultFormat',
  'iterativeCalculationSettings',
  'spreadsheetTheme',
  'importFunctionsExternalUrlAccessAllowed',
];

interface WantedSpreadsheet {
  readonly title: string;
  readonly locale?: LocaleId;
  readonly timeZone?: string;
  readonly firstSheet?: string;
}

/** Creates a document owned by the caller, with Google's defaults. */
export async function makeSpreadsheet(call: GoogleCall, spreadsheet: WantedSpreadsheet): Promise<DocumentView> {
  const { locale = NEW_LOCALE, timeZone = NEW_TIME_ZONE, firstSheet = FIRST_SHEET_NAME } = spreadsheet;
  const title = documentTitle(spreadsheet.title);
  if (isRefusal(title)) throw problemOf(title);
  const action = creatorActionOf(call);
  const order = { title, type: 'table', format: 'collaborative', locale, inputLocale: null } as const;
  const content = { kind: 'empty', locale, dateSystem: 'google', timeZone, firstSheet } as const;
  const { body } = requireSuccess(
    await withAccessRetry(call.context, action, (by) =>
      createDocumentFor(call.context, { by, keyed: null }, order, content, (document) => ({ document })),
    ),
  );
  return (JSON.parse(body) as { readonly document: DocumentView }).document;
}

/** POST `spreadsheets`. */
export const createSpreadsheet: GoogleMethod = {
  // Programs that write spreadsheets create them with the same scope.
  requires: { scope: 'sheets.write', createsDocument: true, feature: 'valueWrites' },
  writes: true,
  async run(call) {
    const { caller, query } = call;
    if (!caller.scopes.has('documents.write') && !call.isKey) throw new Problem(403, FORBIDDEN);
    const body = bodyOf(call);
    refuseUnknown(
      body,
      ['properties', 'sheets', 'namedRanges', 'developerMetadata', 'spreadsheetId', 'spreadsheetUrl'],
      '',
    );
    const mask = compileMask(query.get('fields') || '*');
    const properties = object(body, 'properties', '') ?? {};
    refuseUnknown(properties, SPREADSHEET_PROPERTIES, 'properties');
    const locale = text(properties, 'locale', 'properties');
    const timeZone = text(properties, 'timeZone', 'properties');
    const sheets = objects(body, 'sheets', '') ?? [];
    const requests = [...sheetRequests(sheets), ...nameRequests(objects(body, 'namedRanges', '') ?? [])];
    const documentView = await makeSpreadsheet(call, {
      title: text(properties, 'title', 'properties') || 'Untitled spreadsheet',
      ...(locale ? { locale: localeOfName(locale) } : {}),
      ...(timeZone ? { timeZone: timeZoneOfName(timeZone) } : {}),
      ...firstSheetName(sheets[0]),
    });
    const document = await call.openOther(documentView.id, { scope: 'sheets.read' });
    const inside: GoogleCall = { ...call, document, renewDocument: async () => document };
    const snapshot = await applyRequests(inside, requests);
    const emails = await editorEmails(call.context, document, snapshot);
    return {
      kind: 'pieces',
      pieces: spreadsheetPieces(
        { snapshot, title: documentView.title, access: document, origin: call.origin, emails },
        { mask, places: null, withData: false },
      ),
    };
  },
};

function firstSheetName(first: RequestObject | undefined): { readonly firstSheet?: string } {
  const properties = first && object(first, 'properties', 'sheets[0]');
  const title = properties && text(properties, 'title', 'sheets[0].properties');
  return title ? { firstSheet: title } : {};
}

/** Requests that turn the sheets of a new document into the requested ones. */
function sheetRequests(sheets: readonly RequestObject[]): readonly RequestObject[] {
  return sheets.flatMap((sheet, i) => {
    const place = `sheets[${i}]`;
    const properties = object(sheet, 'properties', place) ?? {};
    const sheetId = i === 0 ? 0 : (properties['sheetId'] ?? undefined);
    if (i > 0) {
      return [{ addSheet: { properties } }, ...contentOf(sheet, sheetId, place)];
    }
    const { title: _title, sheetId: _id, index: _index, sheetType: _type, ...rest } = properties;
    const fields = Object.keys(rest)
      .filter((name) => rest[name] !== null)
      .join(',');
    const update = { updateSheetProperties: { properties: { ...rest, sheetId: 0 }, fields } };
    return [...(fields === '' ? [] : [update]), ...contentOf(sheet, 0, place)];
  });
}

/** The cells of a new sheet. They can be addressed only if the sheet's id is known. */
function contentOf(sheet: RequestObject, sheetId: unknown, place: string): readonly RequestObject[] {
  const data = objects(sheet, 'data', place) ?? [];
  if (data.length > 0 && typeof sheetId !== 'number') throw invalid(`Invalid ${place}: data needs properties.sheetId.`);
  const cells = data.map((grid) => ({
    updateCells: {
      rows: grid['rowData'] ?? [],
      fields: '*',
      start: { sheetId, rowIndex: grid['startRow'] ?? 0, columnIndex: grid['startColumn'] ?? 0 },
    },
  }));
  const merges = (objects(sheet, 'merges', place) ?? []).map((range) => ({
    mergeCells: { range: { ...range, sheetId }, mergeType: 'MERGE_ALL' },
  }));
  return [...cells, ...merges];
}

function nameRequests(ranges: readonly RequestObject[]): readonly RequestObject[] {
  return ranges.map((namedRange) => ({ addNamedRange: { namedRange } }));
}

async function applyRequests(call: GoogleCall, requests: readonly RequestObject[]): Promise<Snapshot> {
  if (requests.length > 0) await batchOf(call, requests);
  return snapshotOf(call);
}
