import { type Area, areaText, type SheetData, type TableData } from '@cellwire/engine';
import { ofKind } from './attachments-xml.ts';
import { escapeAttribute } from './text.ts';
import { HEAD, MAIN } from './workbook-xml.ts';

/** The kind of an attachment that says how a table looks; its texts: the table's name, elements, number of columns. */
export const TABLE_LOOK = 'table';

interface TableLook {
  readonly style: string;
  /** Elements that filter its columns. */
  readonly filters: string;
  readonly columns: number;
}

/** How tables of a sheet look, by their names. */
export function tableLooks(sheet: SheetData): ReadonlyMap<string, TableLook> {
  return new Map(
    ofKind(sheet, TABLE_LOOK).map(({ texts: [name = '', style = '', filters = '', columns] }) => [
      name,
      { style, filters, columns: Number(columns) },
    ]),
  );
}

/** `xl/tables/tableN.xml`, as it looked in the file that it came from. */
export function tableXml(table: TableData, id: number, look: TableLook | undefined): string {
  const { area, headerRow, totalsRow, columns } = table;
  const name = escapeAttribute(table.name);
  // Filters name columns by their places.
  const filters = look?.columns === columns.length ? look.filters : '';
  const filtered: Area = totalsRow ? { ...area, bottom: area.bottom - 1 } : area;
  const attributes =
    (headerRow ? '' : ' headerRowCount="0"') + (totalsRow ? ' totalsRowCount="1"' : ' totalsRowShown="0"');
  const items = columns.map((column, i) => `<tableColumn id="${i + 1}" name="${escapeAttribute(column)}"/>`);
  return (
    `${HEAD}<table xmlns="${MAIN}" id="${id}" name="${name}" displayName="${name}" ref="${areaText(area)}"` +
    `${attributes}>${headerRow ? `<autoFilter ref="${areaText(filtered)}">${filters}</autoFilter>` : ''}` +
    `<tableColumns count="${columns.length}">${items.join('')}</tableColumns>${look?.style ?? ''}</table>`
  );
}
