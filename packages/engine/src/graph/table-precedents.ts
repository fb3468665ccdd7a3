import type { Coordinate, TableNode } from '../formula/ast.ts';
import { intersects } from '../grid/area.ts';
import type { Table } from '../sheet/snapshot.ts';
import { findTableByName, resolveTablePart } from '../sheet/tables.ts';
import type { FormulaRows, Precedent } from './precedent.ts';

/**
 * Adds a reference to a table. `[@Qty]` means the table that contains the formula's row; the rows of one run may be in,
 * above and below several tables.
 */
export function addTable(
  node: TableNode,
  formulaRows: FormulaRows,
  tables: readonly Table[],
  precedents: Precedent[],
): void {
  if (node.table !== '') {
    const table = findTableByName(node.table, tables);
    if (table) addTablePart(node, table, precedents);
    return;
  }
  for (const table of tables) if (isFormulaInTable(table, formulaRows)) addTablePart(node, table, precedents);
}

function isFormulaInTable(table: Table, { sheet, column, top, bottom }: FormulaRows): boolean {
  return table.sheet === sheet && intersects(table.area, { top, left: column, bottom, right: column });
}

/** Adds the cells that a structured reference to a known table means. */
function addTablePart(node: TableNode, table: Table, precedents: Precedent[]): void {
  // A reference to a missing column reads the whole table, because its header cells decide the column names.
  const part = resolveTablePart(node, table) ?? { table, area: table.area, thisRow: false };
  const fixed = (line: number): Coordinate => ({ at: line, absolute: true });
  const sameRow: Coordinate = { at: 0, absolute: false };
  const { top, left, bottom, right } = part.area;
  precedents.push({
    sheet: part.table.sheet,
    top: part.thisRow ? sameRow : fixed(top),
    left: fixed(left),
    bottom: part.thisRow ? sameRow : fixed(bottom),
    right: fixed(right),
  });
}
