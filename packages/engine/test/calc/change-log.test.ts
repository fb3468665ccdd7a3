import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { ChangeLog } from '../../src/calc/change-log.ts';
import { type Area, cellCount } from '../../src/grid/area.ts';

const ROWS = 8;

function placesOf({ top, left, bottom, right }: Area): string[] {
  const places: string[] = [];
  for (let row = top; row <= bottom; row++)
    for (let column = left; column <= right; column++) places.push(`${row}:${column}`);
  return places;
}

const cells = fc.array(fc.tuple(fc.constantFrom(1, 2), fc.nat(ROWS), fc.nat(6)), { maxLength: 60 });

it('the first areas of a change hold changed cells, none twice, and the others are counted', () => {
  fc.assert(
    fc.property(cells, cells, fc.nat(12), (changed, written, limit) => {
      const [log, other] = [new ChangeLog(), new ChangeLog()];
      for (const [sheet, row, column] of changed) log.add(sheet, row, column);
      for (const [sheet, row, column] of written) other.add(sheet, row, column);
      const all = log.areasWithout(other);
      const first = log.firstAreas(limit, other);
      const count = first.reduce((sum, { areas }) => sum + areas.length, 0);
      assert.ok(count <= limit);
      for (const { sheet, areas } of all) {
        const places = new Set(areas.flatMap(placesOf));
        const held = first.find((one) => one.sheet === sheet);
        assert.ok(held);
        const shown = held.areas.flatMap(placesOf);
        assert.equal(new Set(shown).size, shown.length);
        assert.ok(shown.every((place) => places.has(place)));
        assert.equal(shown.length + held.left, places.size);
      }
      const needed = all.reduce((sum, { areas }) => sum + areas.length, 0);
      assert.ok(count === needed || needed > limit);
    }),
  );
});

it('the first areas of a checkerboard are its first rows', () => {
  const log = new ChangeLog();
  for (let row = 0; row < 400; row++) for (let column = row % 2; column < 100; column += 2) log.add(1, row, column);
  const [held] = log.firstAreas(500);
  assert.deepEqual([held?.areas.length, held?.left], [500, 400 * 50 - 500]);
  assert.ok(held?.areas.every((area) => area.top < 10 && cellCount(area) === 1));
});
