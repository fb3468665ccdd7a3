import { type Area, type AttachmentData, parseArea } from '@cellwire/engine';
import { parseXmlBoolean, type XmlAttributes, type XmlHandler } from '../archive/xml.ts';
import { MAX_CARRIED_LENGTH } from '../limits/limits.ts';
import type { LeftOut } from '../outcome/left-out.ts';
import { createPropertiesAttachment, type TableColumnProperties } from './table-properties.ts';
import { unescapeText } from './text.ts';
import { formatAttributes, XmlCopy } from './xml-copy.ts';

/** Preserved attributes of a table element; the export generates all others. */
const TABLE_ATTRIBUTES = new Set([
  'comment',
  'headerRowDxfId',
  'dataDxfId',
  'totalsRowDxfId',
  'headerRowBorderDxfId',
  'tableBorderDxfId',
  'totalsRowBorderDxfId',
  'headerRowCellStyle',
  'dataCellStyle',
  'totalsRowCellStyle',
]);
/** Preserved attributes of table columns. */
const COLUMN_ATTRIBUTES = new Set([
  'headerRowDxfId',
  'dataDxfId',
  'totalsRowDxfId',
  'headerRowCellStyle',
  'dataCellStyle',
  'totalsRowCellStyle',
]);

const CALCULATED_FORMULA = 'calculatedColumnFormula';
/** Elements that are copied, or whose formula is. */
const COPIED_ELEMENTS = new Set(['tableStyleInfo', 'filterColumn', CALCULATED_FORMULA]);
/** Says that the text of a calculated column's element is a formula. */
const findFormulaOfElement = (name: string) => (name === CALCULATED_FORMULA ? 'text' : []);

/** Reads `xl/tables/tableN.xml`: a table. */
export class TableHandler implements XmlHandler {
  private readonly leftOut: LeftOut;
  name = '';
  area: Area | null = null;
  headerRow = true;
  totalsRow = false;
  readonly columns: string[] = [];
  /** The elements that filter the table's columns. */
  filters = '';
  private hasFilter = false;
  private style = '';
  private attributes = '';
  private readonly columnProperties: TableColumnProperties[] = [];
  private readonly formulas: string[] = [];
  private copy: XmlCopy | null = null;

  constructor(leftOut: LeftOut) {
    this.leftOut = leftOut;
  }

  /** Returns the preserved properties of the table as an attachment; null if there is none. */
  toPropertiesAttachment(): AttachmentData | null {
    const { name, style, filters, attributes, columnProperties, formulas } = this;
    const hasNoButtons = this.headerRow && !this.hasFilter;
    const buttons = hasNoButtons && ({ hasNoButtons } as const);
    return createPropertiesAttachment(name, {
      style,
      filters,
      attributes,
      columns: columnProperties,
      ...buttons,
      formulas,
    });
  }

  openElement(name: string, attributes: XmlAttributes): void {
    if (this.copy === null && COPIED_ELEMENTS.has(name)) {
      this.copy = new XmlCopy(MAX_CARRIED_LENGTH, { formulasIn: findFormulaOfElement });
      if (name === CALCULATED_FORMULA) this.addCalculatedFormula(attributes);
    }
    if (this.copy !== null) this.copy.openElement(name, attributes);
    else if (name === 'table') this.addTable(attributes);
    else if (name === 'autoFilter') this.hasFilter = true;
    else if (name === 'tableColumn') this.addColumn(attributes);
  }

  addText(text: string): void {
    this.copy?.addCharacters(text);
  }

  closeElement(name: string): void {
    if (this.copy?.closeElement(name) !== true) return;
    const { isTooLong, text, formulas } = this.copy;
    this.copy = null;
    if (isTooLong) this.leftOut.addItem(name === 'filterColumn' ? 'filters' : 'tableStyles');
    else if (name === CALCULATED_FORMULA) this.addFormula(unescapeText(formulas[0] ?? ''));
    else if (name === 'filterColumn') this.filters += text;
    else this.style = text;
  }

  private addTable(attributes: XmlAttributes): void {
    this.name = unescapeText(attributes['displayName'] ?? attributes['name'] ?? '');
    this.area = parseArea(attributes['ref'] ?? '');
    this.headerRow = attributes['headerRowCount'] !== '0';
    this.totalsRow = Number(attributes['totalsRowCount'] ?? 0) > 0;
    this.attributes = formatAttributes(pickAttributes(attributes, TABLE_ATTRIBUTES));
  }

  private addColumn(attributes: XmlAttributes): void {
    const { totalsRowFunction, totalsRowLabel } = attributes;
    this.columns.push(unescapeText(attributes['name'] ?? ''));
    this.columnProperties.push({
      attributes: formatAttributes(pickAttributes(attributes, COLUMN_ATTRIBUTES)),
      ...(totalsRowFunction !== undefined && { totals: totalsRowFunction }),
      ...(totalsRowLabel !== undefined && { label: unescapeText(totalsRowLabel) }),
    });
  }

  /** Marks the column as calculated; its formula follows as text. */
  private addCalculatedFormula(attributes: XmlAttributes): void {
    this.changeLastColumn({ isCalculated: true, ...(parseXmlBoolean(attributes['array']) && { isArray: true }) });
  }

  private addFormula(text: string): void {
    if (text !== '') this.changeLastColumn({ formula: this.formulas.push(text) - 1 });
  }

  /** Adds properties to the column that was read last. */
  private changeLastColumn(change: Partial<TableColumnProperties>): void {
    const last = this.columnProperties.pop();
    if (last !== undefined) this.columnProperties.push({ ...last, ...change });
  }
}

/** The attributes with these names. */
function pickAttributes(attributes: XmlAttributes, names: ReadonlySet<string>): XmlAttributes {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => names.has(name)));
}
