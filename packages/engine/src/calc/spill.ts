import { Matrix } from '../functions/value.ts';
import { type Area, area, contains } from '../grid/area.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';
import { EMPTY, FORMULA, NUMBER, SPILLED } from '../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import type { Draft } from '../sheet/draft.ts';
import { createAnchorKey, type Sheet, type Spill } from '../sheet/snapshot.ts';
import type { Run } from '../sheet/template.ts';
import { NA, SPILL } from '../value/errors.ts';
import type { Scalar } from '../value/scalar.ts';
import type { Meter } from './budget.ts';
import type { ChangeLog } from './change-log.ts';
import { removeInferredFormat } from './result-formats.ts';

/** The cells that a result fills and did not fill before, and the cells that it no longer fills. */
export interface SpillPlacement {
  /** Areas that the spill fills and did not fill before. */
  readonly grown: readonly Area[];
  /**
   * An area with cells that became empty. Null if there are none: an area causes blocked anchors to be calculated
   * again.
   */
  readonly freed: Area | null;
}

const SPILLED_NUMBER = NUMBER | SPILLED;

const NOTHING: SpillPlacement = { grown: [], freed: null };

/** Writes and clears results that fill more than one cell. */
export class SpillPlacer {
  private readonly draft: Draft;
  private readonly changes: ChangeLog;
  private readonly meter: Meter;

  constructor(draft: Draft, changes: ChangeLog, meter: Meter) {
    this.meter = meter;
    this.draft = draft;
    this.changes = changes;
  }

  /** Writes a cell and records the change if the value differs. */
  writeCell(sheet: Sheet, row: number, column: number, value: Scalar, flags: number): void {
    if (this.draft.setDerived(sheet, row, column, value, flags)) this.changes.add(sheet.id, row, column);
  }

  /** Writes one scalar into a formula's cell. Frees the area that it filled before. */
  placeScalar(sheet: Sheet, row: number, column: number, value: Scalar): SpillPlacement {
    const old = sheet.spills.size > 0 ? sheet.spills.get(createAnchorKey(row, column)) : undefined;
    if (old?.fixed) return this.fillArea(sheet, old, new Matrix(1, 1, [value]));
    this.writeCell(sheet, row, column, value ?? 0, FORMULA);
    if (!old) return NOTHING;
    this.eraseSpill(sheet, old);
    this.draft.spills.delete(sheet.id, row, column);
    return { grown: [], freed: old.blocked ? null : old.area };
  }

  /** Spills an array from its anchor, or writes `#SPILL!` if a cell of the area is not empty. */
  placeArray(sheet: Sheet, row: number, column: number, matrix: Matrix): SpillPlacement {
    const old = sheet.spills.get(createAnchorKey(row, column));
    if (old?.fixed) return this.fillArea(sheet, old, matrix);
    const area = computeSpillArea(row, column, matrix);
    if (this.isBlocked(sheet, area, old)) return this.blockSpill(sheet, area, old);
    if (old && !old.blocked) this.eraseSpill(sheet, old, area);
    this.writeCell(sheet, row, column, matrix.get(0, 0) ?? 0, FORMULA);
    for (let c = 0; c < matrix.columns; c++) this.spreadColumn(sheet, row, column + c, matrix, c);
    this.draft.spills.set(sheet.id, { area: area, fixed: false, blocked: false });
    const oldArea = old && !old.blocked ? old.area : null;
    return {
      grown: listAreasBeyond(area, oldArea),
      freed: oldArea && !contains(area, oldArea.bottom, oldArea.right) ? oldArea : null,
    };
  }

  /** Writes one column of a spill, chunk by chunk. Skips chunks that already contain these values. */
  private spreadColumn(sheet: Sheet, top: number, column: number, matrix: Matrix, c: number): void {
    for (let r = c === 0 ? 1 : 0; r < matrix.rows; ) {
      const row = top + r;
      const count = Math.min(matrix.rows - r, CHUNK_ROWS - (row & CHUNK_MASK));
      const from = r;
      this.meter.reportWork(count);
      if (!containsSpill(sheet.chunk(column, row >> CHUNK_SHIFT), row & CHUNK_MASK, count, matrix, r, c)) {
        const at = (i: number) => matrix.get(from + i, c);
        this.draft.setSpilled(sheet.id, column, row, count, at, (first, last) =>
          this.changes.addRows(sheet.id, column, first, last),
        );
      }
      r += count;
    }
  }

  /** Fills the area of a fixed array formula: single rows and columns repeat, missing elements are `#N/A`. */
  private fillArea(sheet: Sheet, spill: Spill, matrix: Matrix): SpillPlacement {
    const { top, left, bottom, right } = spill.area;
    for (let r = 0; r <= bottom - top; r++) {
      for (let c = 0; c <= right - left; c++) {
        const mr = matrix.rows === 1 ? 0 : r;
        const mc = matrix.columns === 1 ? 0 : c;
        const value = mr < matrix.rows && mc < matrix.columns ? (matrix.get(mr, mc) ?? 0) : NA;
        this.writeCell(sheet, top + r, left + c, value, r === 0 && c === 0 ? FORMULA : SPILLED);
      }
    }
    return NOTHING;
  }

