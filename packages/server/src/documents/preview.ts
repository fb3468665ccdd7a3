import {
  type Applied,
  type Area,
  type Block,
  type CellAreas,
  CHUNK_ROWS,
  type ChangeSet,
  ColumnReader,
  cellCount,
  cellView,
  type EditOutcome,
  encodeInverse,
  type FieldValue,
  type FormulaWarning,
  type Move,
  movedBlocks,
  type Snapshot,
} from '@cellwire/engine';
import { MAX_PREVIEW_STEPS, MAX_PREVIEWED_CELLS } from '../limits/requests.ts';
import type { SheetEntry } from './sheet-entry.ts';

/** A cell that a batch would change. Plain data. */
export interface PreviewedCell {
  /** As the document has it after the batch; before it where the sheet goes with it. */
  readonly sheetName: string;
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
  /** In the form that was asked for; null: nothing. */
  readonly before: FieldValue;
  readonly after: FieldValue;
  /** Row and column of a deleted cell are its position before the batch. */
  readonly how: 'written' | 'deleted' | 'recalculated';
  /** It holds a formula afterwards. */
  readonly isFormula: boolean;
}

/** How many cells of a sheet a batch would write or delete, and how many would be recalculated. Plain data. */
export interface SheetCount {
  readonly sheet: number;
  readonly name: string;
  readonly written: number;
  readonly derived: number;
}

/** What a batch would change: the first cells, and whether there are more. */
export interface Preview {
  /** Of each edit. */
  readonly outcomes: readonly EditOutcome[];
  readonly warnings: readonly FormulaWarning[];
  /** The sheets afterwards, in order. */
  readonly sheets: readonly SheetEntry[];
  readonly cells: readonly PreviewedCell[];
  readonly isCut: boolean;
  /** Cells of the sheet that was to be read; null unless asked for. */
  readonly block: ReadBlock | null;
  /** For each of the tested rows 1 where its cell is TRUE, or another number than 0. */
  readonly truths: Uint8Array | null;
  /** By sheet, in the order of the document. Empty unless asked for. */
  readonly counts: readonly SheetCount[];
  /** What brings the inputs before the batch to those after it, for `takeBack`; null unless asked for. */
  readonly redo: Uint8Array | null;
}

/** Cells of a sheet after a batch. Plain data. */
export interface ReadBlock {
  /** Rows and columns down to the last filled cell. */
  readonly rows: number;
  readonly columns: number;
  /** Whole rows from the first one that was asked for, within the bounds. */
  readonly cells: readonly (readonly FieldValue[])[];
}

/** A sheet to read, and how much of it. */
export interface BlockToRead {
  readonly sheet: number;
  /** The first row, from 0. */
  readonly top: number;
  readonly maxCells: number;
  /** Rows after the one that exceeds it are left out. */
  readonly maxCharacters: number;
}

/** How values are told: as a read of cells has them, or as fields of records do (dates as ISO texts, errors as objects). */
export type ValueForm = 'cells' | 'fields';

/** What is asked of a batch that is tried out. Plain data. */
export interface PreviewQuestion {
  /** Null: the changed cells. */
  readonly tested: TestedRows | null;
  readonly form: ValueForm;
  /** Null: no block of cells. */
  readonly read: BlockToRead | null;
  /** What else is wanted: the counts of cells by sheet; or these and `Preview.redo`. */
  readonly details: 'none' | 'counts' | 'redo';
}

export interface Tried<E> extends PreviewQuestion {
  readonly edits: E;
}

/** Rows of a column whose cells are asked whether they come to TRUE. Rows from 0, `end` is one past the last. */
export interface TestedRows {
  readonly sheet: number;
  readonly column: number;
  readonly top: number;
  readonly end: number;
}

/** What the cells of the tested rows come to. */
function truthsOf({ after }: ChangeSet, { sheet, column, top, end }: TestedRows): Uint8Array {
  const held = after.sheetById(sheet);
  const truths = new Uint8Array(end - top);
  for (let row = top; row < end; row++) {
    const value = held?.value(row, column) ?? null;
    if (value === true || (typeof value === 'number' && value !== 0)) truths[row - top] = 1;
  }
  return truths;
}

function blockOf({ after }: ChangeSet, { sheet, top, maxCells, maxCharacters }: BlockToRead, look: Look): ReadBlock {
  const { rows, columns } = after.sheetById(sheet)?.extent() ?? { rows: 0, columns: 0 };
  const cells: FieldValue[][] = [];
  let characters = 0;
  const end = Math.min(rows, top + Math.floor(maxCells / Math.max(1, columns)));
  for (let row = top; row < end && characters <= maxCharacters; row++) {
    const values = Array.from({ length: columns }, (_, column) => look(after, sheet, row, column));
    for (const value of values) characters += typeof value === 'string' ? value.length : 0;
    cells.push(values);
  }
  return { rows, columns, cells };
}

