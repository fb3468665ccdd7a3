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
import type { Reading } from '../../documents/types.ts';
import type { ServiceContext } from '../context.ts';
import { openReading } from '../open-table.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { sheetView } from '../structure/sheets.ts';
import { documentTag } from '../tags.ts';

/**
 * The whole document as JSON text, in pieces: `{ documentId, revisionId, locale, dateSystem, timeZone, sheets: [{ name,
 * hidden, order, color, cells: { "A1": { v, m, f?, t? } } }] }`. Only filled cells, column by column, so that the
 * answer's size depends on what there is and not on where it stands. Sheets whose values are hidden from the caller
 * are left out.
 */
export async function getContent(context: ServiceContext, access: DocumentAccess): Promise<TaggedText | Refusal> {
  const reading = await openReading(context, access);
  return isRefusal(reading) ? reading : withTag(reading, access, 'cells', cellMembers);
}

/**
 * The number formats as JSON text, in pieces: as the content, with `formats: { "A:A": "dd.mm.yyyy", "B2:B9": "0.00%" }`.
 * A whole column's entry holds for its cells without one of their own; General is left out except where it overrides.
 */
export async function getStyles(context: ServiceContext, access: DocumentAccess): Promise<TaggedText | Refusal> {
  const reading = await openReading(context, access);
  return isRefusal(reading) ? reading : withTag(reading, access, 'formats', formatMembers);
}

/** A text in pieces, made as they are taken; its tag is known before. */
interface TaggedText {
  readonly pieces: Iterable<string>;
  readonly tag: string;
}

function withTag(
  { snapshot, head }: Reading,
  access: DocumentAccess,
  property: string,
  members: MemberWriter,
): TaggedText {
  const hidden = [...access.hiddenSheets].sort((a, b) => a - b).join();
  return {
    pieces: documentText(snapshot, access, property, members),
    tag: documentTag(head, `${property} ${hidden}`),
  };
}

/** Members of a JSON object, each as `"name":value`; now and then an empty text, where much is gone through for none. */
type MemberWriter = (snapshot: Snapshot, sheet: Sheet) => Iterable<string>;

function* documentText(
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
    yield `${before}${JSON.stringify(sheetView(sheet, order)).slice(0, -1)},"${property}":{`;
    yield* joinMembers(members(snapshot, sheet));
    yield '}}';
    before = ',';
  }
  yield ']}';
}

/** Members with commas between them, and the empty texts among them as they are. */
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

function* cellMembers(snapshot: Snapshot, sheet: Sheet): Generator<string> {
  for (const [column, row] of storedCells(sheet)) {
    const view = cellView(snapshot, sheet.id, row, column);
    if (view !== null) yield `"${cellText(row, column)}":${jsonText(view)}`;
    else if (row % CHUNK_ROWS === 0) yield '';
  }
}

/** Columns and rows of the cells that chunks hold, empty ones among them; nothing for the wide spaces between. */
function* storedCells(sheet: Sheet): Generator<readonly [column: number, row: number]> {
  for (const [column, held] of sheet.columns.entries()) {
    const { chunks } = held ?? {};
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

function* formatMembers(snapshot: Snapshot, sheet: Sheet): Generator<string> {
  for (const [column, held] of sheet.columns.entries()) {
    if (held === undefined || snapshot.formats.isGeneral(held.format)) continue;
    const name = columnName(column);
    yield `"${name}:${name}":${JSON.stringify(snapshot.formats.code(held.format))}`;
  }
  for (const run of formatRuns(snapshot, sheet)) {
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

/** Cells of one format that stand below each other; null with every chunk. */
function* formatRuns(snapshot: Snapshot, sheet: Sheet): Generator<FormatRun | null> {
  let run = null as FormatRun | null;
  for (const [column, row] of storedCells(sheet)) {
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
