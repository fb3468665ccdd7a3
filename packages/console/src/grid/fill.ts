import type { Area } from '@cellwire/engine';
import type { Cell } from '../data/types.ts';

/** How far a difference of two numbers may be from the one before it to count as the same. */
const CLOSE = 1e-9;

/**
 * The numbers that continue those of an area into the rest of a larger one, row by row (`values` begins at `at`). Null:
 * not every line is a series of at least two plain numbers of one difference, and the area is to be repeated.
 */
export function seriesOf(
  from: Area,
  to: Area,
  cellAt: (row: number, column: number) => Cell | null | undefined,
): { readonly at: { readonly row: number; readonly column: number }; readonly values: number[][] } | null {
  const isDown = to.bottom !== from.bottom || to.top !== from.top;
  const lines = isDown ? from.right - from.left + 1 : from.bottom - from.top + 1;
  const length = isDown ? from.bottom - from.top + 1 : from.right - from.left + 1;
  const before = isDown ? from.top - to.top : from.left - to.left;
  const after = isDown ? to.bottom - from.bottom : to.right - from.right;
  const made: number[][] = [];
  for (let line = 0; line < lines; line++) {
    const known = Array.from({ length }, (_, i) =>
      isDown ? cellAt(from.top + i, from.left + line) : cellAt(from.top + line, from.left + i),
    );
    const step = stepOf(known);
    if (step === null) return null;
    made.push(
      before > 0
        ? Array.from({ length: before }, (_, i) => tidy(step.first - step.by * (before - i)))
        : Array.from({ length: after }, (_, i) => tidy(step.last + step.by * (i + 1))),
    );
  }
  const start = before > 0 ? { row: to.top, column: to.left } : null;
  const at =
    start ?? (isDown ? { row: from.bottom + 1, column: from.left } : { row: from.top, column: from.right + 1 });
  return { at, values: isDown ? turned(made) : made };
}

function stepOf(cells: readonly (Cell | null | undefined)[]) {
  const numbers = cells.map((cell) =>
    cell !== null && cell !== undefined && cell.f === undefined && typeof cell.v === 'number' ? cell.v : Number.NaN,
  );
  const [first = Number.NaN, second = Number.NaN] = numbers;
  const by = second - first;
  const isSeries = numbers.every(
    (value, i) => Math.abs(value - first - by * i) <= CLOSE * Math.max(1, Math.abs(value)),
  );
  return numbers.length < 2 || !isSeries ? null : { first, last: numbers.at(-1) ?? first, by };
}

/** Without what is left of calculating with halves of bits. */
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}

function turned(lines: readonly (readonly number[])[]): number[][] {
  return Array.from({ length: lines[0]?.length ?? 0 }, (_, i) => lines.map((line) => line[i] ?? 0));
}
