import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TableNode } from '../../src/formula/ast.ts';
import { findTable, resolveTablePart } from '../../src/sheet/tables.ts';
import { assertLinear } from '../growth.ts';

function createTable(columns: readonly string[], sheet = 1, top = 0) {
  const area = { top, left: 0, bottom: top + 9, right: columns.length - 1 };
  return { name: `T_${sheet}_${top}`, sheet, area, headerRow: true, totalsRow: false, columns };
}

const createColumnNode = (from: string): TableNode => ({ k: 'table', table: 'T', items: [], from });

describe('columns of a table', () => {
  it('are found by name ignoring letter case, the first of equal names', () => {
    const table = createTable(['Name', 'COUNT', 'straße', 'count']);
    const leftColumn = (name: string) => resolveTablePart(createColumnNode(name), table)?.area.left;
    assert.deepEqual(['name', 'Count', 'count', 'STRAẞE', 'none'].map(leftColumn), [0, 1, 1, 2, undefined]);
  });

  it('are found in constant time in a table of many columns', () => {
    assertLinear(2_000, (size) => {
      const columns = Array.from({ length: size }, (_, i) => `Column ${i}`);
      const table = createTable(columns);
      for (const name of columns) resolveTablePart(createColumnNode(name), table);
    });
  });
});

describe('the table around a cell', () => {
  it('belongs to the sheet of the cell', () => {
    const tables = [createTable(['a'], 1), createTable(['a'], 2), createTable(['a'], 2, 20)];
    const at = (sheet: number, row: number) => findTable('', { sheet, row, column: 0 }, tables)?.name;
    assert.deepEqual(
      [at(1, 5), at(2, 5), at(2, 25), at(2, 15), at(3, 5)],
      ['T_1_0', 'T_2_0', 'T_2_20', undefined, undefined],
    );
  });
});
