import type { AreaNode, CellNode } from '../formula/ast.ts';
import type { TotalKind } from '../functions/spec.ts';
import { resolveCoordinate } from '../graph/precedent.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';
import { EMPTY, NUMBER, TYPE_MASK } from '../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { ChunkTable } from '../sheet/chunk-table.ts';
import { getColumnTotals } from '../sheet/column-totals.ts';
import type { Draft } from '../sheet/draft.ts';
import type { Column, Sheet } from '../sheet/snapshot.ts';
import type { Run } from '../sheet/template.ts';
import type { Meter } from './budget.ts';
import { countReadsAbove, type Kernel, type KernelNode, type KernelOperator } from './kernel.ts';
import { accumulate, accumulateBehind, copyNumbers, LOOPS } from './number-loops.ts';
import { computePlainArithmetic } from './operators.ts';

/** A column of operands: one number for all rows, or one per row. */
type Operand = number | Float64Array;

/** Runs kernels over blocks of rows. Owns the arrays for intermediate results of one recalculation. */
export class BlockCalculator {
  private readonly draft: Draft;
  private readonly meter: Meter;
  private readonly pool: Float64Array[] = [];
  private used = 0;
  private run: Run = { sheet: 0, column: 0, top: 0, bottom: 0, template: null as never, writer: null };
  private first = 0;
  private count = 0;

  constructor(draft: Draft, meter: Meter) {
    this.draft = draft;
    this.meter = meter;
  }

  /**
   * Calculates rows `first` to `first + count - 1`, at most 256, into `out`. Returns false if an operand is not a
   * number, if a result is an error, or if a row reads another of these rows. The caller must then calculate each cell
   * separately.
   */
  calculate(kernel: Kernel, run: Run, first: number, count: number, out: Float64Array): boolean {
    this.used = 0;
    this.run = run;
    this.first = first;
    this.count = count;
    const { root } = kernel;
    if (!kernel.serial && root.k === 'binary') {
      const left = this.evaluateNode(root.left);
      const right = left === null ? null : this.evaluateNode(root.right);
      if (right === null) return false;
      return LOOPS[root.op](this.toVector(left as Operand), this.toVector(right), out, count);
    }
    const result = kernel.serial ? this.calculateSerially(root) : this.evaluateNode(root);
    return result !== null && copyNumbers(this.toVector(result), out, count);
  }

  /** Returns a vector of the pool. Its numbers are undefined. */
  private takeVector(): Float64Array {
    const spare = this.pool[this.used];
    if (spare) {
      this.used++;
      return spare;
    }
    const fresh = new Float64Array(CHUNK_ROWS);
    this.pool.push(fresh);
    this.used++;
    return fresh;
  }

  /** The values of a part of the formula for all rows; null if the block kernel cannot calculate one of them. */
  private evaluateNode(node: KernelNode): Operand | null {
    switch (node.k) {
      case 'constant':
        return node.value;
      case 'cell':
        return this.readCells(node.node);
      case 'above':
        return null;
      case 'total':
        return this.calculateTotals(node.total, node.node);
      case 'negate': {
        const arg = this.evaluateNode(node.arg);
        return arg === null ? null : this.combineOperands('-', 0, arg);
      }
      case 'binary': {
        const left = this.evaluateNode(node.left);
        const right = left === null ? null : this.evaluateNode(node.right);
        return right === null ? null : this.combineOperands(node.op, left as Operand, right);
      }
    }
  }

  /** Returns the results for all rows: null if one of several, or NaN if the only one, is not a plain number. */
  private combineOperands(op: KernelOperator, a: Operand, b: Operand): Operand | null {
    if (typeof a === 'number' && typeof b === 'number') return computePlainArithmetic(op, a, b);
    const out = this.takeVector();
    return LOOPS[op](this.toVector(a), this.toVector(b), out, this.count) ? out : null;
  }

  /** Returns the numbers of an operand, one for each row. */
  private toVector(operand: Operand): Float64Array {
    return typeof operand === 'number' ? this.takeVector().fill(operand, 0, this.count) : operand;
  }

