import fc from 'fast-check';
import type { Axis, Move } from '../../src/index.ts';

/** Number of rows and columns that the moves affect. */
export const SIDE = 9;

const line = fc.nat(SIDE - 1);
const count = fc.integer({ min: 1, max: 3 });
const axis = fc.constantFrom<Axis>('rows', 'columns');
const span = fc.tuple(line, fc.nat(3)).map(([first, length]) => ({ first, last: first + length }));
const across = fc.option(span, { nil: undefined });
/** Inserts or deletes whole rows or columns, or parts of them. */
export const shift = fc
  .record({ kind: fc.constantFrom('insert' as const, 'delete' as const), axis, at: line, count, across })
  .map(({ across: within, ...move }): Move => ({ sheet: 1, ...move, ...(within ? { across: within } : {}) }));
export const wholeLines = fc
  .record({ kind: fc.constantFrom('insert' as const, 'delete' as const), axis, at: line, count })
  .map((move): Move => ({ sheet: 1, ...move }));
export const reorder = fc
  .record({ axis, at: line, count, to: line })
  .filter(({ at, count: lines, to }) => to < at || to > at + lines)
  .map((move): Move => ({ kind: 'reorder', sheet: 1, ...move }));
export const carry = fc
  .record({
    sheet: fc.constantFrom(1, 1, 2),
    toSheet: fc.constantFrom(1, 1, 2),
    rows: span,
    columns: span,
    row: line,
    column: line,
  })
  .map(
    ({ rows, columns, ...move }): Move => ({
      kind: 'carry',
      ...move,
      area: { top: rows.first, left: columns.first, bottom: rows.last, right: columns.last },
    }),
  )
  .filter(
    (move) =>
      move.kind === 'carry' &&
      (move.sheet !== move.toSheet || move.row !== move.area.top || move.column !== move.area.left),
  );
