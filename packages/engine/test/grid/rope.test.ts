import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CellOrigins } from '../../src/grid/cell-origins.ts';
import {
  countFilledRopeRows,
  createRope,
  createRopeFromParts,
  findFromLast,
  joinRopes,
  listRopeParts,
  type Rope,
  sliceRope,
} from '../../src/grid/rope.ts';
import { type Move, moveCell } from '../../src/index.ts';
import { carry, reorder, SIDE, shift } from './random-moves.ts';

/** The source and number of a row, with `=` appended if the row did not move. */
type RopeRow = string | null;

const ROWS = 12;

function listRows(rope: Rope<string>): RopeRow[] {
  const rows: RopeRow[] = [];
  for (const { source, from, to, count, stays } of listRopeParts(rope)) {
    while (rows.length < to) rows.push(null);
    for (let i = 0; i < count; i++) rows.push(`${source}${from + i}${stays ? '=' : ''}`);
  }
  return rows;
}

function removeMark(row: RopeRow): RopeRow {
  return row === null ? null : row.replace('=', '');
}

const cut = fc.record({ from: fc.nat(3 * ROWS), count: fc.nat(ROWS), to: fc.nat(4 * ROWS), stays: fc.boolean() });

describe('ropes', () => {
  it('keep rows that are cut and inserted elsewhere', () => {
    fc.assert(
      fc.property(fc.array(cut, { maxLength: 40 }), (cuts) => {
        let rope = createRope('a', 0, ROWS, true);
        let rows: RopeRow[] = Array.from({ length: ROWS }, (_, i) => `a${i}=`);
        for (const { from, count, to, stays } of cuts) {
          const part = rows.slice(from, from + count).map((row) => (stays ? row : removeMark(row)));
          const above = rows.slice(0, to);
          while (above.length < to) above.push(null);
          rows = [...above, ...part, ...rows.slice(to)];
          const original = rope;
          rope = createRopeFromParts(
            [{ to: 0 }, { to, isPart: true }, { to: to + part.length, isRest: true }],
            (part) => {
              if ('isPart' in part) return sliceRope(original, from, count, stays);
              return 'isRest' in part ? sliceRope(original, to, rows.length, true) : sliceRope(original, 0, to, true);
            },
          );
          const filledRows = rows.findLastIndex((row) => row !== null) + 1;
          assert.deepEqual(listRows(rope), rows.slice(0, filledRows));
          assert.equal(countFilledRopeRows(rope), filledRows);
          const last = findFromLast(rope, ({ to: first, count: length }) => first + length);
          assert.equal(last, filledRows);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('have a depth that grows with the logarithm of the number of parts', () => {
    let rope: Rope<string> = null;
    for (let i = 0; i < 1_000; i++) rope = joinRopes(rope, createRope('a', 2 * i, 1, true));
    for (let i = 0; i < 1_000; i++) {
      const at = (i * 37) % 1_000;
      rope = joinRopes(
        joinRopes(sliceRope(rope, 0, at, true), createRope('b', i, 1, false)),
        sliceRope(rope, at, 9_999, false),
      );
    }
    assert.equal(listRopeParts(rope).length, 2_000);
    assert.ok((rope?.height ?? 0) <= 1.45 * Math.log2(2_000), `${rope?.height} levels`);
  });
});

describe('cell origins', () => {
  it('are the positions of cells before the moves', () => {
    const moves = fc.array<Move>(fc.oneof(shift, reorder, carry), { maxLength: 6 });
    fc.assert(
      fc.property(moves, (moveList) => {
        const width = 2 * SIDE;
        const places = new CellOrigins(() => width);
        for (const move of moveList) places.applyMove(move);
        for (const sheet of [1, 2]) {
          for (let row = 0; row < SIDE; row++) {
            for (let column = 0; column < SIDE; column++) {
              let cell: ReturnType<typeof moveCell> = { sheet, row, column };
              for (const move of moveList) cell = cell && moveCell(move, cell.sheet, cell.row, cell.column);
              if (cell === null) continue;
              const area = { top: cell.row, left: cell.column, bottom: cell.row, right: cell.column };
              const was = { sheet, area: { top: row, left: column, bottom: row, right: column } };
              assert.deepEqual(places.findOrigins({ sheet: cell.sheet, area }), [was]);
            }
          }
        }
      }),
      { numRuns: 100 },
    );
  });
});