/** Cells that move are compared with what they were before they moved. */
export function previewOf(
  { change, outcomes, warnings }: Applied,
  { tested, read, form, details }: PreviewQuestion,
): Preview {
  const look = form === 'fields' ? fieldAt : valueAt;
  const sheets = change.after.sheets.map(({ id, name, hidden, color }) => ({ id, name, hidden, color }));
  const done = {
    ...{ outcomes, warnings, sheets, truths: null, block: null },
    counts: details === 'none' ? [] : countsOf(change),
    redo: details === 'redo' ? encodeInverse({ before: change.after, after: change.before }) : null,
  };
  if (tested !== null) return { ...done, cells: [], isCut: false, truths: truthsOf(change, tested) };
  if (read !== null) return { ...done, cells: [], isCut: false, block: blockOf(change, read, look) };
  const cells: PreviewedCell[] = [];
  for (const cell of changedCells(change, look)) {
    if (cell === 'more' || cells.length === MAX_PREVIEWED_CELLS) return { ...done, cells, isCut: true };
    cells.push(cell);
  }
  return { ...done, cells, isCut: false };
}

function countsOf(change: ChangeSet): readonly SheetCount[] {
  const { before, after } = change;
  const counts = new Map<number, { written: number; derived: number }>();
  const add = (sheet: number, kind: 'written' | 'derived', cells: number): void => {
    const held = counts.get(sheet) ?? { written: 0, derived: 0 };
    held[kind] += cells;
    counts.set(sheet, held);
  };
  for (const kind of ['written', 'derived'] as const) {
    for (const { sheet, area } of blocksOf(change[kind])) add(sheet, kind, cellCount(area));
  }
  for (const cell of deletedCells(change, valueAt)) if (cell !== 'more') add(cell.sheet, 'written', 1);
  const gone = before.sheets.filter(({ id }) => after.sheetById(id) === undefined);
  return [...after.sheets, ...gone].flatMap(({ id, name }) => {
    const held = counts.get(id);
    return held === undefined ? [] : [{ sheet: id, name, ...held }];
  });
}

type Look = (snapshot: Snapshot, sheet: number, row: number, column: number) => FieldValue;

function* changedCells(change: ChangeSet, look: Look): Iterable<PreviewedCell | 'more'> {
  yield* changedIn(change, change.written, 'written', look);
  yield* deletedCells(change, look);
  yield* changedIn(change, change.derived, 'recalculated', look);
}

function* changedIn(
  { before, moved, after }: ChangeSet,
  areas: readonly CellAreas[],
  how: PreviewedCell['how'],
  look: Look,
): Iterable<PreviewedCell> {
  for (const { sheet, area } of blocksOf(areas)) {
    const sheetName = (after.sheetById(sheet) ?? before.sheetById(sheet))?.name ?? '';
    for (const [row, column] of placesOf(area)) {
      const [old, now] = [look(moved, sheet, row, column), look(after, sheet, row, column)];
      const isFormula = after.sheetById(sheet)?.run(row, column) !== undefined;
      yield { sheetName, sheet, row, column, before: old, after: now, how, isFormula };
    }
  }
}

/** Cells that moves take away: with their lines, or where others are cut over them. */
function* deletedCells({ before, after, moves, lost }: ChangeSet, look: Look): Iterable<PreviewedCell | 'more'> {
  if (moves.length === 0) return;
  let steps = 0;
  for (const block of blocksOf(lost)) {
    steps += moves.length;
    if (steps > MAX_PREVIEW_STEPS) return yield 'more';
    const kept = followed(moves, block).reduce((sum, { area }) => sum + cellCount(area), 0);
    // Formulas among them only read something else.
    if (kept === cellCount(block.area)) continue;
    const { sheet } = block;
    const sheetName = (after.sheetById(sheet) ?? before.sheetById(sheet))?.name ?? '';
    for (const [row, column] of placesOf(block.area)) {
      steps += moves.length;
      if (steps > MAX_PREVIEW_STEPS) return yield 'more';
      const old = look(before, sheet, row, column);
      const cell = { sheet, area: { top: row, left: column, bottom: row, right: column } };
      if (old === null || (kept > 0 && followed(moves, cell).length > 0)) continue;
      yield { sheetName, sheet, row, column, before: old, after: null, how: 'deleted', isFormula: false };
    }
  }
}

/** Where cells are after moves; those that are taken away are left out. */
function followed(moves: readonly Move[], block: Block): readonly Block[] {
  let blocks: readonly Block[] = [block];
  for (const move of moves) blocks = blocks.flatMap((one) => movedBlocks(move, one));
  return blocks;
}

function* blocksOf(changed: readonly CellAreas[]): Iterable<Block> {
  for (const { sheet, areas } of changed) for (const area of areas) yield { sheet, area };
}

function* placesOf({ top, left, bottom, right }: Area): Iterable<readonly [row: number, column: number]> {
  for (let row = top; row <= bottom; row++) for (let column = left; column <= right; column++) yield [row, column];
}

function valueAt(snapshot: Snapshot, sheet: number, row: number, column: number): FieldValue {
  return cellView(snapshot, sheet, row, column)?.v ?? null;
}

function fieldAt(snapshot: Snapshot, sheet: number, row: number, column: number): FieldValue {
  const chunk = snapshot.sheetById(sheet)?.chunk(column, Math.floor(row / CHUNK_ROWS));
  return new ColumnReader(snapshot, column, null).field(chunk, row % CHUNK_ROWS);
}
