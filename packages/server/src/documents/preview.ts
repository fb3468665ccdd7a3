import {
  type AppliedBatch,
  type Area,
  type Block,
  type CellAreas,
  CHUNK_ROWS,
  type ChangeSet,
  ColumnReader,
  cellCount,
  cellView,
  countFilledCells,
  type EditOutcome,
  encodeInverse,
  type FieldValue,
  type FormulaWarning,
  iterateFilledRows,
  type Move,
  moveBlocks,
  type Snapshot,
} from '@cellwire/engine';
import { MAX_PREVIEW_STEPS, MAX_PREVIEWED_CELLS } from '../limits/requests.ts';
import {
  describeCell,
  listMoves,
  listSheetChanges,
  type PreviewDetailsRequest,
  type PreviewedMove,
  type PreviewedWindow,
  type PreviewWindow,
  readWindow,
  type SheetChange,
  type TextChange,
} from './preview-details.ts';
import { listSettingChanges, type SettingChange } from './preview-settings.ts';
import type { SheetEntry } from './sheet-entry.ts';

/** A cell that a batch would change. Plain data. */
export interface PreviewedCell {
  /** Name after the batch; before it if the batch deletes the sheet. */
  readonly sheetName: string;
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
  /** Value before the batch, in the requested form; null: the cell was empty. */
  readonly before: FieldValue;
  readonly after: FieldValue;
  /** Row and column of a deleted cell are its position before the batch. */
  readonly how: 'written' | 'deleted' | 'recalculated';
  /** The cell contains a formula after the batch. */
  readonly isFormula: boolean;
  /** Texts that the grid shows; absent without details, or if the values are displayed as JSON has them. */
  readonly shown?: TextChange;
  /** Formulas; absent without details, or if the formula does not change. */
  readonly formulas?: TextChange;
}

/** How many cells of a sheet a batch would write or delete, and how many would be recalculated. Plain data. */
export interface SheetCount {
  readonly sheet: number;
  readonly name: string;
  readonly written: number;
  readonly derived: number;
}

/** What a batch would change: the first changed cells, and whether there are more. */
export interface Preview {
  /** One outcome for each edit. */
  readonly outcomes: readonly EditOutcome[];
  readonly warnings: readonly FormulaWarning[];
  /** The sheets after the batch, in order. */
  readonly sheets: readonly SheetEntry[];
  readonly cells: readonly PreviewedCell[];
  readonly isCut: boolean;
  /** Cells of the sheet to read; null unless requested. */
  readonly block: ReadBlock | null;
  /** For each tested row: 1 if its cell is TRUE or a number other than 0, else 0. */
  readonly truths: Uint8Array | null;
  /** Counts by sheet, in document order; empty without details. */
  readonly counts: readonly SheetCount[];
  /** How sheets themselves change; empty without details. */
  readonly sheetChanges: readonly SheetChange[];
  /** Inserted, deleted and moved rows, columns and cells, the first ones; empty without details. */
  readonly moves: readonly PreviewedMove[];
  /** Changed names, tables, filters and layouts, the first ones; empty without details. */
  readonly settingChanges: readonly SettingChange[];
  /** Cells of the requested window; null: none was requested, or its sheet does not exist. */
  readonly window: PreviewedWindow | null;
  /** An inverse that leads from the old inputs to the new ones, for `takeBack`; null unless requested. */
  readonly redo: Uint8Array | null;
}

/** Cells of a sheet after a batch. Plain data. */
export interface ReadBlock {
  /** Rows and columns up to the last filled cell. */
  readonly rows: number;
  readonly columns: number;
  /** Complete rows from the first requested one, within the limits. */
  readonly cells: readonly (readonly FieldValue[])[];
}

/** A sheet to read, and how much of it. */
export interface BlockToRead {
  readonly sheet: number;
  /** First row to read, from 0. */
  readonly top: number;
  /** First column to read, from 0; absent: 0. */
  readonly left?: number;
  readonly maxCells: number;
  /**
   * Maximum characters of the returned rows together. The first row that exceeds this limit is still returned, and is
   * the last one.
   */
  readonly maxCharacters: number;
}

/** Form of values: as in a read of cells, or as record fields (dates as ISO text, errors as objects). */
export type ValueForm = 'cells' | 'fields';

/** What a dry run should return. Plain data. */
export interface PreviewRequest {
  /** Null: the changed cells. */
  readonly tested: TestedRows | null;
  readonly form: ValueForm;
  /** Null: no block of cells. */
  readonly read: BlockToRead | null;
  /** Null: the values of changed cells are enough. */
  readonly details: PreviewDetailsRequest | null;
  /** Cells to show; null: none. Requires `details`. */
  readonly window: PreviewWindow | null;
}

export interface DryRun<E> extends PreviewRequest {
  readonly edits: E;
}

/** Rows of a column whose cells are tested for TRUE. Rows start at 0; `end` is exclusive. */
export interface TestedRows {
  readonly sheet: number;
  readonly column: number;
  readonly top: number;
  readonly end: number;
}

