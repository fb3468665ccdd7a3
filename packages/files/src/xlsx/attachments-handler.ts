import { type Area, MAX_COLUMNS, MAX_ROWS, parseArea } from '@cellwire/engine';
import type { XmlAttributes } from '../archive/xml.ts';
import { MAX_ATTACHMENT_AREAS, MAX_ATTACHMENT_LENGTH } from '../limits/limits.ts';
import type { LeftOut, LeftOutKind } from '../outcome/left-out.ts';
import type { AttachmentList } from './attachment-list.ts';
import { XmlCopy } from './xml-copy.ts';

/** How to read an element of a worksheet that belongs to cells. */
interface AttachmentElement {
  /**
   * Attribute with the cells of the element; absent if the element belongs to the sheet, or has its cells in
   * `xm:sqref`.
   */
  readonly cells?: 'sqref' | 'ref' | 'r';
  readonly formulasIn?: (name: string, attributes: XmlAttributes) => 'text' | readonly string[];
  /**
   * Kind in the report if it is left out, and the descendant elements that are counted. If absent, the element itself
   * is counted.
   */
  readonly kind: LeftOutKind;
  readonly countedBy?: string;
}

const NONE: readonly string[] = [];
/** Returns a function for `formulasIn`: the texts of the elements with these names are formulas. */
const selectFormulaText = (names: readonly string[]) => (name: string) => (names.includes(name) ? 'text' : NONE);
/** Returns a function for `formulasIn`: the attributes `names` of one element are formulas. */
const selectFormulaAttributes = (element: string, names: readonly string[]) => (name: string) =>
  name === element ? names : NONE;

/**
 * Returns the parts of an element that are formulas. Bounds of color scales and similar rules are formulas unless they
 * are numbers.
 */
function findRuleFormulas(name: string, attributes: XmlAttributes): 'text' | readonly string[] {
  if (name === 'formula') return 'text';
  const { type, val = '' } = attributes;
  return name === 'cfvo' && (type === 'formula' || !Number.isFinite(Number(val))) ? ['val'] : NONE;
}

/** The attributes of a filter's element that contain references. */
function findFilterFormulas(name: string): readonly string[] {
  return name === 'sortState' || name === 'sortCondition' ? ['ref'] : NONE;
}

/** Elements that become attachments, by name; this handler ignores all others. */
const ATTACHMENT_ELEMENTS: ReadonlyMap<string, AttachmentElement> = new Map<string, AttachmentElement>([
  [
    'conditionalFormatting',
    { cells: 'sqref', formulasIn: findRuleFormulas, kind: 'conditionalFormats', countedBy: 'cfRule' },
  ],
  ['dataValidation', { cells: 'sqref', formulasIn: selectFormulaText(['formula1', 'formula2']), kind: 'validations' }],
  ['hyperlink', { cells: 'ref', formulasIn: selectFormulaAttributes('hyperlink', ['location']), kind: 'hyperlinks' }],
  ['autoFilter', { cells: 'ref', formulasIn: findFilterFormulas, kind: 'filters' }],
  ['sortState', { cells: 'ref', formulasIn: findFilterFormulas, kind: 'filters' }],
  ['protectedRange', { cells: 'sqref', kind: 'fileProtections' }],
  ['scenarios', { formulasIn: selectFormulaAttributes('inputCells', ['r']), kind: 'scenarios', countedBy: 'scenario' }],
  ['ignoredError', { cells: 'sqref', kind: 'other' }],
  [
    'x14:conditionalFormatting',
    { formulasIn: selectFormulaText(['xm:f']), kind: 'conditionalFormats', countedBy: 'x14:cfRule' },
  ],
  ['x14:dataValidation', { formulasIn: selectFormulaText(['xm:f']), kind: 'validations' }],
  [
    'x14:sparklineGroup',
    { formulasIn: selectFormulaText(['xm:f', 'xm:sqref']), kind: 'sparklines', countedBy: 'x14:sparkline' },
  ],
]);

/** Element with the cells of rules in extensions. */
const CELLS_ELEMENT = 'xm:sqref';

/** Reads the attachments of a worksheet's cells, in the form of the export. */
export class AttachmentsHandler {
  private readonly list: AttachmentList;
  private readonly leftOut: LeftOut;
  private unit: AttachmentElement | null = null;
  private name = '';
  private copy: XmlCopy | null = null;
  private cells = '';
  private inCells = false;
  private count = 0;
  private breaks: string | null = null;

