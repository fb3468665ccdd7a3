import { type Area, areaText, type CellData, cellText, type TableData } from '@cellwire/engine';
import type { TableColumnProperties, TableProperties } from './table-properties.ts';
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

/** Writes `xl/tables/tableN.xml`, with the properties of the imported file. */
export function formatTableXml(
  table: TableData,
  id: number,
  properties: TableProperties | undefined,
  cells: TableCells,
): string {
  const { area, headerRow, totalsRow, columns } = table;
  const name = escapeAttribute(table.name);
  // Column properties and filters refer to columns by position, so they are only used if the number of columns is the
  // same.
  const tableProperties = properties?.columns.length === columns.length ? properties : undefined;
  const filtered: Area = totalsRow ? { ...area, bottom: area.bottom - 1 } : area;
  const attributes =
    (headerRow ? '' : ' headerRowCount="0"') + (totalsRow ? ' totalsRowCount="1"' : ' totalsRowShown="0"');
  const items = columns.map((column, i) => {
    const start = `<tableColumn id="${i + 1}" name="${escapeAttribute(column)}"`;
    return start + formatColumnXml(table, area.left + i, tableProperties, cells);
  });
  return (
    `${XML_DECLARATION}<table xmlns="${MAIN_NAMESPACE}" id="${id}" name="${name}" displayName="${name}" ref="${areaText(area)}"` +
    `${attributes}${properties?.attributes ?? ''}>` +
    `${headerRow && !properties?.hasNoButtons ? `<autoFilter ref="${areaText(filtered)}">${tableProperties?.filters ?? ''}</autoFilter>` : ''}` +
    `<tableColumns count="${columns.length}">${items.join('')}</tableColumns>${properties?.style ?? ''}</table>`
  );
}

/** Writes the children of a column's element: current formulas and totals of its cells. */
function formatColumnXml(
  table: TableData,
  column: number,
  tableProperties: TableProperties | undefined,
  cells: TableCells,
): string {
  const properties = tableProperties?.columns[column - table.area.left];
  if (tableProperties === undefined || properties === undefined) return '/>';
  const calculated = formatCalculatedXml(
    properties,
    tableProperties.formulas,
    cells.findCell(findFirstDataRow(table), column),
  );
  const total = table.totalsRow ? cells.findCell(table.area.bottom, column) : undefined;
  const totalFormula = properties.totals === undefined ? undefined : findPlainFormula(total);
  const content =
    calculated +
    (properties.totals !== 'custom' || totalFormula === undefined
      ? ''
      : `<totalsRowFormula>${escapeText(totalFormula)}</totalsRowFormula>`);
  // If a table has no totals row, its settings for totals are kept.
  const function_ = table.totalsRow ? totalFormula && properties.totals : properties.totals;
  const label = table.totalsRow && total?.value !== properties.label ? undefined : properties.label;
  const attributes =
    (function_ === undefined ? '' : ` totalsRowFunction="${escapeAttribute(function_)}"`) +
    (label === undefined ? '' : ` totalsRowLabel="${escapeAttribute(label)}"`) +
    properties.attributes;
  return content === '' ? `${attributes}/>` : `${attributes}>${content}</tableColumn>`;
}

/** Writes the formula for new rows: the formula of the first row, or else the one from the file. */
function formatCalculatedXml(
  properties: TableColumnProperties,
  formulas: readonly string[],
  first: CellData | undefined,
): string {
  const fileFormula = properties.formula === undefined ? undefined : formulas[properties.formula];
  const formula = properties.isArray ? fileFormula : (findPlainFormula(first) ?? fileFormula);
  if (!properties.isCalculated || formula === undefined) return '';
  const array = properties.isArray ? ' array="1"' : '';
  return `<calculatedColumnFormula${array}>${escapeText(formula)}</calculatedColumnFormula>`;
}

/** The formula of a cell; undefined if it has none or is an array formula. */
function findPlainFormula(cell: CellData | undefined): string | undefined {
  return cell?.array === undefined && !cell?.dynamic ? cell?.formula : undefined;
}