/** 1 for each tested row whose formula gives true or a number other than 0, else 0. */
function testRows({ after }: ChangeSet, { sheet, column, top, end }: TestedRows): Uint8Array {
  const sheetAfter = after.sheetById(sheet);
  const truths = new Uint8Array(end - top);
  for (let row = top; row < end; row++) {
    const value = sheetAfter?.value(row, column) ?? null;
    if (value === true || (typeof value === 'number' && value !== 0)) truths[row - top] = 1;
  }
  return truths;
}

/** The values of a block after the change, limited in cells and characters. */
function readRequestedBlock(
  { after }: ChangeSet,
  { sheet, top, left = 0, maxCells, maxCharacters }: BlockToRead,
  readCell: PreviewFormat,
): ReadBlock {
  const { rows, columns } = after.sheetById(sheet)?.extent() ?? { rows: 0, columns: 0 };
  const cells: FieldValue[][] = [];
  let characters = 0;
  const width = Math.max(0, columns - left);
  const end = Math.min(rows, top + Math.floor(maxCells / Math.max(1, width)));
  for (let row = top; row < end && characters <= maxCharacters; row++) {
    const values = Array.from({ length: width }, (_, column) => readCell(after, sheet, row, left + column));
    for (const value of values) characters += typeof value === 'string' ? value.length : 0;
    cells.push(values);
  }
  return { rows, columns, cells };
}

/**
 * What a batch changed, in the parts that the request asks for. Moved cells are compared with their values before the
 * move.
 */
export function buildPreview(
  { change, outcomes, warnings }: AppliedBatch,
  { tested, read, form, details, window }: PreviewRequest,
): Preview {
  const readCell = form === 'fields' ? readFieldValue : readValue;
  const sheets = change.after.sheets.map(({ id, name, hidden, color }) => ({ id, name, hidden, color }));
  const done = {
    ...{ outcomes, warnings, sheets, truths: null, block: null },
    counts: details === null ? [] : countChangedCells(change),
    sheetChanges: details === null ? [] : listSheetChanges(change),
    moves: details === null ? [] : listMoves(change),
    settingChanges: details === null ? [] : listSettingChanges(change, details.formulaLocale),
    window: details === null || window === null ? null : readWindow(change.after, window, details.formulaLocale),
    redo: details?.hasRedo ? encodeInverse({ before: change.after, after: change.before }) : null,
  };
  if (tested !== null) return { ...done, cells: [], isCut: false, truths: testRows(change, tested) };
  if (read !== null) return { ...done, cells: [], isCut: false, block: readRequestedBlock(change, read, readCell) };
  const cells: PreviewedCell[] = [];
  for (const cell of listChangedCells(change, readCell)) {
    if (cell === 'more' || cells.length === MAX_PREVIEWED_CELLS) return { ...done, cells, isCut: true };
    const isDeleted = cell.how === 'deleted';
    const texts = details && describeCell({ ...cell, isDeleted }, change, details.formulaLocale);
    cells.push({ ...cell, ...texts });
  }
  return { ...done, cells, isCut: false };
}

function countChangedCells(change: ChangeSet): readonly SheetCount[] {
  const { before, after } = change;
  const deletedSheets = before.sheets.filter(({ id }) => after.sheetById(id) === undefined);
  const counts = new Map<number, { written: number; derived: number }>();
  const addCells = (sheet: number, kind: 'written' | 'derived', cells: number): void => {
    const count = counts.get(sheet) ?? { written: 0, derived: 0 };
    count[kind] += cells;
    counts.set(sheet, count);
  };
  for (const kind of ['written', 'derived'] as const) {
    for (const { sheet, area } of listAreaBlocks(change[kind])) addCells(sheet, kind, cellCount(area));
  }
  for (const cell of listCellsLostInMoves(change, readValue)) if (cell !== 'more') addCells(cell.sheet, 'written', 1);
  if (change.moves.length === 0) {
    for (const sheet of deletedSheets) addCells(sheet.id, 'written', countFilledCells(sheet));
  } else for (const { sheet } of listDeletedSheetBlocks(change)) addCells(sheet, 'written', 1);
  return [...after.sheets, ...deletedSheets].flatMap(({ id, name }) => {
    const count = counts.get(id);
    return count === undefined ? [] : [{ sheet: id, name, ...count }];
  });
}

type PreviewFormat = (snapshot: Snapshot, sheet: number, row: number, column: number) => FieldValue;

/** The written, deleted and recalculated cells, in this order. `more` stands for further cells that are not listed. */
function* listChangedCells(change: ChangeSet, readCell: PreviewFormat): Iterable<PreviewedCell | 'more'> {
  yield* listChangesInAreas(change, change.written, 'written', readCell);
  yield* listDeletedCells(change, readCell);
  yield* listChangesInAreas(change, change.derived, 'recalculated', readCell);
}

