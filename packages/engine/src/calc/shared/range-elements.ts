import type { AreaNode, Node } from '../../formula/ast.ts';
import type { VariableScope } from '../../functions/forms/environment.ts';
import { findFirstAtLeast } from '../../functions/sorted.ts';
import type { Matrix, Reference } from '../../functions/value.ts';
import type { Scalar } from '../../value/scalar.ts';
import { countRows, hasNearNumbers, readColumn, referToRow } from '../comparisons/range-conditions.ts';
import type { Evaluation } from '../evaluation.ts';
import { compileArea } from '../references.ts';
import type { ElementArray, PickedKind } from './array-index.ts';
import { isFixedArray } from './expression-kinds.ts';

/**
 * Ranges that differ from formula to formula, such as `B$1:B9` in each row. Their elements are read from the cells, and
 * the index of the column finds values.
 */

/** Number of rows of an index that count as one cell of the budget, as a power of two. */
const ROWS_PER_CELL_LOG2 = 4;

/** True for a range that is not the same for every row. */
export function isMovingRange(node: Node, names: VariableScope | null): node is AreaNode {
  return node.k === 'area' && !isFixedArray(node, names);
}

/** Returns the elements of a range with one column; null for other ranges and short ones. */
export function compileRangeElements(node: AreaNode): (e: Evaluation) => RangeElements | null {
  const code = compileArea(node);
  return (e) => {
    const range = readColumn(e, code);
    return range && new RangeElements(e, range);
  };
}

class RangeElements implements ElementArray {
  readonly length: number;
  readonly hasErrors: boolean;
  private readonly e: Evaluation;
  private readonly range: Reference;

  constructor(e: Evaluation, range: Reference) {
    this.e = e;
    this.range = range;
    this.length = countRows(range);
    this.hasErrors = e.computeTotals(range).error !== null;
  }

  at(row: number): Scalar {
    const [{ sheet, top, left }] = this.range.areas;
    return this.e.readCell(sheet, top + row, left);
  }

  formatAt(row: number): number {
    return this.e.formats?.findReferenceFormat(referToRow(this.range.areas[0], row)) ?? 0;
  }

  /** Blanks are equal to 0, FALSE and empty texts, and near numbers to each other. The index does not know either. */
  findEqualRows(value: Scalar): readonly number[] | null {
    const { e, range } = this;
    if (typeof value !== 'number' && typeof value !== 'string' && typeof value !== 'boolean') return null;
    if (value === 0 || value === '' || value === false) return null;
    if (typeof value === 'number' && hasNearNumbers(e, range, value)) return null;
    const [area] = range.areas;
    const rows = e.findRowsWithValue(area, value, false);
    if (rows === null) return null;
    const from = findFirstAtLeast(rows, area.top);
    const to = findFirstAtLeast(rows, area.bottom + 1);
    e.spendCells((to - from) >> ROWS_PER_CELL_LOG2);
    return rows.slice(from, to).map((row) => row - area.top);
  }

  findPicked(_rows: readonly number[], _kind: PickedKind, pick: () => Matrix): Matrix {
    return pick();
  }

  findSelection(): undefined {
    return undefined;
  }

  storeSelection(): void {
    // The range of the next formula has other rows.
  }
}