  /** True if the area leaves the grid, or if a cell of it has content that the anchor did not spill. */
  private isBlocked(sheet: Sheet, area: Area, old: Spill | undefined): boolean {
    if (area.bottom >= MAX_ROWS || area.right >= MAX_COLUMNS) return true;
    const oldArea = old && !old.blocked ? old.area : null;
    for (let column = area.left; column <= area.right; column++) {
      const isAnchors = column === area.left;
      const ownRows = oldArea && column <= oldArea.right ? oldArea.bottom : -1;
      if (!isFree(sheet, column, isAnchors ? area.top + 1 : area.top, area.bottom, ownRows)) return true;
    }
    return false;
  }

  /** Writes `#SPILL!` into the anchor, and clears the area that it filled before. */
  private blockSpill(sheet: Sheet, area: Area, old: Spill | undefined): SpillPlacement {
    if (old && !old.blocked) this.eraseSpill(sheet, old);
    this.writeCell(sheet, area.top, area.left, SPILL, FORMULA);
    this.draft.spills.set(sheet.id, { area: clipToGrid(area), fixed: false, blocked: true });
    return { grown: [], freed: old && !old.blocked ? old.area : null };
  }

  /**
   * Records the spill of an array that depends on its own area. Formulas that read the area continue to depend on the
   * anchor.
   */
  recordCircularSpill({ id }: Sheet, area: Area): void {
    this.draft.spills.set(id, { area: clipToGrid(area), fixed: false, blocked: true, circular: true });
  }

  /** Clears the cells of a spill except its anchor and the cells in `keptArea`. */
  eraseSpill(sheet: Sheet, spill: Spill, keptArea: Area | null = null): void {
    if (spill.blocked) return;
    const { top, left, bottom, right } = spill.area;
    for (let column = left; column <= right; column++) {
      // `keptArea` has the same top left corner.
      const from = keptArea && column <= keptArea.right ? keptArea.bottom + 1 : column === left ? top + 1 : top;
      for (let row = from; row <= bottom; row++) {
        this.meter.reportWork(1);
        if ((sheet.kind(row, column) & SPILLED) === 0) continue;
        this.writeCell(sheet, row, column, null, 0);
        removeInferredFormat(this.draft, sheet, row, column, this.changes);
      }
    }
  }
}

/** True if a formula of a run has a spill. */
export function hasSpillInRun(spills: ReadonlyMap<number, Spill>, { top, bottom, column }: Run): boolean {
  if (spills.size === 0) return false;
  if (bottom - top < spills.size) {
    for (let row = top; row <= bottom; row++) if (spills.has(createAnchorKey(row, column))) return true;
    return false;
  }
  for (const { area } of spills.values()) {
    if (area.left === column && area.top >= top && area.top <= bottom) return true;
  }
  return false;
}

/** The area that an array would fill. It may end outside the grid. */
export function computeSpillArea(row: number, column: number, { rows, columns }: Matrix): Area {
  return area(row, column, row + rows - 1, column + columns - 1);
}

function clipToGrid({ top, left, bottom, right }: Area): Area {
  return area(top, left, Math.min(bottom, MAX_ROWS - 1), Math.min(right, MAX_COLUMNS - 1));
}

/** True if a column's rows are empty, or spilled from the same anchor down to `ownRows`. */
function isFree(sheet: Sheet, column: number, top: number, bottom: number, ownRows: number): boolean {
  const chunks = sheet.columns[column]?.chunks;
  const lastBlock = Math.min(bottom >> CHUNK_SHIFT, (chunks?.length ?? 0) - 1);
  for (let block = top >> CHUNK_SHIFT; block <= lastBlock; block++) {
    const kinds = chunks?.at(block)?.kinds;
    if (!kinds) continue;
    const first = block << CHUNK_SHIFT;
    const to = Math.min(bottom - first, kinds.length - 1);
    for (let at = Math.max(top - first, 0); at <= to; at++) {
      const kind = kinds[at]!;
      if (kind !== EMPTY && ((kind & SPILLED) === 0 || first + at > ownRows)) return false;
    }
  }
  return true;
}

/** True if rows of a chunk contain the values of the array, so that spilling it would change nothing there. */
function containsSpill(
  chunk: Chunk | undefined,
  from: number,
  count: number,
  matrix: Matrix,
  r: number,
  c: number,
): boolean {
  if (!chunk || from + count > chunk.rows) return false;
  const { kinds, numbers } = chunk;
  const { data, columns } = matrix;
  for (let i = 0, at = r * columns + c; i < count; i++, at += columns) {
    const row = from + i;
    const value = data[at] ?? 0;
    const kind = kinds[row]!;
    const same =
      kind === SPILLED_NUMBER ? numbers[row] === value : (kind & SPILLED) !== 0 && chunk.value(row) === value;
    if (!same) return false;
  }
  return true;
}

/**
 * Splits the part of an area that lies outside of another area with the same top left corner into two rectangles: to
 * its right and below it.
 */
function listAreasBeyond(target: Area, old: Area | null): Area[] {
  if (!old) return target.top === target.bottom && target.left === target.right ? [] : [target];
  const parts: Area[] = [];
  if (target.right > old.right) parts.push(area(target.top, old.right + 1, target.bottom, target.right));
  if (target.bottom > old.bottom) {
    parts.push(area(old.bottom + 1, target.left, target.bottom, Math.min(old.right, target.right)));
  }
  return parts;
}
