import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Move, mergeMoves, moveCell } from '../../src/index.ts';
import { carry, reorder, SIDE, shift, wholeLines } from './random-moves.ts';

function formatCellAfterMoves(moves: readonly Move[], sheet: number, row: number, column: number): string {
  let cell: ReturnType<typeof moveCell> = { sheet, row, column };
  for (const move of moves) cell = cell && moveCell(move, cell.sheet, cell.row, cell.column);
  return cell === null ? 'lost' : `${cell.sheet}!${cell.row}:${cell.column}`;
}

/**
 * Returns the cells whose positions differ between the two orders of moves. `ignoresLost`: omits cells that one of the
 * orders deletes.
 */
function findDifferingCells(first: readonly Move[], second: readonly Move[], ignoresLost: boolean): readonly string[] {
  const merged = mergeMoves(first, second);
  if (merged === null) return [];
  const differences: string[] = [];
  for (const sheet of [1, 2]) {
    for (let row = 0; row < SIDE + 6; row++) {
      for (let column = 0; column < SIDE + 6; column++) {
        const afterFirst = formatCellAfterMoves([...second, ...merged.first], sheet, row, column);
        const afterSecond = formatCellAfterMoves([...first, ...merged.second], sheet, row, column);
        if (afterFirst !== afterSecond && !(ignoresLost && (afterFirst === 'lost' || afterSecond === 'lost')))
          differences.push(`${sheet}!${row}:${column} ${afterFirst} ${afterSecond}`);
      }
    }
  }
  return differences;
}

const arbitraryMoveList = (move: fc.Arbitrary<Move>) => fc.array(move, { minLength: 1, maxLength: 3 });

describe('merged lists of moves', () => {
  const lines = arbitraryMoveList(fc.oneof(wholeLines, reorder));

  it('move all cells to the same positions in either order', () => {
    fc.assert(
      fc.property(lines, lines, (first, second) => {
        assert.ok(mergeMoves(first, second));
        assert.deepEqual(findDifferingCells(first, second, false), []);
      }),
      { numRuns: 300 },
    );
  });

  it('move remaining cells to the same positions if rows within a part move or cells are cut', () => {
    const any = arbitraryMoveList(fc.oneof(shift, wholeLines, reorder, carry));
    fc.assert(
      fc.property(any, any, (first, second) => {
        assert.deepEqual(findDifferingCells(first, second, true), []);
      }),
      { numRuns: 500 },
    );
  });

  const rows = { sheet: 1, axis: 'rows' } as const;
  const insert = (at: number, many = 1): Move => ({ kind: 'insert', ...rows, at, count: many });
  const remove = (at: number, many = 1): Move => ({ kind: 'delete', ...rows, at, count: many });
  const reorderRows = (at: number, many: number, to: number): Move => ({
    kind: 'reorder',
    ...rows,
    at,
    count: many,
    to,
  });
  for (const [description, first, second, becomes] of [
    ['restore rows above rows that were deleted below them', [insert(3)], [remove(5)], [insert(3)]],
    ['restore rows although all rows around them were deleted', [insert(3)], [remove(1, 5)], [insert(1)]],
    ['restore rows next to the neighbour that did not move', [insert(3)], [reorderRows(3, 2, 9)], [insert(3)]],
    ['restore rows below new rows in their position', [insert(3)], [insert(3, 2)], [insert(5)]],
    ['delete new rows at their present position', [remove(3, 2)], [reorderRows(3, 2, 0)], [remove(0, 2)]],
    [
      'delete new rows around rows that were inserted between them',
      [remove(3, 2)],
      [insert(4)],
      [remove(5), remove(3)],
    ],
    ['keep the last position of rows that both lists moved', [reorderRows(3, 1, 0)], [reorderRows(3, 1, 8)], []],
  ] as const) {
    it(description, () => {
      assert.deepEqual(mergeMoves(first, second)?.first, becomes);
    });
  }
});
