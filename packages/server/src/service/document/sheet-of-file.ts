import {
  type ContentTarget,
  cellView,
  type FormattedArea,
  type Layout,
  readSheetContent,
  type Snapshot,
} from '@cellwire/engine';
import { runSynchronously } from '@cellwire/event-loop';
import { type CsvConventions, DEFAULT_FILE_LIMITS, LeftOut, type LeftOutItem } from '@cellwire/files';
import { type PackedRows, packRows } from '../../documents/calculation/packed-edits.ts';
import { calculateState } from '../../documents/new-state.ts';
import { MAX_FILE_AREAS, MAX_SHEET_FILE_AREA, MAX_SHEET_FILE_CELLS } from '../../limits/documents.ts';
import { toApiRefusal } from '../engine-refusal.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import { type FileKind, type ReadFileOptions, readFile } from './read-file.ts';

/** A file of one sheet that is imported into an existing document. */
export interface SheetInput {
  readonly path: string;
  readonly format: FileKind;
  readonly options: Omit<ReadFileOptions, 'onProgress' | 'chunks' | 'limits'>;
  /** Current time for formulas, in milliseconds since 1970-01-01 UTC. */
  readonly now: number;
  /** Destination of the cells; null: preview only. */
  readonly target: ContentTarget | null;
}

/** The sheet of a file as plain data that can pass between threads. */
export interface SheetOfFile {
  readonly kind: 'sheet';
  /** The sheet's name in the file; null for a `.csv` file. */
  readonly name: string | null;
  readonly size: { readonly rows: number; readonly columns: number };
  /** Display texts of the first rows. */
  readonly preview: readonly (readonly string[])[];
  readonly csv: CsvConventions | null;
  readonly leftOut: readonly LeftOutItem[];
  /** Null: preview only. */
  readonly content: SheetFileContent | null;
}

export interface SheetFileContent {
  readonly rows: PackedRows;
  /** Number of formulas among the inputs. */
  readonly formulas: number;
  readonly formats: readonly FormattedArea[];
  readonly layout: Pick<Layout, 'columns' | 'rows' | 'merges'>;
}

/** Maximum rows of a preview, and columns of each row. */
const PREVIEW_ROWS = 5;
const PREVIEW_COLUMNS = 50;

const TOO_LARGE = invalidRequest(
  'file',
  `The file has too many cells for a sheet of an open document: at most ${MAX_SHEET_FILE_CELLS}. Import it as a separate document.`,
);

/** Reads a file that has one sheet. */
export async function readSheet({ path, format, options, now, target }: SheetInput): Promise<SheetOfFile | Refusal> {
  const limits = { ...DEFAULT_FILE_LIMITS, cells: MAX_SHEET_FILE_CELLS };
  const file = await readFile(path, format, { ...options, limits });
  if (isRefusal(file)) return file;
  const { data } = file;
  if (data.sheets.length > 1) {
    const names = data.sheets.map(({ name }) => name);
    return invalidRequest(
      'file',
      `The file has ${names.length} sheets (${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}); only a file with one sheet fits into a document. Import it as a separate document.`,
    );
  }
  const snapshot = calculateState(data, now);
  if ('kind' in snapshot) return toApiRefusal(snapshot);
  const [sheet] = snapshot.sheets;
  if (sheet === undefined) return invalidRequest('file', 'The file has no sheet with cells');
  const size = sheet.extent();
  if (size.rows === 0) return invalidRequest('file', 'The file has no values');
  if (size.rows * size.columns > MAX_SHEET_FILE_AREA) return TOO_LARGE;
  const { rows, formats, formulas, results } = runSynchronously(
    readSheetContent(snapshot, sheet, target ?? { dateSystem: data.settings.dateSystem, shift: 0 }),
  );
  const leftOut = new LeftOut();
  for (const { kind, count } of file.leftOut) leftOut.addItem(kind, count);
  leftOut.addItem('formulas', results);
  leftOut.addItem('besideCells', sheet.layout.attachments.length + file.parts.length);
  leftOut.addItem('formats', Math.max(0, formats.length - MAX_FILE_AREAS));
  return {
    kind: 'sheet',
    name: format === 'csv' ? null : sheet.name,
    size,
    preview: previewFirstRows(snapshot, sheet.id, size),
    csv: file.csv,
    leftOut: leftOut.listItems(),
    content:
      target === null
        ? null
        : {
            rows: runSynchronously(packRows(rows)),
            formulas,
            formats: formats.slice(0, MAX_FILE_AREAS),
            layout: { columns: sheet.layout.columns, rows: sheet.layout.rows, merges: sheet.layout.merges },
          },
  };
}

/** The shown texts of the first rows and columns. */
function previewFirstRows(
  snapshot: Snapshot,
  sheet: number,
  size: { readonly rows: number; readonly columns: number },
): readonly (readonly string[])[] {
  return Array.from({ length: Math.min(PREVIEW_ROWS, size.rows) }, (_row, row) =>
    Array.from(
      { length: Math.min(PREVIEW_COLUMNS, size.columns) },
      (_column, column) => cellView(snapshot, sheet, row, column)?.m ?? '',
    ),
  );
}
