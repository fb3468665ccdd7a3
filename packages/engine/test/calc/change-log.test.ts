import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { ChangeLog } from '../../src/calc/change-log.ts';
import { type Area, cellCount } from '../../src/grid/area.ts';

const ROWS = 8;

function listCellKeys({ top, left, bottom, right }: Area): string[] {
  const keys: string[] = [];
  for (let row = top; row <= bottom; row++)
    for (let column = left; column <= right; column++) keys.push(`${row}:${column}`);
  return keys;
}

const cells = fc.array(fc.tuple(fc.constantFrom(1, 2), fc.nat(ROWS), fc.nat(6)), { maxLength: 60 });

it('the first areas of a change contain only changed cells, each once, and the number of other cells', () => {
  fc.assert(
    fc.property(cells, cells, fc.nat(12), (changedCells, writtenCells, limit) => {
      const [log, writtenLog] = [new ChangeLog(), new ChangeLog()];
      for (const [sheet, row, column] of changedCells) log.add(sheet, row, column);
      for (const [sheet, row, column] of writtenCells) writtenLog.add(sheet, row, column);
      const allAreas = log.listAreasWithout(writtenLog);
      const firstSheets = log.listFirstAreas(limit, writtenLog);
      const count = firstSheets.reduce((sum, { areas }) => sum + areas.length, 0);
      assert.ok(count <= limit);
      for (const { sheet, areas } of allAreas) {
        const expectedKeys = new Set(areas.flatMap(listCellKeys));
        const sheetChange = firstSheets.find((entry) => entry.sheet === sheet);
        assert.ok(sheetChange);
        const keys = sheetChange.areas.flatMap(listCellKeys);
        assert.equal(new Set(keys).size, keys.length);
        assert.ok(keys.every((key) => expectedKeys.has(key)));
        assert.equal(keys.length + sheetChange.left, expectedKeys.size);
      }
      const totalCount = allAreas.reduce((sum, { areas }) => sum + areas.length, 0);
      assert.ok(count === totalCount || totalCount > limit);
    }),
  );
});

it('the first areas of a checkerboard lie in its first rows', () => {
  const log = new ChangeLog();
  for (let row = 0; row < 400; row++) for (let column = row % 2; column < 100; column += 2) log.add(1, row, column);
  const [sheetChange] = log.listFirstAreas(500);
  assert.deepEqual([sheetChange?.areas.length, sheetChange?.left], [500, 400 * 50 - 500]);
  assert.ok(sheetChange?.areas.every((area) => area.top < 10 && cellCount(area) === 1));
});
