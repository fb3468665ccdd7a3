/** A cell of the model. Its id stays the same when it moves. */
export interface WalkCell {
  readonly id: number;
  readonly text: string;
}

/** The cells of a sheet as the walk expects them. */
export type WalkGrid = readonly (readonly WalkCell[])[];

export interface WalkPosition {
  readonly row: number;
  readonly column: number;
}

export const WALK_ROWS = 30;
export const WALK_COLUMNS = 10;

const EMPTY: WalkCell = { id: -1, text: '' };

export function addressOf({ row, column }: WalkPosition): string {
  return `${columnOf(column)}${row + 1}`;
}

export function columnOf(column: number): string {
  return 'ABCDEFGHIJ'[column] ?? '';
}

/** A grid with an id for each cell, also for empty ones. */
export function gridOf(texts: readonly (readonly string[])[]): WalkGrid {
  return texts.map((line, row) => line.map((text, column) => ({ id: row * WALK_COLUMNS + column, text })));
}

export function textsOf(grid: WalkGrid): readonly (readonly string[])[] {
  return grid.map((line) => line.map(({ text }) => text));
}

/** The cells that differ from the expected ones. */
export function differences(
  expected: readonly (readonly string[])[],
  now: readonly (readonly string[])[],
): readonly string[] {
  return expected.flatMap((line, row) =>
    line.flatMap((text, column) => {
      const actual = now[row]?.[column];
      return actual === text ? [] : [`${addressOf({ row, column })} is “${actual}” instead of “${text}”`];
    }),
  );
}

/** All texts in order of the alphabet. */
export function sortedTexts(texts: readonly (readonly string[])[]): readonly string[] {
  return texts
    .flat()
    .filter((text) => text !== '')
    .toSorted();
}

/** The number of rows and columns with texts. */
export function usedSize(grid: WalkGrid): { readonly rows: number; readonly columns: number } {
  const rows = grid.findLastIndex((line) => line.some(({ text }) => text !== '')) + 1;
  const columns = Math.max(...grid.map((line) => line.findLastIndex(({ text }) => text !== '') + 1));
  return { rows, columns };
}

export function insertRows(grid: WalkGrid, at: number, count: number): WalkGrid {
  return [...grid.slice(0, at), ...Array.from({ length: count }, emptyLine), ...grid.slice(at)].slice(0, WALK_ROWS);
}

export function deleteRow(grid: WalkGrid, at: number): WalkGrid {
  return [...grid.slice(0, at), ...grid.slice(at + 1), emptyLine()];
}

/** Exchanges a row with the row below it. */
export function moveRowDown(grid: WalkGrid, at: number): WalkGrid {
  return [...grid.slice(0, at), ...grid.slice(at + 1, at + 2), ...grid.slice(at, at + 1), ...grid.slice(at + 2)];
}

export function insertColumn(grid: WalkGrid, at: number): WalkGrid {
  return grid.map((line) => [...line.slice(0, at), EMPTY, ...line.slice(at)].slice(0, WALK_COLUMNS));
}

export function deleteColumn(grid: WalkGrid, at: number): WalkGrid {
  return grid.map((line) => [...line.slice(0, at), ...line.slice(at + 1), EMPTY]);
}

/** Moves a cell over another one. */
export function moveCell(grid: WalkGrid, from: WalkPosition, to: WalkPosition): WalkGrid {
  const moved = grid[from.row]?.[from.column] ?? EMPTY;
  return setCell(setCell(grid, from, EMPTY), to, moved);
}

export function setText(grid: WalkGrid, at: WalkPosition | null, text: string): WalkGrid {
  if (at === null) return grid;
  return setCell(grid, at, { id: grid[at.row]?.[at.column]?.id ?? EMPTY.id, text });
}

/** Where a cell is now that was at a position of the first grid; null if it was deleted. */
export function positionIn(grid: WalkGrid, first: WalkPosition): WalkPosition | null {
  const id = first.row * WALK_COLUMNS + first.column;
  for (const [row, line] of grid.entries()) {
    const column = line.findIndex((cell) => cell.id === id);
    if (column >= 0) return { row, column };
  }
  return null;
}

function setCell(grid: WalkGrid, at: WalkPosition, cell: WalkCell): WalkGrid {
  return grid.map((line, row) =>
    row === at.row ? line.map((old, column) => (column === at.column ? cell : old)) : line,
  );
}

function emptyLine(): readonly WalkCell[] {
  return Array.from({ length: WALK_COLUMNS }, () => EMPTY);
}
