import type { CellAreas } from '../calc/change-log.ts';
import { type Area, area } from '../grid/area.ts';
import { EMPTY, FORMULA, SPILLED } from '../sheet/cell-kind.ts';
import { CHUNK_ROWS, CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import type { Column, Sheet, Snapshot } from '../sheet/snapshot.ts';
import { areSameNode, type Run } from '../sheet/template.ts';

/** True if the inputs of a cell differ between two states. Ignores formats. */
export function isInputChanged(old: Sheet, current: Sheet, row: number, column: number): boolean {
  const kind = readInputKind(old, row, column);
  if (kind !== readInputKind(current, row, column)) return true;
  if (kind === EMPTY) return false;
  if (kind !== FORMULA) return !Object.is(old.value(row, column), current.value(row, column));
  return !isSameFormula(old.run(row, column), current.run(row, column));
}

/** The kind of a cell's input, `FORMULA` for any formula. A spilled value is not input. */
export function readInputKind(sheet: Sheet, row: number, column: number): number {
  const kind = sheet.kind(row, column);
  if ((kind & FORMULA) !== 0) return FORMULA;
  return (kind & SPILLED) !== 0 ? EMPTY : kind;
}

/** True if two cells have the same formula with the same writer. */
export function isSameFormula(a: Run | undefined, b: Run | undefined): boolean {
  if (a === undefined || b === undefined || a.writer !== b.writer) return a === b;
  return a.template === b.template || areSameNode(a.template.node, b.template.node);
}

/**
 * The cells whose inputs or formats differ between two states, in sheets of both. The states share their format table.
 */
export function findChangedInputs(before: Snapshot, after: Snapshot): readonly CellAreas[] {
  return before.sheets.flatMap((old) => {
    const now = after.sheetById(old.id);
    if (now === undefined || now === old) return [];
    const areas: Area[] = [];
    for (let column = 0; column < Math.max(old.columns.length, now.columns.length); column++) {
      collectChangedRows(old, now, column, areas);
    }
    return areas.length === 0 ? [] : [{ sheet: old.id, areas }];
  });
}

function collectChangedRows(old: Sheet, current: Sheet, column: number, areas: Area[]): void {
  const [before, after] = [old.columns[column], current.columns[column]];
  if (before === after) return;
  let first = -1;
  const end = Math.max(countRows(before), countRows(after));
  const hasFormulas = (before?.runList.length ?? 0) + (after?.runList.length ?? 0) > 0;
  for (let row = 0; row < end; row++) {
    if ((row & (CHUNK_ROWS - 1)) === 0 && !hasFormulas && isSameBlock(before, after, row)) {
      if (first >= 0) areas.push(area(first, column, row - 1, column));
      first = -1;
      row += CHUNK_ROWS - 1;
      continue;
    }
    const differs =
      isInputChanged(old, current, row, column) || old.format(row, column) !== current.format(row, column);
    if (differs && first < 0) first = row;
    if (differs || first < 0) continue;
    areas.push(area(first, column, row - 1, column));
    first = -1;
  }
  if (first >= 0) areas.push(area(first, column, end - 1, column));
}

function countRows(column: Column | undefined): number {
  const last = (column?.chunks.length ?? 0) - 1;
  return last < 0 ? 0 : (last << CHUNK_SHIFT) + (column?.chunks.at(last)?.rows ?? 0);
}

/** True if the chunk of a row is the same object, or contains only numbers that are equal and in equal formats. */
function isSameBlock(column: Column | undefined, otherColumn: Column | undefined, row: number): boolean {
  const [a, b] = [column?.chunks.at(row >> CHUNK_SHIFT), otherColumn?.chunks.at(row >> CHUNK_SHIFT)];
  if (a === b) return a !== undefined || column?.format === otherColumn?.format;
  return a !== undefined && b !== undefined && a.rows === b.rows && haveSameNumbers(a, b);
}

function haveSameNumbers(a: Chunk, b: Chunk): boolean {
  const areNumbers = a.isAllNumbers && a.uniformKind() === b.uniformKind();
  return areNumbers && typeof a.formats === 'number' && a.formats === b.formats && a.containsNumbers(b.numbers);
}
