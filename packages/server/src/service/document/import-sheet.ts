import { stat } from 'node:fs/promises';
import { type Edit, type Input, MAX_ROWS, type Sheet, type Snapshot, sheetNameProblem } from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import type { CsvConventions } from '@cellwire/files';
import type { DocumentAccess } from '../../access/access.ts';
import { unpackRows } from '../../documents/calculation/packed-edits.ts';
import type { ProposalHead } from '../../documents/types.ts';
import { MAX_SHEET_FILE_READS } from '../../limits/documents.ts';
import { type CommitConflict, commitWithoutRights, STATE_CHANGED } from '../commit-loop.ts';
import type { ServiceContext } from '../context.ts';
import type { AuditNote } from '../history/audit-log.ts';
import { openTable } from '../open-table.ts';
import { formatQualifiedRange, formatRange } from '../ranges.ts';
import {
  INVALID_RANGE,
  isRefusal,
  REARRANGED,
  type Refusal,
  SHEET_NOT_FOUND,
  SHEET_PROTECTED,
  VALUES_HIDDEN,
} from '../refusal.ts';
import type { WriteReply } from '../reply.ts';
import { commitWrite } from '../write.ts';
import type { WriteRequest } from '../write-request.ts';
import { addWarningText } from './import.ts';
import { type CsvInput, type FileKind, parseCsvOptions } from './read-file.ts';
import type { SheetFileContent, SheetOfFile } from './sheet-of-file.ts';

/** Destination of a file's cells. */
export type FileTarget =
  /** A new sheet at the end. */
  | { readonly kind: 'newSheet' }
  /** Replaces all cells of a sheet, by id. */
  | { readonly kind: 'replace'; readonly sheet: number }
  /** Below the last filled row of a sheet, by id. */
  | { readonly kind: 'append'; readonly sheet: number };

