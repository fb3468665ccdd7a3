import {
  type Area,
  cellView,
  decodeOutline,
  digestFormulas,
  digestValues,
  type Edit,
  followBlock,
  getMovePieces,
  getPieceTarget,
  isError,
  MAX_COLUMNS,
  MAX_ROWS,
  type Move,
  reverseMove,
  type Sheet,
  type Snapshot,
} from '@cellwire/engine';
import { MAX_WATCHED_SINGLY } from '../../limits/proposals.ts';

/** Cells of a state that a proposal writes, or that determine where and what it writes. */
export type CellsToWatch =
  /** `isWatched`: whether the cell at a row and column of the area counts; absent: all count. */
  | {
      readonly kind: 'cells';
      readonly sheet: number;
      readonly area: Area;
      readonly isWatched?: (row: number, column: number) => boolean;
    }
  /** Cells that are later filled or moved into the area count too. */
  | { readonly kind: 'all'; readonly sheet: number; readonly area: Area }
  /** The end of the filled rows of a sheet, or of some of its columns. */
  | {
      readonly kind: 'end';
      readonly sheet: number;
      readonly columns: readonly number[] | null;
      /** The row after the last filled one, from 0. */
      readonly row: number;
    };

/** The cells with hashes of their contents. Plain data; hashes by rows, as base64 of 32-bit integers. */
export type WatchedCells =
  | (HashedArea & { readonly kind: 'cells' | 'all' })
  | WatchedBlocks
  | Extract<CellsToWatch, { readonly kind: 'end' }>;

/** An area with hashes of its contents. */
interface HashedArea {
  readonly sheet: number;
  readonly area: Area;
  /** Rows of the area whose hashes are kept; the rows below were empty. */
  readonly rows: number;
  /** Columns of the area whose hashes are kept. */
  readonly columns: number;
  readonly values: string;
  /** Hashes of the formulas; empty: no cell held a formula. */
  readonly formulas: string;
}

/** Cells of a large area, with hashes of blocks of `BLOCK_ROWS` rows of one column, by rows of blocks. */
export interface WatchedBlocks extends HashedArea {
  readonly kind: 'blocks';
  /** Cells that are later filled or moved into the area count too. */
  readonly isWhole: boolean;
}

/** Rows of a block with one hash. */
const BLOCK_ROWS = 256;

/** The hash of a cell that does not count. */
export const UNWATCHED = 0xffff_ffff;
export const CELLS_PER_STEP = 4_096;
/** Blocks that are hashed without a pause. */
export const BLOCKS_PER_STEP = CELLS_PER_STEP / BLOCK_ROWS;

/** The cells that edits write or read. After an edit that moves cells, later edits name them by their new positions. */
export function listCellsOfEdits(edits: readonly Edit[], snapshot: Snapshot): readonly CellsToWatch[] {
  const found: CellsToWatch[] = [];
  const back: Move[] = [];
  for (const edit of edits) {
    for (const cells of listCellsOfEdit(edit, snapshot)) found.push(...moveCellsBack(cells, back));
    if (edit.kind === 'moveCells') back.unshift(reverseMove(edit.move));
  }
  return found;
}

/** The cells by their positions before the moves that `reversedMoves` reverse. */
function moveCellsBack(cells: CellsToWatch, reversedMoves: readonly Move[]): readonly CellsToWatch[] {
  if (cells.kind === 'end' || reversedMoves.length === 0) return [cells];
  return followBlock(cells, reversedMoves).pieces.map(({ sheet, target }) => ({ kind: 'all', sheet, area: target }));
}

export const WHOLE: Area = { top: 0, left: 0, bottom: MAX_ROWS - 1, right: MAX_COLUMNS - 1 };

