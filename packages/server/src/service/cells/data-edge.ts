import { CHUNK_ROWS, type Sheet } from '@cellwire/engine';

export type EdgeDirection = 'up' | 'down' | 'left' | 'right';

/** Zero-based. */
export interface EdgePosition {
  readonly row: number;
  readonly column: number;
}

/** The cells of one row or column, by index. */
interface CellLine {
  /** One past the last index in use. */
  readonly length: number;
  isFilled(place: number): boolean;
  /** The nearest index from `place` in a direction that may be filled; the cells before it are empty. -1: none. */
  findNearestFilled(place: number, by: 1 | -1): number;
}

/** Cells visited between two pauses. */
const CELLS_PER_STEP = 256;

/** See `findDataEdge`. The cost depends on the number of filled cells, not on their distance. Yields regularly. */
export function* findEdgeInSteps(
  sheet: Sheet,
  from: EdgePosition,
  direction: EdgeDirection,
): Generator<void, EdgePosition> {
  const by = direction === 'down' || direction === 'right' ? 1 : -1;
  if (direction === 'left' || direction === 'right') {
    const column = yield* findLineEdge(toRowLine(sheet, from.row), from.column, by);
    return { row: from.row, column };
  }
  const row = yield* findLineEdge(toColumnLine(sheet, from.column), from.row, by);
  return { row, column: from.column };
}

/**
 * The last cell of the filled run that continues from `from`; without such a run, the next filled cell. If there is
 * none, the first index of the line, or the last one in use.
 */
function* findLineEdge(line: CellLine, from: number, step: 1 | -1): Generator<void, number> {
  const isFilled = (place: number) => place >= 0 && place < line.length && line.isFilled(place);
  const next = from + step;
  if (isFilled(from) && isFilled(next)) {
    let last = next;
    for (; isFilled(last + step); last += step) if (last % CELLS_PER_STEP === 0) yield;
    return last;
  }
  // A start beyond the cells in use skips the empty cells before them.
  const start = step < 0 ? Math.min(next, line.length - 1) : next;
  for (let at = line.findNearestFilled(start, step); at >= 0; at = line.findNearestFilled(at + step, step)) {
    if (isFilled(at)) return at;
    if (at % CELLS_PER_STEP === 0) yield;
  }
  return step < 0 ? 0 : Math.max(from, line.length - 1);
}

/** A column as a line of cells, for the search of the next filled cell. */
function toColumnLine(sheet: Sheet, column: number): CellLine {
  const { rows: length } = sheet.extent();
  const chunks = sheet.columns[column]?.chunks;
  return {
    length,
    isFilled: (row) => sheet.value(row, column) !== null,
    findNearestFilled: (row, by) => {
      if (chunks === undefined || row < 0 || row >= length) return -1;
      const block = Math.floor(row / CHUNK_ROWS);
      const nearest = by > 0 ? chunks.nextBlockWithChunk(block) : chunks.previousBlockWithChunk(block + 1);
      if (nearest === block) return row;
      if (nearest < 0 || nearest >= chunks.length) return -1;
      return by > 0 ? nearest * CHUNK_ROWS : (nearest + 1) * CHUNK_ROWS - 1;
    },
  };
}

/** A row as a line of cells, for the search of the next filled cell. */
function toRowLine(sheet: Sheet, row: number): CellLine {
  const { columns: length } = sheet.extent();
  return {
    length,
    isFilled: (column) => sheet.value(row, column) !== null,
    findNearestFilled: (column, by) => {
      for (let at = column; at >= 0 && at < length; at += by) if (sheet.columns[at] !== undefined) return at;
      return -1;
    },
  };
}
