import { type Area, areaText, parseArea, splitSheetPrefix } from '@cellwire/engine';
import { useEffect, useState } from 'react';
import { getDisplayedCells, type ProposedChange } from '../data/proposals.ts';
import type { Cell } from '../data/types.ts';
import { createEditText, formatNumber, type InputLocale } from '../grid/formula/cell-text.ts';
import { qualifyRange } from '../grid/session/sheet-ranges.ts';

/** A changed cell with its position. Rows and columns count from 0. */
interface PlacedChange {
  readonly change: ProposedChange;
  readonly sheet: string;
  readonly row: number;
  readonly column: number;
}

export function locateChange(change: ProposedChange): PlacedChange | null {
  const parts = splitSheetPrefix(change.cell);
  const at = parts === null ? null : parseArea(parts.rest);
  return parts?.sheet == null || at === null ? null : { change, sheet: parts.sheet, row: at.top, column: at.left };
}

/** Maximum cells of a sheet that are read for the formats of changed cells. */
const MAX_CELLS_BEFORE = 20_000;

/** The present cells that a proposal changes, by their names. Cells of sheets where the changes are far apart are left out. */
export function useCellsBefore(document: string, changes: readonly ProposedChange[]): ReadonlyMap<string, Cell> {
  const [cells, setCells] = useState<ReadonlyMap<string, Cell>>(new Map());
  useEffect(() => {
    let isOver = false;
    void readCellsBefore(document, changes).then((found) => {
      if (!isOver) setCells(found);
    });
    return () => {
      isOver = true;
    };
  }, [document, changes]);
  return cells;
}

async function readCellsBefore(
  document: string,
  changes: readonly ProposedChange[],
): Promise<ReadonlyMap<string, Cell>> {
  const placed = changes.map(locateChange).filter((one) => one !== null);
  const bySheet = Map.groupBy(placed, ({ sheet }) => sheet);
  const read = [...bySheet].map(async ([sheet, onSheet]) => {
    const area = findBounds(onSheet);
    if ((area.bottom - area.top + 1) * (area.right - area.left + 1) > MAX_CELLS_BEFORE) return [];
    const answer = await getDisplayedCells(document, qualifyRange(sheet, areaText(area)));
    const cells = answer.ok ? answer.value.values.cells : [];
    return onSheet.flatMap(({ change, row, column }) => {
      const cell = cells[row - area.top]?.[column - area.left] ?? null;
      return cell === null ? [] : [[change.cell, cell] as const];
    });
  });
  return new Map((await Promise.all(read)).flat());
}

function findBounds(placed: readonly PlacedChange[]): Area {
  const start = { top: Number.POSITIVE_INFINITY, left: Number.POSITIVE_INFINITY, bottom: 0, right: 0 };
  return placed.reduce(
    ({ top, left, bottom, right }, { row, column }) => ({
      top: Math.min(top, row),
      left: Math.min(left, column),
      bottom: Math.max(bottom, row),
      right: Math.max(right, column),
    }),
    start,
  );
}

export function isEmpty(value: unknown): boolean {
  return value === null || value === '';
}

/** Text of a value in the document's locale. The cell that has it now, or had it before, decides the kind of number. */
export function formatProposedValue(value: unknown, cell: Cell | null, inputLocale: InputLocale): string {
  if (typeof value === 'object' && value !== null && 'error' in value) return String(value.error);
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value !== 'number') return String(value);
  if (cell === null || typeof cell.v !== 'number') return formatNumber(value, inputLocale);
  if (cell.v === value) return cell.m;
  const { f: _formula, ...formatted } = cell;
  return createEditText({ ...formatted, v: value }, inputLocale);
}
