/** A cell of the model. Its id stays the same when the cell moves. */
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

export function formatAddress({ row, column }: WalkPosition): string {
  return `${formatColumn(column)}${row + 1}`;
}

export function formatColumn(column: number): string {
  return 'ABCDEFGHIJ'[column] ?? '';
}

/** Creates a grid with an id for each cell, also for empty ones. */
export function createWalkGrid(texts: readonly (readonly string[])[]): WalkGrid {
  return texts.map((line, row) => line.map((text, column) => ({ id: row * WALK_COLUMNS + column, text })));
}

export function readGridTexts(grid: WalkGrid): readonly (readonly string[])[] {
  return grid.map((line) => line.map(({ text }) => text));
}

/** The cells that differ from the expected ones. */
export function listDifferences(
  expected: readonly (readonly string[])[],
  currentTexts: readonly (readonly string[])[],
): readonly string[] {
  return expected.flatMap((line, row) =>
    line.flatMap((text, column) => {
      const actual = currentTexts[row]?.[column];
      return actual === text ? [] : [`${formatAddress({ row, column })} is “${actual}” instead of “${text}”`];
    }),
  );
}

/** All texts in alphabetical order. */
export function sortTexts(texts: readonly (readonly string[])[]): readonly string[] {
  return texts
    .flat()
    .filter((text) => text !== '')
    .toSorted();
}

/** The number of rows and columns with texts. */
export function measureUsedSize(grid: WalkGrid): { readonly rows: number; readonly columns: number } {
  const rows = grid.findLastIndex((line) => line.some(({ text }) => text !== '')) + 1;
  const columns = Math.max(...grid.map((line) => line.findLastIndex(({ text }) => text !== '') + 1));
  return { rows, columns };
}

export function insertRows(grid: WalkGrid, row: number, count: number): WalkGrid {
  return [...grid.slice(0, row), ...Array.from({ length: count }, createEmptyLine), ...grid.slice(row)].slice(
    0,
    WALK_ROWS,
  );
}

export function deleteRow(grid: WalkGrid, row: number): WalkGrid {
  return [...grid.slice(0, row), ...grid.slice(row + 1), createEmptyLine()];
}

/** Exchanges a row with the row below it. */
export function moveRowDown(grid: WalkGrid, row: number): WalkGrid {
  return [...grid.slice(0, row), ...grid.slice(row + 1, row + 2), ...grid.slice(row, row + 1), ...grid.slice(row + 2)];
}

export function insertColumn(grid: WalkGrid, column: number): WalkGrid {
  return grid.map((line) => [...line.slice(0, column), EMPTY, ...line.slice(column)].slice(0, WALK_COLUMNS));
}

export function deleteColumn(grid: WalkGrid, column: number): WalkGrid {
  return grid.map((line) => [...line.slice(0, column), ...line.slice(column + 1), EMPTY]);
}

/** Moves a cell over another one. */
export function moveCell(grid: WalkGrid, from: WalkPosition, to: WalkPosition): WalkGrid {
  const moved = grid[from.row]?.[from.column] ?? EMPTY;
  return setCell(setCell(grid, from, EMPTY), to, moved);
}

export function setText(grid: WalkGrid, position: WalkPosition | null, text: string): WalkGrid {
  if (position === null) return grid;
  return setCell(grid, position, { id: grid[position.row]?.[position.column]?.id ?? EMPTY.id, text });
}

/** Finds the present position of a cell by its position in the first grid; null if the cell was deleted. */
export function findPosition(grid: WalkGrid, first: WalkPosition): WalkPosition | null {
  const id = first.row * WALK_COLUMNS + first.column;
  for (const [row, line] of grid.entries()) {
    const column = line.findIndex((cell) => cell.id === id);
    if (column >= 0) return { row, column };
  }
  return null;
}

function setCell(grid: WalkGrid, position: WalkPosition, cell: WalkCell): WalkGrid {
  return grid.map((line, row) =>
    row === position.row ? line.map((old, column) => (column === position.column ? cell : old)) : line,
  );
}

function createEmptyLine(): readonly WalkCell[] {
  return Array.from({ length: WALK_COLUMNS }, () => EMPTY);
}
