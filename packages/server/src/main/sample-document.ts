import {
  type CellData,
  getLocale,
  type LayoutData,
  type LocaleId,
  type SheetData,
  toDateSerial,
  type WorkbookData,
} from '@cellwire/engine';
import { formatStyle, PLAIN_STYLE } from '@cellwire/files';

export const SAMPLE_TITLE = 'Order book';

const AMOUNT = '#,##0.00';
const PERCENT = '0.0%';

type OrderStatus = 'open' | 'shipped' | 'paid';

/** Number, month and day of 2026, customer, product, quantity, status. */
const ORDERS: readonly (readonly [string, readonly [number, number], string, string, number, OrderStatus])[] = [
  ['A-1001', [3, 2], 'Nordwind', 'Espresso 1 kg', 40, 'paid'],
  ['A-1002', [3, 2], 'Café Linde', 'Filter roast 1 kg', 12, 'paid'],
  ['A-1003', [3, 4], 'Bistro 21', 'Espresso 1 kg', 25, 'paid'],
  ['A-1004', [3, 9], 'Nordwind', 'Hand grinder', 6, 'paid'],
  ['A-1005', [3, 11], 'Office & Co', 'Decaf 500 g', 30, 'shipped'],
  ['A-1006', [3, 11], 'Café Linde', 'Espresso 1 kg', 18, 'shipped'],
  ['A-1007', [3, 16], 'Bistro 21', 'Filter roast 1 kg', 10, 'shipped'],
  ['A-1008', [3, 17], 'Nordwind', 'Espresso 1 kg', 55, 'open'],
  ['A-1009', [3, 17], 'Office & Co', 'Filter roast 1 kg', 24, 'shipped'],
  ['A-1010', [3, 20], 'Café Linde', 'Hand grinder', 2, 'open'],
  ['A-1011', [3, 23], 'Bistro 21', 'Decaf 500 g', 15, 'open'],
  ['A-1012', [3, 24], 'Office & Co', 'Espresso 1 kg', 60, 'open'],
];

const PRODUCTS: readonly (readonly [string, number])[] = [
  ['Espresso 1 kg', 21.5],
  ['Filter roast 1 kg', 18.75],
  ['Decaf 500 g', 11.25],
  ['Hand grinder', 129],
];

/**
 * Builds the sample document: orders of a coffee roaster, a price list, and two sheets with formulas that depend on
 * them. Dates have the format of the locale.
 */
export function buildSampleDocument(timeZone: string, locale: LocaleId): WorkbookData {
  const date = getLocale(locale).dateFormat;
  return {
    settings: { locale, dateSystem: 'google', timeZone },
    names: [],
    tables: [],
    sheets: [createOrdersSheet(date), createProductsSheet(), createSummarySheet(date), openOrdersSheet(date)],
  };
}

const ORDER_HEADINGS = ['Order', 'Date', 'Customer', 'Product', 'Quantity', 'Price', 'Amount', 'Status'];
const ORDER_WIDTHS = [10, 12, 16, 20, 11, 10, 12, 10];

/** The number formats of the columns of orders; `date` is the format of dates. */
function listOrderFormats(date: string): ColumnFormats {
  return [
    [1, date],
    [5, AMOUNT],
    [6, AMOUNT],
  ];
}

function createOrdersSheet(date: string): SheetData {
  const cells = ORDERS.flatMap(([number, [month, day], customer, product, quantity, status], index): CellData[] => {
    const row = index + 1;
    const line = row + 1;
    return [
      { row, column: 0, value: number },
      { row, column: 1, value: toDateSerial(2026, month, day, 'google'), format: date },
      { row, column: 2, value: customer },
      { row, column: 3, value: product },
      { row, column: 4, value: quantity },
      createFormulaCell(row, 5, `XLOOKUP(D${line},Products!$A$2:$A$100,Products!$B$2:$B$100)`, AMOUNT),
      createFormulaCell(row, 6, `E${line}*F${line}`, AMOUNT),
      { row, column: 7, value: status },
    ];
  });
  return buildSheet('Orders', ORDER_HEADINGS, ORDER_WIDTHS, cells, listOrderFormats(date));
}