/** The cells that an edit depends on; a proposal conflicts if they change. */
function listCellsOfEdit(edit: Edit, snapshot: Snapshot): readonly CellsToWatch[] {
  switch (edit.kind) {
    case 'setValues': {
      const { sheet, row, column, values } = edit;
      const width = values.reduce((most, { length }) => Math.max(most, length), 0);
      if (width === 0) return [];
      const area = { top: row, left: column, bottom: row + values.length - 1, right: column + width - 1 };
      const isWatched = (r: number, c: number) => (values[r]?.[c] ?? null) !== null;
      return [{ kind: 'cells', sheet, area, isWatched }];
    }
    case 'putColumns':
      return edit.columns.flatMap(({ column, rows }): readonly CellsToWatch[] => {
        const [top, bottom] = [rows.at(0), rows.at(-1)];
        if (top === undefined || bottom === undefined) return [];
        const written = new Set(rows);
        const area = { top, left: column, bottom, right: column };
        return [{ kind: 'cells', sheet: edit.sheet, area, isWatched: (row) => written.has(top + row) }];
      });
    case 'append':
      return [
        { kind: 'end', sheet: edit.sheet, columns: null, row: snapshot.sheetById(edit.sheet)?.extent().rows ?? 0 },
      ];
    case 'clear':
    case 'sort':
    case 'replace':
    case 'removeDuplicates':
      return [{ kind: 'all', sheet: edit.sheet, area: edit.area }];
    case 'fill':
      return [edit.area, edit.to].map((area) => ({ kind: 'all', sheet: edit.sheet, area }));
    case 'copy': {
      const { area, row, column } = edit;
      const bottom = Math.min(MAX_ROWS - 1, row + area.bottom - area.top);
      const right = Math.min(MAX_COLUMNS - 1, column + area.right - area.left);
      return [
        { kind: 'all', sheet: edit.sheet, area },
        { kind: 'all', sheet: edit.toSheet, area: { top: row, left: column, bottom, right } },
      ];
    }
    case 'deleteSheet':
    case 'duplicateSheet':
      return [{ kind: 'all', sheet: edit.sheet, area: WHOLE }];
    case 'moveCells':
      return listCellsOfMove(edit.move);
    case 'takeBack':
      return decodeOutline(edit.inverse).blocks.map(({ sheet, area }) => ({ kind: 'cells', sheet, area }));
    default:
      return [];
  }
}

/** The cells that a move carries, deletes or overwrites. */
function listCellsOfMove(move: Move): readonly CellsToWatch[] {
  if (move.kind === 'insert' || move.kind === 'reorder') return [];
  const { pieces, lost } = getMovePieces(move);
  const blocks = move.kind === 'delete' ? lost : [...pieces, ...pieces.map((piece) => getPieceTarget(piece))];
  return blocks.map(({ sheet, area }) => ({ kind: 'all', sheet, area }));
}

/** Hashes the contents of cells. A generator, so that long work can pause. */
export function* watchCells(
  snapshot: Snapshot,
  cellsToWatch: readonly CellsToWatch[],
): Generator<void, readonly WatchedCells[]> {
  const watched: WatchedCells[] = [];
  for (const cells of cellsToWatch) {
    if (cells.kind === 'end') watched.push(cells);
    else {
      const sheet = snapshot.sheetById(cells.sheet);
      if (sheet !== undefined) watched.push(yield* watchArea(snapshot, sheet, cells));
    }
  }
  return watched;
}

type AreaToWatch = Exclude<CellsToWatch, { readonly kind: 'end' }>;

/** The hashes of the values and formulas of an area, of blocks if it is large. */
function* watchArea(snapshot: Snapshot, sheet: Sheet, request: AreaToWatch): Generator<void, WatchedCells> {
  const { kind, area } = request;
  const isMasked = request.kind === 'cells' && request.isWatched !== undefined;
  const { rows, columns } = isMasked ? measureArea(area) : measureFilledSize(sheet, area);
  if (!isMasked && rows * columns > MAX_WATCHED_SINGLY) {
    return yield* watchBlocks(snapshot, sheet, { area, rows, columns, isWhole: kind === 'all' });
  }
  const values = new Uint32Array(rows * columns);
  const formulas = new Uint32Array(rows * columns);
  let hasFormulas = false;
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) {
      const at = r * columns + c;
      if (at % CELLS_PER_STEP === CELLS_PER_STEP - 1) yield;
      if (request.kind === 'cells' && request.isWatched?.(r, c) === false) {
        values[at] = UNWATCHED;
        continue;
      }
      values[at] = hashValue(sheet, area.top + r, area.left + c);
      formulas[at] = hashFormula(snapshot, sheet, area.top + r, area.left + c);
      hasFormulas ||= formulas[at] !== 0;
    }
  }
  return {
    ...{ kind, sheet: sheet.id, area, rows, columns },
    values: encodeHashes(values),
    formulas: hasFormulas ? encodeHashes(formulas) : '',
  };
}