/** The cells of the areas with their values before and after the change, marked with the given cause. */
function* listChangesInAreas(
  { before, moved, after }: ChangeSet,
  areas: readonly CellAreas[],
  cause: PreviewedCell['how'],
  readCell: PreviewFormat,
): Iterable<PreviewedCell> {
  for (const { sheet, area } of listAreaBlocks(areas)) {
    const sheetName = (after.sheetById(sheet) ?? before.sheetById(sheet))?.name ?? '';
    for (const [row, column] of listAreaCells(area)) {
      const [old, now] = [readCell(moved, sheet, row, column), readCell(after, sheet, row, column)];
      const isFormula = after.sheetById(sheet)?.run(row, column) !== undefined;
      yield { sheetName, sheet, row, column, before: old, after: now, how: cause, isFormula };
    }
  }
}

/** Filled cells that a batch deletes: with their sheets, with their lines, or because other cells replace them. */
function* listDeletedCells(change: ChangeSet, readCell: PreviewFormat): Iterable<PreviewedCell | 'more'> {
  yield* listDeletedSheetCells(change, readCell);
  yield* listCellsLostInMoves(change, readCell);
}

/** One entry for each block of a deleted sheet, at the block's first cell. */
function* listDeletedSheetCells(change: ChangeSet, readCell: PreviewFormat): Iterable<PreviewedCell> {
  const { before } = change;
  for (const { sheet, area } of listDeletedSheetBlocks(change)) {
    const { top: row, left: column } = area;
    const sheetName = before.sheetById(sheet)?.name ?? '';
    const old = readCell(before, sheet, row, column);
    yield { sheetName, sheet, row, column, before: old, after: null, how: 'deleted', isFormula: false };
  }
}

/** The filled cells of deleted sheets, without cells that moved to another sheet before. Follows a bounded number of moves. */
function* listDeletedSheetBlocks({ before, after, moves }: ChangeSet): Iterable<Block> {
  let steps = 0;
  for (const { id: sheet } of before.sheets) {
    const deletedSheet = after.sheetById(sheet) === undefined ? before.sheetById(sheet) : undefined;
    if (deletedSheet === undefined) continue;
    for (const [row, cells] of iterateFilledRows(deletedSheet)) {
      for (const { column } of cells) {
        steps += moves.length;
        const cell = { sheet, area: { top: row, left: column, bottom: row, right: column } };
        const isFollowed = moves.length > 0 && steps <= MAX_PREVIEW_STEPS;
        if (isFollowed && moveBlock(moves, cell).some((at) => after.sheetById(at.sheet))) continue;
        yield cell;
      }
    }
  }
}

/** Cells of remaining sheets that moves delete. */
function* listCellsLostInMoves(
  { before, after, moves, lost }: ChangeSet,
  readCell: PreviewFormat,
): Iterable<PreviewedCell | 'more'> {
  if (moves.length === 0) return;
  let steps = 0;
  for (const block of listAreaBlocks(lost)) {
    if (after.sheetById(block.sheet) === undefined) continue;
    steps += moves.length;
    if (steps > MAX_PREVIEW_STEPS) return yield 'more';
    const keptCells = moveBlock(moves, block).reduce((sum, { area }) => sum + cellCount(area), 0);
    // The block's own cells have not changed, only references in its formulas.
    if (keptCells === cellCount(block.area)) continue;
    const { sheet } = block;
    const sheetName = after.sheetById(sheet)?.name ?? '';
    for (const [row, column] of listAreaCells(block.area)) {
      steps += moves.length;
      if (steps > MAX_PREVIEW_STEPS) return yield 'more';
      const old = readCell(before, sheet, row, column);
      const cell = { sheet, area: { top: row, left: column, bottom: row, right: column } };
      if (old === null || (keptCells > 0 && moveBlock(moves, cell).length > 0)) continue;
      yield { sheetName, sheet, row, column, before: old, after: null, how: 'deleted', isFormula: false };
    }
  }
}

/** Positions of cells after moves. Deleted cells are omitted. */
function moveBlock(moves: readonly Move[], block: Block): readonly Block[] {
  let blocks: readonly Block[] = [block];
  for (const move of moves) blocks = blocks.flatMap((one) => moveBlocks(move, one));
  return blocks;
}

/** All areas as pairs of a sheet and an area. */
function* listAreaBlocks(changedAreas: readonly CellAreas[]): Iterable<Block> {
  for (const { sheet, areas } of changedAreas) for (const area of areas) yield { sheet, area };
}

function* listAreaCells({ top, left, bottom, right }: Area): Iterable<readonly [row: number, column: number]> {
  for (let row = top; row <= bottom; row++) for (let column = left; column <= right; column++) yield [row, column];
}

/** The value of a cell in the form that the API shows; null if empty. */
function readValue(snapshot: Snapshot, sheet: number, row: number, column: number): FieldValue {
  return cellView(snapshot, sheet, row, column)?.v ?? null;
}

/** The value of a cell in the form of a record's field. */
function readFieldValue(snapshot: Snapshot, sheet: number, row: number, column: number): FieldValue {
  const chunk = snapshot.sheetById(sheet)?.chunk(column, Math.floor(row / CHUNK_ROWS));
  return new ColumnReader(snapshot, column, null).readField(chunk, row % CHUNK_ROWS);
}
