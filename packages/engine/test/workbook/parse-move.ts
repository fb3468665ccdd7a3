import assert from 'node:assert/strict';
import { type Axis, type Move, parseArea, type Span } from '../../src/index.ts';

/**
 * Parses a move: `insert rows 2 1` (position, count), `delete columns B 1 across 2` (only in row 2),
 * `reorder rows 2 2 6` (position, count, row before which they are moved), `carry A1:A2 Other C3` (area, target).
 */
export function parseMove(text: string, sheetId: (name: string) => number): Move {
  const [kind, second = '', third = '', fourth = '', fifth, sixth = ''] = text.split(' ');
  const sheet = sheetId('Sheet1');
  if (kind === 'carry') {
    const area = parseArea(second);
    const to = parseArea(fourth);
    assert.ok(area && to);
    const { top, left, bottom, right } = area;
    return {
      kind,
      sheet,
      area: { top, left, bottom, right },
      toSheet: sheetId(third),
      row: to.top,
      column: to.left,
    };
  }
  assert.ok(second === 'rows' || second === 'columns', text);
  const axis: Axis = second;
  const at = parseLine(axis, third);
  const count = Number(fourth);
  if (kind === 'reorder') return { kind, sheet, axis, at, count, to: parseLine(axis, fifth ?? '') };
  assert.ok(kind === 'insert' || kind === 'delete');
  const across: { across?: Span } = fifth === 'across' ? { across: parseSpan(axis, sixth) } : {};
  return { kind, sheet, axis, at, count, ...across };
}

function parseLine(axis: Axis, text: string): number {
  return axis === 'rows' ? Number(text) - 1 : text.charCodeAt(0) - 65;
}

/** Parses the part of rows (`A`, `A:C`) or columns (`2`, `2:4`) that a move affects. */
function parseSpan(axis: Axis, text: string): Span {
  const [first = '', last = first] = text.split(':');
  const otherAxis = axis === 'rows' ? 'columns' : 'rows';
  return { first: parseLine(otherAxis, first), last: parseLine(otherAxis, last) };
}
