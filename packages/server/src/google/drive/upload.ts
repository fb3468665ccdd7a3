import { writeFile } from 'node:fs/promises';
import { MAX_COLUMNS, MAX_ROWS, sheetNameProblem } from '@cellwire/engine';
import { NEW_GRID } from '../../limits/google.ts';
import { importFile } from '../../service/document/import.ts';
import { type DocumentView, getDocument } from '../../service/document/list-documents.ts';
import { RequestBatch } from '../batch/state.ts';
import {
  commitCall,
  type GoogleAnswer,
  type GoogleCall,
  type GoogleMethod,
  requireCallDocument,
  requireSuccess,
  toCreatorAction,
  toJsonAnswer,
} from '../call.ts';
import { isRequestObject, type RequestObject, readText } from '../json.ts';
import { createInvalidProblem } from '../problem.ts';
import { createSpreadsheetDocument } from '../sheets/create.ts';
import { parseCsv } from './csv.ts';
import { CSV_TYPE, describeFile, SPREADSHEET_TYPE, selectFileMembers, XLSX_TYPE } from './file.ts';
import { findFileViewer } from './files.ts';

/** An uploaded file with its metadata. */
interface DriveUpload {
  readonly metadata: RequestObject;
  readonly type: string;
  readonly bytes: Buffer;
}

/** `upload/drive/v2|v3/files`: a CSV or XLSX file as a spreadsheet. */
export const uploadFile: GoogleMethod = {
  requires: { scope: 'documents.write', feature: 'valueWrites' },
  writes: true,
  async run(call, { version = 'v3' }) {
    const upload = parseUpload(call);
    const documentView =
      call.document === null ? await createFromUpload(call, upload) : await replaceFromUpload(call, upload);
    if (version !== 'v2')
      return toJsonAnswer(
        selectFileMembers(describeFile(documentView, await findFileViewer(call)), call.query.get('fields')),
      );
    return createVersionTwoAnswer(documentView);
  },
};

/** The answer of version 2 has `title` instead of `name`. */
function createVersionTwoAnswer({ id, title }: DocumentView): GoogleAnswer {
  return toJsonAnswer({ kind: 'drive#file', id, title, mimeType: SPREADSHEET_TYPE });
}

function parseUpload({ file, body, query }: GoogleCall): DriveUpload {
  if (file === null) throw createInvalidProblem('The upload has no file.');
  const [type = ''] = file.type.split(';');
  if (query.get('uploadType') !== 'multipart' && !type.startsWith('multipart/')) {
    return { metadata: isRequestObject(body) ? body : {}, type: type.trim().toLowerCase(), bytes: file.bytes };
  }
  return parseMultipart(file);
}

/** Parses a `multipart/related` body: JSON about the file, and the file. */
function parseMultipart({ type, bytes }: { readonly type: string; readonly bytes: Buffer }): DriveUpload {
  const [, quoted, plain] = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw createInvalidProblem('Malformed multipart body.');
  const parts = splitMultipart(bytes, `--${boundary}`);
  const [about, media] = parts;
  if (about === undefined || media === undefined) throw createInvalidProblem('Malformed multipart body.');
  let metadata: unknown;
  try {
    metadata = JSON.parse(about.bytes.toString('utf8'));
  } catch {
    throw createInvalidProblem('Malformed multipart body.');
  }
  return { metadata: isRequestObject(metadata) ? metadata : {}, type: media.type, bytes: media.bytes };
}

/** The parts of a multipart body between the boundary marks, each with its media type. */
function splitMultipart(bytes: Buffer, mark: string): readonly { readonly type: string; readonly bytes: Buffer }[] {
  const parts: { type: string; bytes: Buffer }[] = [];
  let from = bytes.indexOf(mark);
  while (from >= 0) {
    const start = from + mark.length;
    const next = bytes.indexOf(mark, start);
    if (next < 0) return parts;
    const part = bytes.subarray(start, next);
    const blank = part.indexOf('\r\n\r\n');
    const head = part.subarray(0, Math.max(blank, 0)).toString('latin1');
    const [, type = ''] = /content-type:\s*([^;\r\n]+)/i.exec(head) ?? [];
    const end = part.subarray(-2).toString('latin1') === '\r\n' ? part.length - 2 : part.length;
    if (blank >= 0) parts.push({ type: type.trim().toLowerCase(), bytes: part.subarray(blank + 4, end) });
    from = next;
  }
  return parts;
}