  constructor(list: AttachmentList, leftOut: LeftOut) {
    this.list = list;
    this.leftOut = leftOut;
  }

  openElement(name: string, attributes: XmlAttributes): void {
    if (this.copy === null) this.beginAttachment(name, attributes);
    if (this.unit === null || this.copy === null) return;
    if (name === this.unit.countedBy) this.count++;
    if (this.isCellsElement(name)) this.inCells = true;
    else this.copy.openElement(name, attributes);
  }

  addText(text: string): void {
    if (this.inCells) this.cells += text;
    else this.copy?.addCharacters(text);
  }

  closeElement(name: string): void {
    if (name === this.breaks) this.breaks = null;
    if (this.unit === null || this.copy === null) return;
    if (this.isCellsElement(name)) this.inCells = false;
    else if (this.copy.closeElement(name)) this.endAttachment(this.unit, this.copy);
  }

  /** Begins to copy an element that is kept as an attachment, if it is one. */
  private beginAttachment(name: string, attributes: XmlAttributes): void {
    if (name === 'rowBreaks' || name === 'colBreaks') this.breaks = name;
    else if (name === 'brk' && this.breaks !== null) this.addBreak(this.breaks, attributes);
    const unit = ATTACHMENT_ELEMENTS.get(name);
    if (unit === undefined) return;
    this.unit = unit;
    this.name = name;
    this.count = unit.countedBy === undefined ? 1 : 0;
    this.cells = unit.cells === undefined ? '' : (attributes[unit.cells] ?? '');
    this.copy = new XmlCopy(MAX_ATTACHMENT_LENGTH, {
      extensions: true,
      prefixes: ['r'],
      ...(unit.formulasIn && { formulasIn: unit.formulasIn }),
      ...(unit.cells && { omitted: new Set([unit.cells]) }),
    });
  }

  /** True for elements with cells. Sparklines have cells of their own, which are formulas in their group. */
  private isCellsElement(name: string): boolean {
    return name === CELLS_ELEMENT && this.name !== 'x14:sparklineGroup';
  }

  /** Keeps the copied element, or counts it as left out: too long, with invalid cells, or beyond the limits. */
  private endAttachment(unit: AttachmentElement, { texts, formulas, isTooLong }: XmlCopy): void {
    this.copy = null;
    const hasCells = unit.cells !== undefined || this.cells !== '';
    const areas = hasCells ? parseAreaList(this.cells) : [];
    const isKept = !isTooLong && areas !== null && (areas.length > 0 || !hasCells);
    const attachment = { kind: this.name, areas: areas ?? [], formulas, texts };
    if (!isKept || !this.list.addAttachment(attachment)) this.leftOut.addItem(unit.kind, this.count);
  }

  /** Adds a page break. It precedes a row or column, and moves with it. */
  private addBreak(kind: string, attributes: XmlAttributes): void {
    const { id, max, man, pt } = attributes;
    const line = Number(id);
    const isRow = kind === 'rowBreaks';
    if (!Number.isInteger(line) || line < 1 || line >= (isRow ? MAX_ROWS : MAX_COLUMNS)) return;
    const area = isRow
      ? { top: line, left: 0, bottom: line, right: MAX_COLUMNS - 1 }
      : { top: 0, left: line, bottom: MAX_ROWS - 1, right: line };
    const marks = `${Number(max) > 0 ? ` max="${Number(max)}"` : ''}${man ? ' man="1"' : ''}${pt ? ' pt="1"' : ''}`;
    if (!this.list.addAttachment({ kind, areas: [area], formulas: [], texts: [marks] }))
      this.leftOut.addItem('pageSetups');
  }
}

/** Parses areas separated by blanks; null if one is invalid or there are too many. */
export function parseAreaList(text: string): readonly Area[] | null {
  const areas: Area[] = [];
  for (const part of text.split(/\s+/)) {
    if (part === '') continue;
    const area = parseArea(part);
    if (area === null || areas.length >= MAX_ATTACHMENT_AREAS) return null;
    areas.push({ top: area.top, left: area.left, bottom: area.bottom, right: area.right });
  }
  return areas;
}