export interface SheetUpload {
  readonly file: { readonly path: string; readonly format: FileKind };
  /** File name without extension: the new sheet's name if the file has none. */
  readonly name: string;
  readonly csv: CsvInput;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

/** The rows of a sheet that a file is appended to. */
interface FileAppendPosition {
  /** First appended row, zero-based. */
  readonly row: number;
  /** True if the file starts with the sheet's own header, which is then skipped. */
  readonly skipsHeader: boolean;
}

/** The console's answer about a file before it is imported. */
export interface SheetFilePreview {
  readonly size: SheetOfFile['size'];
  /** Name of the new sheet. */
  readonly sheet: string;
  /** The first rows: display texts; values as stored if the file is a `.csv` file. */
  readonly preview: CsvConventions['preview'];
  /** Null if the file is not a `.csv` file. */
  readonly csv: Omit<CsvConventions, 'preview'> | null;
  readonly leftOut: readonly ReturnType<typeof addWarningText>[];
  /** `row`: number of the first appended row, from 1. Null if the sheet cannot be read. */
  readonly append: { readonly row: number; readonly skipsHeader: boolean } | null;
}

/** Previews the file's content and the rows it would be appended to. Changes nothing. */
export async function previewSheetFile(
  context: ServiceContext,
  access: DocumentAccess,
  upload: SheetUpload,
  sheet: number | null,
): Promise<{ readonly file: SheetFilePreview } | Refusal> {
  const snapshot = await openTable(context, access);
  if (isRefusal(snapshot)) return snapshot;
  const file = await readFileFor(context, access, upload, { snapshot, shift: null });
  if (isRefusal(file)) return file;
  const { name, size, preview, csv, leftOut } = file;
  const target = sheet === null || access.hiddenSheets.has(sheet) ? undefined : snapshot.sheetById(sheet);
  const place = target && findAppendTarget(target, preview[0] ?? []);
  return {
    file: {
      size,
      sheet: findFreeSheetName(name ?? upload.name, snapshot),
      preview: csv?.preview ?? preview,
      csv: csv && { delimiter: csv.delimiter, encoding: csv.encoding, decimal: csv.decimal, dateOrder: csv.dateOrder },
      leftOut: leftOut.map(addWarningText),
      append: place === undefined ? null : { row: place.row + 1, skipsHeader: place.skipsHeader },
    },
  };
}

/** Writes a file's sheet into the document as one revision. */
export async function importSheetFile(
  context: ServiceContext,
  request: WriteRequest,
  upload: SheetUpload,
  target: FileTarget,
): Promise<WriteReply | Refusal> {
  const { access } = request;
  const { size: fileBytes } = await stat(upload.file.path);
  const attempt = async (): Promise<WriteReply | Refusal | CommitConflict> => {
    const snapshot = await openTable(context, access);
    if (isRefusal(snapshot)) return snapshot;
    const refused = checkImportTarget(access, target, snapshot);
    if (refused !== null) return refused;
    const read = await readPlacedFile(context, access, upload, { snapshot, target });
    if (isRefusal(read)) return read;
    const { file, content, shift } = read;
    const rows = await runInSlices(unpackRows(content.rows));
    const outcome = await commitWrite(
      context,
      { ...request, bodyBytes: fileBytes, signal: upload.signal },
      (head, by) => {
        const refusal = checkImportTarget(by, target, head.snapshot);
        if (refusal !== null) return refusal;
        const place = findAppendPosition(head.snapshot, target, file.preview[0] ?? []);
        // The formulas were read for rows other than the destination's rows.
        if (content.formulas > 0 && computeRowShift(place) !== shift) return REARRANGED;
        if (place.row + rows.length > MAX_ROWS) return INVALID_RANGE;
        return buildImportProposal(head, target, { rows, content, place, name: file.name ?? upload.name });
      },
    );
    return outcome === REARRANGED ? STATE_CHANGED : outcome;
  };
  return commitWithoutRights<WriteReply>(attempt, MAX_SHEET_FILE_READS);
}

/** Refuses a target sheet that is gone, hidden or locked; null if the import may go on. */
function checkImportTarget(access: DocumentAccess, target: FileTarget, snapshot: Snapshot): Refusal | null {
  if (target.kind === 'newSheet') return null;
  if (snapshot.sheetById(target.sheet) === undefined) return SHEET_NOT_FOUND;
  if (access.hiddenSheets.has(target.sheet)) return VALUES_HIDDEN;
  return access.lockedSheets.has(target.sheet) ? SHEET_PROTECTED : null;
}

interface PlacedFile {
  readonly file: SheetOfFile;
  readonly content: SheetFileContent;
  /** Number of rows by which formula references are shifted. */
  readonly shift: number;
}

/**
 * Reads a file for its destination rows. A file with formulas is read again if the rows are known only after the first
 * reading.
 */
async function readPlacedFile(
  context: ServiceContext,
  access: DocumentAccess,
  upload: SheetUpload,
  { snapshot, target }: { readonly snapshot: Snapshot; readonly target: FileTarget },
): Promise<PlacedFile | Refusal> {
  const firstShift = target.kind === 'append' ? (snapshot.sheetById(target.sheet)?.extent().rows ?? 0) : 0;
  const first = await readFileFor(context, access, upload, { snapshot, shift: firstShift });
  if (isRefusal(first)) return first;
  const shift = computeRowShift(findAppendPosition(snapshot, target, first.preview[0] ?? []));
  const isRight = first.content === null || first.content.formulas === 0 || shift === firstShift;
  const file = isRight ? first : await readFileFor(context, access, upload, { snapshot, shift });
  if (isRefusal(file)) return file;
  if (file.content === null) throw new Error('the cells of the file were not read');
  return { file, content: file.content, shift };
}

/** Reads the uploaded file with the locale of the document that it is imported into. */
async function readFileFor(
  context: ServiceContext,
  { caller }: DocumentAccess,
  { file, csv, signal }: SheetUpload,
  { snapshot, shift }: { readonly snapshot: Snapshot; readonly shift: number | null },
): Promise<SheetOfFile | Refusal> {
  const wrong = parseCsvOptions(file.format, csv);
  if (isRefusal(wrong)) return wrong;
  const { size: bytes } = await stat(file.path);
  const { locale, timeZone, dateSystem } = snapshot.settings;
  const target = shift === null ? null : { dateSystem, shift };
  const input = { ...file, options: { locale, timeZone, csv }, now: context.clock(), target };
  return context.documentJobs.runInThread('sheet', input, { user: caller.userId, signal, bytes });
}

/** The first row to write, and whether the file repeats the sheet's header. */
function findAppendPosition(snapshot: Snapshot, target: FileTarget, header: readonly string[]): FileAppendPosition {
  const sheet = target.kind === 'append' ? snapshot.sheetById(target.sheet) : undefined;
  return sheet === undefined ? { row: 0, skipsHeader: false } : findAppendTarget(sheet, header);
}

/** How far the rows of the file move down in the sheet. */
function computeRowShift({ row, skipsHeader }: FileAppendPosition): number {
  return row - Number(skipsHeader);
}

/** Skips the file's first row if the sheet starts with the same texts. */
function findAppendTarget(sheet: Sheet, header: readonly string[]): FileAppendPosition {
  const { rows } = sheet.extent();
  const filled = header.flatMap((text, column) => (text === '' ? [] : [{ text, column }]));
  const isSame = filled.every(({ text, column }) => {
    const value = sheet.value(0, column);
    return typeof value === 'string' && value.trim().toLowerCase() === text.trim().toLowerCase();
  });
  return { row: rows, skipsHeader: rows > 0 && filled.length > 0 && isSame };
}

interface PlacedContent {
  readonly rows: readonly (readonly Input[])[];
  readonly content: SheetFileContent;
  readonly place: FileAppendPosition;
  /** Name of the new sheet, if no other sheet has it. */
  readonly name: string;
}

/** The edits of an import: clear or add the sheet, then enter values, formats and layout. */
function buildImportProposal(head: ProposalHead, target: FileTarget, { rows, content, place, name }: PlacedContent) {
  const { snapshot } = head;
  const id = target.kind === 'newSheet' ? head.nextSheetId : target.sheet;
  const sheetName =
    target.kind === 'newSheet' ? findFreeSheetName(name, snapshot) : (snapshot.sheetById(id)?.name ?? '');
  const values = place.skipsHeader ? rows.slice(1) : rows;
  const width = values[0]?.length ?? 0;
  const edits: Edit[] = [];
  if (target.kind === 'newSheet') edits.push({ kind: 'addSheet', name: sheetName });
  if (target.kind === 'replace') edits.push(...buildClearEdits(snapshot, id));
  const isEmpty = values.length === 0;
  if (!isEmpty) edits.push({ kind: 'setValues', sheet: id, row: place.row, column: 0, values, mode: 'raw' });
  edits.push(...buildFormatEdits(content, id, place));
  if (target.kind !== 'append') edits.push(...buildLayoutEdits(content, id));
  const area = { top: place.row, left: 0, bottom: place.row + Math.max(values.length, 1) - 1, right: width - 1 };
  const range = isEmpty || width === 0 ? '' : formatQualifiedRange(sheetName, formatRange(area));
  return {
    edits,
    describe: ({ outcomes }: { readonly outcomes: readonly { readonly cells: number }[] }) => {
      const cells = outcomes.reduce((sum, outcome) => sum + outcome.cells, 0);
      const notes: AuditNote[] = [
        ...(target.kind === 'newSheet' ? [{ action: 'sheet.create', range: '', cells: 0 } as const] : []),
        { action: target.kind === 'append' ? 'append' : 'update', range, cells },
      ];
      return { body: { imported: { sheet: sheetName, range, cells } }, notes };
    },
  };
}

/** Removes values, formats and styles. The sheet remains, with all references to its cells. */
function buildClearEdits(snapshot: Snapshot, id: number): readonly Edit[] {
  const sheet = snapshot.sheetById(id);
  const { rows, columns } = sheet?.extent() ?? { rows: 0, columns: 0 };
  if (rows === 0 || columns === 0) return [];
  const area = { top: 0, left: 0, bottom: rows - 1, right: columns - 1 };
  const styles = Array.from(
    { length: snapshot.formats.size },
    (_, format) => [snapshot.formats.get(format).style, ''] as const,
  );
  return [
    { kind: 'clear', sheet: id, area },
    { kind: 'unmergeCells', sheet: id, area },
    { kind: 'styleCells', sheet: id, area, styles, code: 'General' },
  ];
}

function buildFormatEdits(
  { formats }: SheetFileContent,
  sheet: number,
  { row, skipsHeader }: FileAppendPosition,
): readonly Edit[] {
  const shift = row - Number(skipsHeader);
  return formats.flatMap(({ area, code, style }): readonly Edit[] => {
    const top = Math.max(area.top + shift, row);
    const bottom = area.bottom + shift;
    if (bottom < top) return [];
    const moved = { ...area, top, bottom };
    return [{ kind: 'styleCells', sheet, area: moved, styles: [['', style]], code }];
  });
}

function buildLayoutEdits({ layout }: SheetFileContent, sheet: number): readonly Edit[] {
  const sizes = (['columns', 'rows'] as const).flatMap((axis) =>
    layout[axis].flatMap(({ first, last, size }): readonly Edit[] =>
      size === undefined ? [] : [{ kind: 'sizeLines', sheet, axis, first, last, size }],
    ),
  );
  const { merges } = layout;
  return merges.length === 0 ? sizes : [...sizes, { kind: 'mergeCells', sheet, areas: merges }];
}

/** A valid sheet name, with a number if the name is taken. */
function findFreeSheetName(text: string, snapshot: Snapshot): string {
  const plain = [
    ...text
      .replaceAll(/\p{Cc}/gu, ' ')
      .toWellFormed()
      .trim(),
  ]
    .slice(0, MAX_NAME)
    .join('')
    .trim();
  const name = sheetNameProblem(plain) === null ? plain : 'Sheet';
  for (let n = 1; ; n++) {
    const free = n === 1 ? name : `${name} ${n}`;
    if (snapshot.sheetByName(free) === undefined) return free;
  }
}

/** Maximum length of the name, so that a number can be appended and `.xlsx` can store it. */
const MAX_NAME = 27;
