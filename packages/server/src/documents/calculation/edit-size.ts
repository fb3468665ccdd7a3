import {
  type Area,
  CHUNK_ROWS,
  countRuns,
  decodeOutline,
  type Edit,
  type Input,
  type InputMode,
  type Move,
  measureStructure,
  type PlainColumn,
  type Sheet,
  type Snapshot,
} from '@cellwire/engine';
import type { InlineBounds } from './pool.ts';

/**
 * Cost of work in entered values, the unit of `InlineBounds.values`. 30,000 values take some milliseconds. Measured on
 * one million cells (`node bench/stretches/run.mjs --cold`); only the order of magnitude matters.
 */
const COST = {
  /** A cell that is read, cleared, copied, or recorded for undo. */
  cell: 1,
  /** A cell whose row is compared with other rows and moves. */
  sortedCell: 8,
  /** A block of 256 rows of one column, which is copied before one of its values changes. */
  chunk: 8,
  /** The same for rows that change places, including the column itself. */
  movedChunk: 60,
  movedColumn: 100,
  /** A sheet, name, table, merged range or similar entry that may change and is recorded for undo. */
  changedEntry: 40,
} as const;

type SheetColumns = Pick<Sheet, 'columns'>;

/** Whether a batch costs less than the bound. The cost of recalculating dependent formulas is unknown at this point. */
export function isSmallBatch(edits: readonly Edit[], base: Snapshot, inline: InlineBounds): boolean {
  let left = inline.values - edits.length;
  const size = edits.every(({ kind }) => CELL_EDITS.has(kind)) ? 0 : estimateStructureCost(base, inline);
  for (const edit of edits) {
    if (left < 0) return false;
    left -= estimateEditCost(edit, base, { size, inline, limit: left });
  }
  return left >= 0;
}

/** The minimum cost of any structural change: all entries and all formulas that may have to follow. */
function estimateStructureCost(base: Snapshot, { formulaValues }: InlineBounds): number {
  return measureStructure(base) + countRuns(base) * formulaValues;
}

/** Edits that touch only cells. */
const CELL_EDITS: ReadonlySet<Edit['kind']> = new Set([
  'setValues',
  'putColumns',
  'append',
  'clear',
  'setFormat',
  'styleCells',
  'recalculate',
]);

interface CostBounds {
  /** See `estimateStructureCost`. */
  readonly size: number;
  readonly inline: InlineBounds;
  /** Counting may stop above this value. */
  readonly limit: number;
}

/** The cost of one edit, in entered values. */
function estimateEditCost(edit: Edit, base: Snapshot, bounds: CostBounds): number {
  const { size } = bounds;
  switch (edit.kind) {
    case 'setValues':
    case 'append':
      return estimateValuesCost(edit.values, edit.mode, bounds);
    case 'putColumns':
      return estimatePlainColumns(edit.columns);
    case 'mergeCells':
      return size + edit.areas.length * COST.changedEntry;
    case 'styleCells':
      return countAreaCells(edit.area) * COST.cell;
    case 'clear':
    case 'setFormat':
      return estimateAreaCost(edit, base, COST.cell);
    case 'recalculate':
      return 0;
    case 'sort':
      return size + estimateAreaCost(edit, base, COST.sortedCell);
    case 'removeDuplicates':
    case 'replace':
      return size + estimateAreaCost(edit, base, 2 * COST.cell);
    case 'copy':
      return size + estimateAreaCost(edit, base, 2 * COST.cell);
    case 'fill':
      return size + countAreaCells(edit.to) * 2 * COST.cell;
    case 'duplicateSheet':
    case 'deleteSheet':
      return size * COST.changedEntry + estimateSheetCost(base.sheetById(edit.sheet));
    case 'inheritLines':
      return size + (edit.last - edit.first + 1) * countCrossingLines(edit, base) * COST.cell;
    case 'moveCells':
      return size * COST.changedEntry + estimateMoveCost(edit.move, base);
    case 'takeBack':
      return size * COST.changedEntry + estimateUndoCost(edit.inverse, base, bounds.limit);
    case 'restore':
      return size * COST.changedEntry + edit.state.chunks.length * CHUNK_ROWS + estimateDocumentCost(base);
    case 'setTable':
      return size + (edit.area.right - edit.area.left + 1) * COST.changedEntry;
    case 'renameSheet':
    case 'renameName':
      return size * COST.changedEntry;
    case 'addSheet':
    case 'moveSheet':
    case 'colorSheet':
    case 'hideSheet':
    case 'sizeLines':
    case 'setFilter':
    case 'filterColumn':
    case 'hideLines':
    case 'groupLines':
    case 'unmergeCells':
    case 'attach':
    case 'setSheetPart':
    case 'changeSettings':
    case 'setName':
    case 'deleteName':
    case 'deleteTable':
      return size;
  }
}

/** The sheet's lines across the edited lines that may contain something. */
function countCrossingLines(
  { sheet, axis }: { readonly sheet: number; readonly axis: 'rows' | 'columns' },
  base: Snapshot,
): number {
  const { rows = 0, columns = 0 } = base.sheetById(sheet)?.extent() ?? {};
  return axis === 'rows' ? columns : rows;
}

/** The estimated work of entering values, in units of one plain cell. It stops counting above the limit. */
function estimateValuesCost(
  rows: readonly (readonly Input[])[],
  mode: InputMode,
  { inline, limit }: CostBounds,
): number {
  let cost = 0;
  let width = 0;
  for (const row of rows) {
    width = Math.max(width, row.length);
    cost += row.length;
    if (cost > limit) return cost;
    for (const input of row) if (isFormula(input, mode)) cost += inline.formulaValues;
  }
  return cost + width * Math.ceil(rows.length / CHUNK_ROWS) * COST.chunk;
}