async function createFromUpload(call: GoogleCall, { metadata, type, bytes }: DriveUpload): Promise<DocumentView> {
  const title = readText(metadata, 'name', '') ?? readText(metadata, 'title', '') ?? 'Untitled';
  if (type === XLSX_TYPE) return importXlsx(call, title, bytes);
  if (type !== CSV_TYPE) throw createInvalidProblem(`Files of the type ${type.slice(0, 100)} cannot be converted.`);
  const documentView = await createSpreadsheetDocument(call, { title, firstSheet: toSheetName(title) });
  const document = await call.openOther(documentView.id, { scope: 'sheets.write', writes: true });
  const inside: GoogleCall = { ...call, document, renewDocument: async () => document };
  await commitCall(inside, ({ snapshot }, access) => {
    const batch = new RequestBatch(call.context, snapshot, access);
    const [sheet] = batch.sheets;
    if (sheet !== undefined) enterCsv(batch, sheet, bytes);
    return {
      edits: batch.finishEdits(),
      describe: () => ({ body: {}, notes: [{ action: 'update', range: '', cells: 0 }] }),
    };
  });
  return requireSuccess(await getDocument(call.context, document)).document;
}

async function importXlsx(call: GoogleCall, title: string, bytes: Buffer): Promise<DocumentView> {
  const path = await call.createTemporaryFile();
  await writeFile(path, bytes, { mode: 0o600 });
  const file = { path, format: 'excel' } as const;
  const input = { file, title, locale: 'en-US', csv: {}, signal: call.createAbortSignal() };
  const { body } = requireSuccess(
    await importFile(call.context, toCreatorAction(call), input, (document) => ({ document })),
  );
  return (JSON.parse(body) as { readonly document: DocumentView }).document;
}

/** Replaces all sheets by the contents of a CSV file. The document keeps its id. */
async function replaceFromUpload(call: GoogleCall, { type, bytes }: DriveUpload): Promise<DocumentView> {
  if (type !== CSV_TYPE) throw createInvalidProblem('Only a CSV file can take the place of a spreadsheet.');
  const { document } = requireSuccess(await getDocument(call.context, requireCallDocument(call)));
  await commitCall(call, ({ snapshot }, access) => {
    const batch = new RequestBatch(call.context, snapshot, access);
    const old = batch.sheets;
    for (const sheet of old) batch.refuseProtectedSheet(sheet);
    const name = findFreeSheetName(batch, toSheetName(document.title));
    const id = batch.takeSheetId();
    const record = { of: id, sheetId: batch.chooseSheetId(undefined) };
    const view = { frozenRows: 0, frozenColumns: 0, hidesGridlines: false, isRightToLeft: false };
    const sheet = { id, sheetId: record.sheetId, name, isHidden: false, grid: NEW_GRID, view, record };
    batch.addEdits({ kind: 'addSheet', name });
    batch.addSheet(sheet, old.length);
    batch.setRecord(sheet, record);
    for (const { id: gone } of old) batch.addEdits({ kind: 'deleteSheet', sheet: gone });
    const sheetName = toSheetName(document.title);
    if (name !== sheetName) batch.addEdits({ kind: 'renameSheet', sheet: id, name: sheetName });
    enterCsv(batch, sheet, bytes);
    return {
      edits: batch.finishEdits(),
      describe: () => ({ body: {}, notes: [{ action: 'update', range: '', cells: 0 }] }),
    };
  });
  return requireSuccess(await getDocument(call.context, requireCallDocument(call))).document;
}

/** A name not used by any sheet, because the old sheets exist until the new one does. */
function findFreeSheetName(batch: RequestBatch, name: string): string {
  const isTaken = (one: string) => batch.sheets.some((sheet) => sheet.name.toLowerCase() === one.toLowerCase());
  let free = name;
  for (let n = 2; isTaken(free); n++) free = `${name.slice(0, 20)} (${n})`;
  return free;
}

/** Converts a title to a sheet name. */
function toSheetName(title: string): string {
  const plain = title
    .replaceAll(/[\\/?*[\]:]/g, ' ')
    .slice(0, 100)
    .trim();
  return sheetNameProblem(plain) === null ? plain : 'Sheet1';
}

/** Enters the fields of a CSV file from A1, as if a user typed them. Throws a `Problem` if they exceed a sheet. */
function enterCsv(batch: RequestBatch, sheet: RequestBatch['sheets'][number], bytes: Buffer): void {
  const rows = parseCsv(bytes.toString('utf8').replace(/^\ufeff/, ''));
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (rows.length === 0 || width === 0) return;
  if (rows.length > MAX_ROWS || width > MAX_COLUMNS)
    throw createInvalidProblem('The file has more rows or columns than a sheet.');
  batch.growGrid(sheet, { rows: rows.length, columns: width });
  const values = rows.map((row) => row.map((field) => (field === '' ? null : field)));
  batch.enterMatrix(sheet, 0, 0, values, 'USER_ENTERED');
}
