import {
  areaText,
  CHUNK_ROWS,
  cellText,
  cellView,
  columnName,
  jsonText,
  type Sheet,
  type Snapshot,
} from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
import type { DocumentReading } from '../../documents/types.ts';
import type { ServiceContext } from '../context.ts';
import { openReading } from '../open-table.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { toSheetView } from '../structure/sheets.ts';
import { formatDocumentTag } from '../tags.ts';

/**
 * The whole document as JSON text, in pieces: `{ documentId, revisionId, locale, dateSystem, timeZone, sheets: [{ name,
 * hidden, order, color, cells: { "A1": { v, m, f?, t? } } }] }`. It contains filled cells only, column by column, so
 * its size does not depend on the positions of the cells. Sheets whose values are hidden from the caller are omitted.
 */
export async function getContent(context: ServiceContext, access: DocumentAccess): Promise<TaggedText | Refusal> {
  const reading = await openReading(context, access);
  return isRefusal(reading) ? reading : addTag(reading, access, 'cells', writeCellMembers);
}

/**
 * The number formats as JSON text, in pieces, in the form of the content, with `formats: { "A:A": "dd.mm.yyyy",
 * "B2:B9": "0.00%" }`. The entry of a whole column applies to its cells without an entry of their own; General is
 * omitted unless it overrides a column's entry.
 */
export async function getStyles(context: ServiceContext, access: DocumentAccess): Promise<TaggedText | Refusal> {
  const reading = await openReading(context, access);
  return isRefusal(reading) ? reading : addTag(reading, access, 'formats', writeFormatMembers);
}

/** A text that is built in pieces on demand, with a tag known in advance. */
interface TaggedText {
  readonly pieces: Iterable<string>;
  readonly tag: string;
}

/** The document's text with a tag that changes with its content and the caller's hidden sheets. */
function addTag(
  { snapshot, head }: DocumentReading,
  access: DocumentAccess,
  property: string,
  members: MemberWriter,
): TaggedText {
  const hidden = [...access.hiddenSheets].sort((a, b) => a - b).join();
  return {
    pieces: writeDocumentText(snapshot, access, property, members),
    tag: formatDocumentTag(head, `${property} ${hidden}`),
  };
}

/** Members of a JSON object, each as `"name":value`. An empty text marks a pause in a long search. */
type MemberWriter = (snapshot: Snapshot, sheet: Sheet) => Iterable<string>;

/** The JSON text of the document in pieces; each sheet has the members under `property`. */
function* writeDocumentText(
  snapshot: Snapshot,
  { documentId, hiddenSheets }: DocumentAccess,
  property: string,
  members: MemberWriter,
): Generator<string> {
  const head = { documentId, revisionId: String(snapshot.revision), ...snapshot.settings };
  yield `${JSON.stringify(head).slice(0, -1)},"sheets":[`;
  let before = '';
  for (const [order, sheet] of snapshot.sheets.entries()) {
    if (hiddenSheets.has(sheet.id)) continue;
    yield `${before}${JSON.stringify(toSheetView(sheet, order)).slice(0, -1)},"${property}":{`;
    yield* joinMembers(members(snapshot, sheet));
    yield '}}';
    before = ',';
  }
  yield ']}';
}

/** Joins members with commas and passes empty texts through. */
function* joinMembers(members: Iterable<string>): Generator<string> {
  let before = '';
  for (const member of members) {
    if (member === '') {
      yield member;
      continue;
    }
    yield before + member;
    before = ',';
  }
}

/** The filled cells of a sheet as members of a JSON object, by their A1 names. */
function* writeCellMembers(snapshot: Snapshot, sheet: Sheet): Generator<string> {
  for (const [column, row] of listStoredCells(sheet)) {
    const view = cellView(snapshot, sheet.id, row, column);
    if (view !== null) yield `"${cellText(row, column)}":${jsonText(view)}`;
    else if (row % CHUNK_ROWS === 0) yield '';
  }
}

/** Columns and rows of the stored cells, including empty ones; areas without chunks are skipped. */
function* listStoredCells(sheet: Sheet): Generator<readonly [column: number, row: number]> {
  for (const [column, existingColumn] of sheet.columns.entries()) {
    const { chunks } = existingColumn ?? {};
    for (let block = 0; block < (chunks?.length ?? 0); block++) {
      if (chunks?.at(block) === undefined) continue;
      const first = block * CHUNK_ROWS;
      for (let row = first; row < first + CHUNK_ROWS; row++) yield [column, row];
    }
  }
}

interface FormatRun {
  readonly column: number;
  readonly top: number;
  readonly bottom: number;
  /** The number format's code. */
  readonly format: string;
}

/** The number formats of a sheet as members of a JSON object, by range. */
function* writeFormatMembers(snapshot: Snapshot, sheet: Sheet): Generator<string> {
  for (const [column, existingColumn] of sheet.columns.entries()) {
    if (existingColumn === undefined || snapshot.formats.isGeneral(existingColumn.format)) continue;
    const name = columnName(column);
    yield `"${name}:${name}":${JSON.stringify(snapshot.formats.code(existingColumn.format))}`;
  }
  for (const run of listFormatRuns(snapshot, sheet)) {
    if (run === null) {
      yield '';
      continue;
    }
    const { column, top, bottom, format } = run;
    if (format === snapshot.formats.code(sheet.columns[column]?.format ?? 0)) continue;
    const range = areaText({ top, bottom, left: column, right: column });
    yield `"${range}":${JSON.stringify(format)}`;
  }
}

/** Vertically adjacent cells of one format; null with every chunk. */
function* listFormatRuns(snapshot: Snapshot, sheet: Sheet): Generator<FormatRun | null> {
  let run = null as FormatRun | null;
  for (const [column, row] of listStoredCells(sheet)) {
    if (row % CHUNK_ROWS === 0) yield null;
    const format = snapshot.formats.code(sheet.format(row, column));
    if (run !== null && run.column === column && run.bottom === row - 1 && run.format === format) {
      run = { ...run, bottom: row };
      continue;
    }
    if (run !== null) yield run;
    run = { column, top: row, bottom: row, format };
  }
  if (run !== null) yield run;
}
