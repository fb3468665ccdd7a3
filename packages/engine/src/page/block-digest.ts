import { EMPTY, FORMULA, TEXT, TYPE_MASK } from '../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { Sheet, Snapshot } from '../sheet/snapshot.ts';
import { areSameNode, type Run } from '../sheet/template.ts';
import { cellView } from './cell-view.ts';

const MIX = 0x85eb_ca6b;
/** Buffer for one number, and a view of its two halves as integers. */
const NUMBERS = new Float64Array(1);
const HALVES = new Int32Array(NUMBERS.buffer);

function mixHash(hash: number, value: number): number {
  const mixed = Math.imul(hash ^ value, MIX);
  return (mixed << 13) | (mixed >>> 19);
}

/**
 * Returns a 32-bit hash of consecutive cells in one column: of their values, and of which cells have formulas. It does
 * not depend on how the cells are stored. `start`: the digest of the cells above them.
 */
export function digestValues(sheet: Sheet, column: number, top: number, bottom: number, start = 0): number {
  let hash = start;
  for (let row = top; row <= bottom; ) {
    const chunk = sheet.chunk(column, row >> CHUNK_SHIFT);
    const first = row & CHUNK_MASK;
    const count = Math.min(bottom - row + 1, CHUNK_MASK + 1 - first);
    for (let at = first; at < first + count; at++) {
      const kind = chunk?.kind(at) ?? EMPTY;
      hash = mixHash(hash, kind & (TYPE_MASK | FORMULA));
      if (chunk === undefined || (kind & TYPE_MASK) === EMPTY) continue;
      const number = chunk.number(at);
      if ((kind & TYPE_MASK) === TEXT) {
        hash = mixHash(mixHash(hash, chunk.texts.digestText(number)), chunk.texts.textLength(number));
      } else {
        NUMBERS[0] = number;
        hash = mixHash(mixHash(hash, HALVES[0]!), HALVES[1]!);
      }
    }
    row += count;
  }
  return hash >>> 0;
}

/** Returns a 32-bit hash of the formula texts of consecutive cells in one column; 0 if there are no formulas. */
export function digestFormulas(snapshot: Snapshot, sheet: Sheet, column: number, top: number, bottom: number): number {
  if ((sheet.columns[column]?.runList.length ?? 0) === 0) return 0;
  let hash = 0;
  let last: Run | undefined;
  for (let row = top; row <= bottom; ) {
    const run = sheet.run(row, column);
    const next = run === undefined ? row + 1 : Math.min(run.bottom, bottom) + 1;
    // Rows of one template have the same text apart from row numbers. A template may have several adjacent runs.
    if (run === undefined) last = undefined;
    else if (last === undefined || !areSameNode(last.template.node, run.template.node)) {
      hash = mixHash(hash, row - top);
      const text = cellView(snapshot, sheet.id, row, column)?.f ?? '=';
      for (let at = 0; at < text.length; at++) hash = mixHash(hash, text.charCodeAt(at));
      last = run;
    }
    if (run !== undefined && (next > bottom || sheet.run(next, column) === undefined)) hash = mixHash(hash, next - top);
    row = next;
  }
  return hash >>> 0;
}