/** One hash for each block of `BLOCK_ROWS` rows of a column. */
function* watchBlocks(
  snapshot: Snapshot,
  sheet: Sheet,
  { area, rows, columns, isWhole }: Pick<WatchedBlocks, 'area' | 'rows' | 'columns' | 'isWhole'>,
): Generator<void, WatchedBlocks> {
  const size = Math.ceil(rows / BLOCK_ROWS) * columns;
  const values = new Uint32Array(size);
  const formulas = new Uint32Array(size);
  const bounds = { kind: 'blocks', isWhole, sheet: sheet.id, area, rows, columns } as const;
  for (let at = 0; at < size; at++) {
    const { top, bottom, left } = computeBlockArea(bounds, at);
    values[at] = digestValues(sheet, left, top, bottom);
    formulas[at] = digestFormulas(snapshot, sheet, left, top, bottom);
    if (at % BLOCKS_PER_STEP === BLOCKS_PER_STEP - 1) yield;
  }
  const hasFormulas = formulas.some((hash) => hash !== 0);
  return { ...bounds, values: encodeHashes(values), formulas: hasFormulas ? encodeHashes(formulas) : '' };
}

/** The cells of a block, by its index among the hashes. */
export function computeBlockArea(
  { area, rows, columns }: Pick<WatchedBlocks, 'area' | 'rows' | 'columns'>,
  index: number,
): Area {
  const top = area.top + Math.floor(index / columns) * BLOCK_ROWS;
  const left = area.left + (index % columns);
  return { top, left, bottom: Math.min(top + BLOCK_ROWS, area.top + rows) - 1, right: left };
}

function measureArea({ top, left, bottom, right }: Area): { readonly rows: number; readonly columns: number } {
  return { rows: bottom - top + 1, columns: right - left + 1 };
}

/** The rows and columns of an area down to its last filled cell. Cells outside of the area do not count. */
function measureFilledSize(sheet: Sheet, { top, left, bottom, right }: Area) {
  let [rows, columns] = [0, 0];
  for (let column = left; column <= Math.min(right, sheet.columns.length - 1); column++) {
    const filled = sheet.columns[column]?.filledRows() ?? 0;
    const within = Math.min(filled, bottom + 1) - top;
    if (within <= 0) continue;
    rows = Math.max(rows, within);
    columns = column - left + 1;
  }
  return { rows, columns };
}

/** 32-bit hashes as base64. */
function encodeHashes(hashes: Uint32Array): string {
  return Buffer.from(hashes.buffer, hashes.byteOffset, hashes.byteLength).toString('base64');
}

export function decodeHashes(text: string): Uint32Array {
  const bytes = Buffer.from(text, 'base64');
  return new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

/** Hash of a cell's content; 0 for an empty cell, never `UNWATCHED`. */
export function hashValue(sheet: Sheet, row: number, column: number): number {
  const value = sheet.value(row, column);
  if (value === null) return 0;
  return hashText(isError(value) ? `e${value.code}` : `${typeof value}${value}`);
}

/** Hash of a cell's formula; 0 for a cell without a formula. */
export function hashFormula(snapshot: Snapshot, sheet: Sheet, row: number, column: number): number {
  if (sheet.run(row, column) === undefined) return 0;
  return hashText(cellView(snapshot, sheet.id, row, column)?.f ?? '=');
}

/** Computes an FNV-1a hash with a final mixing step. */
function hashText(text: string): number {
  let hash = 0x811c_9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x0100_0193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = (hash ^ (hash >>> 13)) >>> 0;
  return hash === 0 || hash === UNWATCHED ? 1 : hash;
}