/** The estimated work of writing columns of plain values, in units of one plain cell. */
function estimatePlainColumns(columns: readonly PlainColumn[]): number {
  let cost = 0;
  for (const { rows } of columns) {
    let chunks = 0;
    let last = -1;
    for (const row of rows) {
      const chunk = Math.floor(row / CHUNK_ROWS);
      if (chunk !== last) chunks++;
      last = chunk;
    }
    cost += rows.length + chunks * COST.chunk;
  }
  return cost;
}

function isFormula(input: Input, mode: InputMode): boolean {
  if (typeof input === 'object') return input?.as === 'formula';
  return mode === 'user' && typeof input === 'string' && input.charCodeAt(0) === 61;
}

function countAreaCells({ top, left, bottom, right }: Area): number {
  return Math.max(bottom - top + 1, 0) * Math.max(right - left + 1, 0);
}

/** Cells of an area that may contain something, counted by chunk. Finding the exact used range would take longer. */
function estimateAreaCost(
  { sheet, area }: { readonly sheet: number; readonly area: Area },
  base: Snapshot,
  cellCost: number,
): number {
  const columns = base.sheetById(sheet)?.columns ?? [];
  let cells = 0;
  for (let index = area.left; index <= Math.min(area.right, columns.length - 1); index++) {
    const rows = Math.min(area.bottom + 1, (columns[index]?.blocks ?? 0) * CHUNK_ROWS) - area.top;
    cells += Math.max(rows, 0);
  }
  return cells * cellCost;
}

/** All cells of a sheet, counted by chunk. */
function estimateSheetCost(sheet: SheetColumns | undefined): number {
  return countSheetChunks(sheet) * CHUNK_ROWS * COST.cell;
}

/** Chunks of 256 rows of one column in all sheets, including empty ones between others. */
export function countChunks({ sheets }: Snapshot): number {
  return sheets.reduce((sum, sheet) => sum + countSheetChunks(sheet), 0);
}

function countSheetChunks(sheet: SheetColumns | undefined): number {
  let chunks = 0;
  for (const column of sheet?.columns ?? []) chunks += column?.blocks ?? 0;
  return chunks;
}

/** The estimated work of an edit that visits the whole document, in units of one plain cell. */
function estimateDocumentCost({ sheets }: Snapshot): number {
  return sheets.reduce((sum, sheet) => sum + estimateSheetCost(sheet), 0);
}

/** Columns and chunks of the affected sheets from the first moved line on, plus the cells that the move deletes. */
function estimateMoveCost(move: Move, base: Snapshot): number {
  const sheet = base.sheetById(move.sheet);
  if (move.kind === 'carry') {
    const { area, toSheet, row, column } = move;
    const to = { top: row, left: column, bottom: row + area.bottom - area.top, right: column + area.right - area.left };
    return (
      estimateColumnsCost(sheet, area) +
      estimateColumnsCost(base.sheetById(toSheet), to) +
      estimateAreaCost({ sheet: toSheet, area: to }, base, COST.cell)
    );
  }
  const first = move.kind === 'reorder' ? Math.min(move.at, move.to) : move.at;
  const end = move.kind === 'reorder' ? Math.max(move.at + move.count, move.to) : Number.POSITIVE_INFINITY;
  const { first: from = 0, last = Number.POSITIVE_INFINITY } = ('across' in move ? move.across : undefined) ?? {};
  const createLinesArea = (top: number, bottom: number): Area =>
    move.axis === 'rows'
      ? { top, left: from, bottom, right: last }
      : { top: from, left: top, bottom: last, right: bottom };
  const deletedLines = move.kind === 'delete' ? createLinesArea(move.at, move.at + move.count - 1) : null;
  return (
    estimateColumnsCost(sheet, createLinesArea(first, end - 1)) +
    (deletedLines ? estimateAreaCost({ sheet: move.sheet, area: deletedLines }, base, COST.cell) : 0)
  );
}

/** The columns and chunks that intersect an area. */
function estimateColumnsCost(sheet: SheetColumns | undefined, { top, left, bottom, right }: Area): number {
  let cost = 0;
  const columns = sheet?.columns ?? [];
  for (let index = left; index <= Math.min(right, columns.length - 1); index++) {
    const blocks = columns[index]?.blocks ?? 0;
    const met = Math.min(blocks, Math.floor(bottom / CHUNK_ROWS) + 1) - Math.floor(top / CHUNK_ROWS);
    if (blocks > 0) cost += COST.movedColumn + Math.max(met, 0) * COST.movedChunk;
  }
  return cost;
}

/**
 * The estimated work of an undo. A few bytes can clear or move very many cells, or delete a sheet with all its cells.
 */
function estimateUndoCost(bytes: Uint8Array, base: Snapshot, limit: number): number {
  if (bytes.length > limit) return bytes.length;
  const { head, blocks } = decodeOutline(bytes);
  let moved = 0;
  for (const move of head.moves ?? []) if (moved <= limit) moved += estimateMoveCost(move, base);
  const deletedCost = (head.gone ?? []).reduce((sum, sheet) => sum + estimateSheetCost(base.sheetById(sheet)), 0);
  const writtenCost = blocks.reduce((sum, { area }) => sum + countAreaCells(area) * COST.cell, 0);
  return bytes.length + moved + deletedCost + writtenCost;
}
