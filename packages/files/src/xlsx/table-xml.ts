import { type Area, areaText, type CellData, cellText, type TableData } from '@cellwire/engine';
import type { TableColumnLook, TableLook } from './table-look.ts';
import { escapeAttribute, escapeText } from './text.ts';
import { MAIN_NAMESPACE, XML_DECLARATION } from './workbook-xml.ts';

/** Records the cells whose content is repeated in table elements, while the sheet's cells are written. */
export class TableCells {
  private readonly neededRows = new Set<number>();
  private readonly cells = new Map<string, CellData>();

  constructor(tables: readonly TableData[]) {
    for (const table of tables) {
      this.neededRows.add(findFirstDataRow(table));
      if (table.totalsRow) this.neededRows.add(table.area.bottom);
    }
  }

  /** Keeps a cell of a row that tables repeat, such as a header or a totals row. */
  recordCell(cell: CellData): void {
    if (this.neededRows.has(cell.row)) this.cells.set(cellText(cell.row, cell.column), cell);
  }

  findCell(row: number, column: number): CellData | undefined {
    return this.cells.get(cellText(row, column));
  }
}

/** Returns the first row after the header. */
function findFirstDataRow({ area, headerRow }: TableData): number {
  return area.top + Number(headerRow);
}

/** Writes `xl/tables/tableN.xml`, with the look of the imported file. */
export function formatTableXml(table: TableData, id: number, look: TableLook | undefined, cells: TableCells): string {
  const { area, headerRow, totalsRow, columns } = table;
  const name = escapeAttribute(table.name);
  // Column properties and filters refer to columns by position, so they are only used if the number of columns is the
  // same.
  const tableLook = look?.columns.length === columns.length ? look : undefined;
  const filtered: Area = totalsRow ? { ...area, bottom: area.bottom - 1 } : area;
  const attributes =
    (headerRow ? '' : ' headerRowCount="0"') + (totalsRow ? ' totalsRowCount="1"' : ' totalsRowShown="0"');
  const items = columns.map((column, i) => {
    const start = `<tableColumn id="${i + 1}" name="${escapeAttribute(column)}"`;
    return start + formatColumnXml(table, area.left + i, tableLook, cells);
  });
  return (
    `${XML_DECLARATION}<table xmlns="${MAIN_NAMESPACE}" id="${id}" name="${name}" displayName="${name}" ref="${areaText(area)}"` +
    `${attributes}${look?.attributes ?? ''}>` +
    `${headerRow && !look?.hasNoButtons ? `<autoFilter ref="${areaText(filtered)}">${tableLook?.filters ?? ''}</autoFilter>` : ''}` +
    `<tableColumns count="${columns.length}">${items.join('')}</tableColumns>${look?.style ?? ''}</table>`
  );
}

/** Writes the children of a column's element: current formulas and totals of its cells. */
function formatColumnXml(
  table: TableData,
  column: number,
  tableLook: TableLook | undefined,
  cells: TableCells,
): string {
  const look = tableLook?.columns[column - table.area.left];
  if (tableLook === undefined || look === undefined) return '/>';
  const calculated = formatCalculatedXml(look, tableLook.formulas, cells.findCell(findFirstDataRow(table), column));
  const total = table.totalsRow ? cells.findCell(table.area.bottom, column) : undefined;
  const totalFormula = look.totals === undefined ? undefined : findPlainFormula(total);
  const content =
    calculated +
    (look.totals !== 'custom' || totalFormula === undefined
      ? ''
      : `<totalsRowFormula>${escapeText(totalFormula)}</totalsRowFormula>`);
  // If a table has no totals row, its settings for totals are kept.
  const function_ = table.totalsRow ? totalFormula && look.totals : look.totals;
  const label = table.totalsRow && total?.value !== look.label ? undefined : look.label;
  const attributes =
    (function_ === undefined ? '' : ` totalsRowFunction="${escapeAttribute(function_)}"`) +
    (label === undefined ? '' : ` totalsRowLabel="${escapeAttribute(label)}"`) +
    look.attributes;
  return content === '' ? `${attributes}/>` : `${attributes}>${content}</tableColumn>`;
}

/** Writes the formula for new rows: the formula of the first row, or else the one from the file. */
function formatCalculatedXml(look: TableColumnLook, formulas: readonly string[], first: CellData | undefined): string {
  const fileFormula = look.formula === undefined ? undefined : formulas[look.formula];
  const formula = look.isArray ? fileFormula : (findPlainFormula(first) ?? fileFormula);
  if (!look.isCalculated || formula === undefined) return '';
  const array = look.isArray ? ' array="1"' : '';
  return `<calculatedColumnFormula${array}>${escapeText(formula)}</calculatedColumnFormula>`;
}

/** The formula of a cell; undefined if it has none or is an array formula. */
function findPlainFormula(cell: CellData | undefined): string | undefined {
  return cell?.array === undefined && !cell?.dynamic ? cell?.formula : undefined;
}