  /**
   * The numbers of a reference to one cell per row, 0 for blanks. Null if one is another value, is outside the grid or
   * is calculated in this block.
   */
  private readCells(node: CellNode): Operand | null {
    if (node.sheet && !('id' in node.sheet)) return null;
    const sheet = this.draft.sheet(node.sheet ? node.sheet.id : this.draft.formulaSheet(this.run.sheet));
    const column = resolveCoordinate(node.column, this.run.column);
    const top = resolveCoordinate(node.row, this.first);
    const bottom = node.row.absolute ? top : top + this.count - 1;
    if (!sheet || column < 0 || column >= MAX_COLUMNS || top < 0 || bottom >= MAX_ROWS) return null;
    const isOwn = sheet.id === this.run.sheet && column === this.run.column;
    if (isOwn && top < this.first + this.count && bottom >= this.first) return null;
    const chunks = sheet.columns[column]?.chunks;
    if (top === bottom && node.row.absolute) {
      const chunk = chunks?.at(top >> CHUNK_SHIFT);
      if (chunk === undefined) return 0;
      const type = chunk.kind(top & CHUNK_MASK) & TYPE_MASK;
      if (type === EMPTY) return 0;
      return type === NUMBER ? chunk.number(top & CHUNK_MASK) : null;
    }
    const chunk = chunks?.at(top >> CHUNK_SHIFT);
    if ((top & CHUNK_MASK) === 0 && chunk && chunk.rows >= this.count && chunk.isAllNumbers) return chunk.numbers;
    const out = this.takeVector();
    return loadNumbers(chunks, top, this.count, out) ? out : null;
  }

  /** A total of a range for each row; null if the block kernel cannot calculate one of them. */
  private calculateTotals(kind: TotalKind, node: AreaNode): Operand | null {
    if (node.sheet && !('id' in node.sheet)) return null;
    const sheet = this.draft.sheet(node.sheet ? node.sheet.id : this.draft.formulaSheet(this.run.sheet));
    const a = resolveCoordinate(node.left, this.run.column);
    const b = resolveCoordinate(node.right, this.run.column);
    const left = Math.min(a, b);
    const right = Math.max(a, b);
    if (!sheet || left < 0 || right >= MAX_COLUMNS) return null;
    const isOwn = sheet.id === this.run.sheet && this.run.column >= left && this.run.column <= right;
    if (isOwn) return null;
    const fixed = node.top.absolute && node.bottom.absolute;
    const rows = fixed ? 1 : this.count;
    const out = this.takeVector();
    const last = Math.min(right, sheet.columns.length - 1);
    this.meter.spendCells(rows * Math.max(1, last - left + 1));
    const only = left === right ? sheet.columns[left] : undefined;
    if (only && node.top.absolute && !fixed) return this.calculateGrowingTotals(kind, only, node, out) ? out : null;
    for (let i = 0; i < rows; i++) {
      const total = this.calculateTotal(kind, sheet, node, this.first + i, left, last);
      if (total === null) return null;
      out[i] = total;
    }
    return fixed ? out[0]! : out;
  }

  /**
   * Calculates totals such as `SUM(A$1:A9)` filled down. Each row continues from the row above, which is cheaper than
   * summing its own range.
   */
  private calculateGrowingTotals(kind: TotalKind, column: Column, node: AreaNode, out: Float64Array): boolean {
    const fixed = node.top.at;
    for (let i = 0; i < this.count; i++) {
      const moving = this.first + i + node.bottom.at;
      if (moving < 0 || moving >= MAX_ROWS) return false;
      const totals = getColumnTotals(column, Math.min(fixed, moving), Math.max(fixed, moving));
      if ((totals.errorRow >= 0 && kind !== 'count') || (kind === 'average' && totals.count === 0)) return false;
      out[i] = kind === 'sum' ? totals.sum : kind === 'count' ? totals.count : totals.sum / totals.count;
    }
    return true;
  }