function createProductsSheet(): SheetData {
  const cells = PRODUCTS.flatMap(([product, price], index): CellData[] => [
    { row: index + 1, column: 0, value: product },
    { row: index + 1, column: 1, value: price, format: AMOUNT },
  ]);
  return buildSheet('Products', ['Product', 'Price'], [20, 10], cells, [[1, AMOUNT]]);
}

/** The list of customers spills. The formulas next to it adapt to its length. */
function createSummarySheet(date: string): SheetData {
  const spilled = '_xlfn.ANCHORARRAY(A2)';
  const cells = [
    createFormulaCell(1, 0, 'SORT(UNIQUE(FILTER(Orders!C2:C1000,Orders!C2:C1000<>"")))'),
    createFormulaCell(1, 1, `COUNTIFS(Orders!C:C,${spilled})`),
    createFormulaCell(1, 2, `SUMIFS(Orders!G:G,Orders!C:C,${spilled})`, AMOUNT),
    createFormulaCell(1, 3, `SUMIFS(Orders!G:G,Orders!C:C,${spilled})/SUM(Orders!G:G)`, PERCENT),
    { row: 0, column: 5, value: 'All orders' },
    createFormulaCell(0, 6, 'SUM(Orders!G:G)', AMOUNT),
    { row: 1, column: 5, value: 'Not yet paid' },
    createFormulaCell(1, 6, 'SUM(Orders!G:G)-SUMIFS(Orders!G:G,Orders!H:H,"paid")', AMOUNT),
    { row: 2, column: 5, value: 'Last order' },
    createFormulaCell(2, 6, 'MAX(Orders!B:B)', date),
  ];
  return buildSheet('Summary', ['Customer', 'Orders', 'Amount', 'Share'], [16, 9, 13, 9, 4, 14, 13], cells, [
    [2, AMOUNT],
    [3, PERCENT],
  ]);
}

/** The sheet `Open`, whose formula filters the orders that are open. */
function openOrdersSheet(date: string): SheetData {
  const cells = [createFormulaCell(1, 0, 'FILTER(Orders!A2:H1000,Orders!H2:H1000="open","none")')];
  return buildSheet('Open', ORDER_HEADINGS, ORDER_WIDTHS, cells, listOrderFormats(date));
}

/** Number formats by zero-based column. */
type ColumnFormats = readonly (readonly [number, string])[];

/** Style of headings: bold on a tinted background with a border below. */
const HEADING_STYLE = formatStyle({
  ...PLAIN_STYLE,
  font: '<font><b/><sz val="11"/><color rgb="FF134E4A"/><name val="Calibri"/><family val="2"/></font>',
  fill: '<fill><patternFill patternType="solid"><fgColor rgb="FFD5EFEA"/><bgColor indexed="64"/></patternFill></fill>',
  border: '<border><left/><right/><top/><bottom style="thin"><color rgb="FF0F766E"/></bottom><diagonal/></border>',
  attributes: ' applyFont="1" applyFill="1" applyBorder="1"',
});

/** Freezes the row with the headings. */
const FROZEN_HEADINGS =
  '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>';

/** A sheet with a row of headings and cells. `widths` are the widths of its columns in characters. */
function buildSheet(
  name: string,
  headings: readonly string[],
  widths: readonly number[],
  cells: readonly CellData[],
  columnFormats: ColumnFormats,
): SheetData {
  const first = headings.map((value, column): CellData => ({ row: 0, column, value, style: HEADING_STYLE }));
  return {
    name,
    hidden: false,
    color: null,
    hiddenRows: [],
    columnFormats: new Map(columnFormats),
    layout: buildLayout(widths),
    cells: [...first, ...cells],
  };
}

function buildLayout(widths: readonly number[]): LayoutData {
  const columns = widths.map((size, column) => ({ first: column, last: column, size, custom: true }) as const);
  return { columns, rows: [], merges: [], carried: { sheetViews: FROZEN_HEADINGS } };
}

/** Creates a formula in the grammar of files. Its result is calculated when the document is created. */
function createFormulaCell(row: number, column: number, text: string, format?: string): CellData {
  return { row, column, value: null, formula: text, dynamic: true, ...(format === undefined ? {} : { format }) };
}