  /**
   * The total of the range that the formula of one row reads. Null for an area outside the grid, an average without
   * numbers, or an error, which only a count ignores.
   */
  private calculateTotal(
    kind: TotalKind,
    sheet: Sheet,
    node: AreaNode,
    row: number,
    left: number,
    right: number,
  ): number | null {
    const a = resolveCoordinate(node.top, row);
    const b = resolveCoordinate(node.bottom, row);
    const top = Math.min(a, b);
    const bottom = Math.max(a, b);
    if (top < 0 || bottom >= MAX_ROWS) return null;
    let sum = 0;
    let count = 0;
    for (let column = left; column <= right; column++) {
      const existingColumn = sheet.columns[column];
      if (!existingColumn) continue;
      const totals = getColumnTotals(existingColumn, top, bottom);
      if (totals.errorRow >= 0 && kind !== 'count') return null;
      sum += totals.sum;
      count += totals.count;
    }
    if (kind === 'sum') return sum;
    if (kind === 'count') return count;
    return count === 0 ? null : sum / count;
  }

  /**
   * Calculates each row from the row above. First calculates the parts that do not depend on the row above, for all
   * rows at once.
   */
  private calculateSerially(root: KernelNode): Operand | null {
    const steps: BlockStep[] = [];
    if (!this.collectSteps(root, steps)) return null;
    const above = this.readValueAbove();
    if (above === null) return null;
    const out = this.takeVector();
    const [only] = steps;
    if (steps.length === 1 && only?.op === '+' && typeof only.operand !== 'number') {
      (only.reversed ? accumulateBehind : accumulate)(above, only.operand, out, this.count);
      return out;
    }
    let value = above;
    for (let i = 0; i < this.count; i++) {
      for (const step of steps) value = applyStep(step, value, i);
      out[i] = value;
    }
    return out;
  }

  /** The number above the first row of the block, 0 for a blank; null for other contents and above the grid. */
  private readValueAbove(): number | null {
    if (this.first === 0) return null;
    const sheet = this.draft.sheet(this.run.sheet);
    const row = this.first - 1;
    const value = sheet?.value(row, this.run.column) ?? 0;
    return typeof value === 'number' ? value : null;
  }

  /** The operations from the cell above to the result, innermost first. */
  private collectSteps(node: KernelNode, steps: BlockStep[]): boolean {
    if (node.k === 'above') return true;
    if (node.k === 'negate') {
      if (!this.collectSteps(node.arg, steps)) return false;
      steps.push({ op: '-', operand: 0, reversed: true });
      return true;
    }
    if (node.k !== 'binary') return false;
    const reversed = countReadsAbove(node.right) === 1;
    const operand = this.evaluateNode(reversed ? node.left : node.right);
    if (operand === null || !this.collectSteps(reversed ? node.right : node.left, steps)) return false;
    steps.push({ op: node.op, operand, reversed });
    return true;
  }
}

interface BlockStep {
  readonly op: KernelOperator;
  readonly operand: Operand;
  /** True for `operand op value`, false for `value op operand`. */
  readonly reversed: boolean;
}

function applyStep(step: BlockStep, value: number, index: number): number {
  const operand = typeof step.operand === 'number' ? step.operand : step.operand[index]!;
  const a = step.reversed ? operand : value;
  const b = step.reversed ? value : operand;
  return computePlainArithmetic(step.op, a, b);
}

/** Copies numbers of a column, with 0 for blanks. Returns false if the rows contain anything else. */
function loadNumbers(chunks: ChunkTable | undefined, top: number, count: number, out: Float64Array): boolean {
  let done = 0;
  while (done < count) {
    const row = top + done;
    const at = row & CHUNK_MASK;
    const piece = Math.min(count - done, CHUNK_ROWS - at);
    const chunk = chunks?.at(row >> CHUNK_SHIFT);
    if (!chunk) out.fill(0, done, done + piece);
    else {
      const { kinds, numbers } = chunk;
      const stored = Math.max(0, Math.min(piece, kinds.length - at));
      for (let i = 0; i < stored; i++) {
        const type = kinds[at + i]! & TYPE_MASK;
        if (type === NUMBER) out[done + i] = numbers[at + i]!;
        else if (type === EMPTY) out[done + i] = 0;
        else return false;
      }
      if (stored < piece) out.fill(0, done + stored, done + piece);
    }
    done += piece;
  }
  return true;
}
