import {
  type Area,
  type GiveChunk,
  type LayoutData,
  MAX_COLUMNS,
  PackedCells,
  parseArea,
  type Scalar,
  TextMap,
} from '@cellwire/engine';
import { parseXmlBoolean, type XmlAttributes, type XmlHandler } from '../archive/xml.ts';
import { FileCellStore } from '../cells/cell-store.ts';
import { createChunkSender } from '../cells/chunk-sink.ts';
import { AttachmentList } from './attachment-list.ts';
import { AttachmentsHandler } from './attachments-handler.ts';
import { isRowInGrid, parseCellReference } from './cell-reference.ts';
import { chooseIsoFormat, parseIsoSerial } from './iso-date.ts';
import { LayoutHandler } from './layout-handler.ts';
import { RichTextReader } from './rich-text.ts';
import { SharedFormula } from './shared-formula.ts';
import { resolveColor } from './styles/color.ts';
import { toDistinctStyle } from './styles/style-record.ts';
import { parseError, TextPool, unescapeText } from './text.ts';
import type { WorkbookContext } from './workbook-context.ts';

/** Children of the root whose elements do not belong to the sheet, despite their names. */
const SEPARATE_CONTENT = new Set(['extLst', 'customSheetViews']);

/** Maximum length of a formula in a file. Excel's own limit is 8,192 without prefixes. */
const MAX_FORMULA_LENGTH = 65_536;

/** Reads `xl/worksheets/sheetN.xml`: the cells and all other content of a sheet. */
export class SheetHandler implements XmlHandler {
  /** Cells that are not plain values, or are not in order. */
  private readonly others = new FileCellStore();
  readonly cells: PackedCells;
  readonly hiddenRows: number[] = [];
  readonly columnFormats = new Map<number, string>();
  readonly columnStyles = new Map<number, string>();
  color: string | null = null;
  problem: string | null = null;

  private readonly workbook: WorkbookContext;
  private readonly layoutHandler: LayoutHandler;
  /** Attachments of cells. */
  readonly attachments: AttachmentList;
  private readonly attachmentsHandler: AttachmentsHandler;
  private readonly shared = new TextMap<{ readonly formula: SharedFormula; readonly id: number }>();
  /** For each column, the last row that an earlier array formula fills; -1 for none. */
  private readonly filledTo = new Int32Array(MAX_COLUMNS).fill(-1);
  private filledColumns = 0;
  /** Deduplicates texts that are stored in their cells. */
  private readonly pool = new TextPool();
  private readonly styledColumns = new Set<number>();

  private inData = false;
  private row = -1;
  /** True if the row has a style. */
  private isStyledRow = false;
  private column = -1;
  private cell: XmlAttributes | null = null;
  private formula: XmlAttributes | null = null;
  private formulaText = '';
  private valueText: string | null = null;
  private target: 'value' | 'formula' | null = null;
  /** Reads a text that is stored in its cell. */
  private readonly inlineText: RichTextReader;
  private isInText = false;
  private inline: string | null = null;
  /** The open child of the root that is in `SEPARATE_CONTENT`, and the depth inside it. */
  private aside = '';
  private asideDepth = 0;

  constructor(workbook: WorkbookContext, sheetId: number) {
    this.workbook = workbook;
    workbook.spent.blocks.startSheet();
    const { others, columnFormats, columnStyles } = this;
    const { packedFormats } = workbook;
    const findColumnFormat = (column: number) =>
      packedFormats.ensureFormat(columnFormats.get(column), columnStyles.get(column));
    const take = workbook.chunks && createChunkSender(workbook.chunks, sheetId);
    // Chunks are passed to the sink only while no formula and no other cell of the workbook needs their cells.
    const giveChunk: GiveChunk = (chunk) => take !== undefined && !workbook.cellNeeds.hasOthers && take(chunk);
    this.cells = new PackedCells({ packedFormats, findColumnFormat, others, give: giveChunk });
    this.inlineText = new RichTextReader(workbook.leftOut);
    this.attachments = new AttachmentList(workbook.spent);
    this.attachmentsHandler = new AttachmentsHandler(this.attachments, workbook.leftOut);
    this.layoutHandler = new LayoutHandler(workbook.leftOut, (style) => this.findCellStyles(style));
  }

  openElement(name: string, attributes: XmlAttributes): void {
    if (this.asideDepth > 0 || SEPARATE_CONTENT.has(name)) {
      if (this.asideDepth++ === 0) this.aside = name;
      if (this.aside === 'extLst') this.attachmentsHandler.openElement(name, attributes);
    } else if (this.cell) this.openCellChild(name, attributes);
    else if (this.inData) this.openSheetDataChild(name, attributes);
    else if (name === 'sheetData') this.inData = true;
    else {
      if (name === 'col') this.addColumnFormat(attributes);
      else if (name === 'tabColor') this.color = resolveColor(attributes, this.workbook.theme);
      this.layoutHandler.openElement(name, attributes);
      this.attachmentsHandler.openElement(name, attributes);
    }
  }

  addText(text: string): void {
    if (this.isInText) this.inlineText.addCharacters(text);
    else if (this.target === 'value') this.valueText += text;
    else if (this.target === 'formula') this.formulaText += text;
    else if (!this.inData) this.forwardText(text);
  }

  private forwardText(text: string): void {
    if (this.asideDepth === 0) this.layoutHandler.addText(text);
    if (this.asideDepth === 0 || this.aside === 'extLst') this.attachmentsHandler.addText(text);
  }

  closeElement(name: string): void {
    if (this.asideDepth > 0) {
      this.asideDepth--;
      if (this.aside === 'extLst') this.attachmentsHandler.closeElement(name);
      return;
    }
    if (this.cell && name !== 'c') this.closeCellChild(name);
    else if (name === 'c' && this.cell) this.endCell(this.cell);
    else if (name === 'sheetData') this.inData = false;
    else if (!this.inData) {
      this.layoutHandler.closeElement(name);
      this.attachmentsHandler.closeElement(name);
    }
  }

  private closeCellChild(name: string): void {
    if (name === 'is') this.endInlineText();
    else if (this.isInText) this.inlineText.closeElement(name);
    else if (name === 'v' || name === 'f') this.target = null;
  }

  private endInlineText(): void {
    const { text, isRich } = this.inlineText;
    this.isInText = false;
    this.inline = text;
    if (isRich) this.addRichText(text, this.inlineText.buildContent());
  }

  private addRichText(text: string, runs: string | null): void {
    const kept =
      runs !== null &&
      this.attachments.addAttachment({
        kind: 'richText',
        areas: [this.getCurrentCellArea()],
        formulas: [],
        texts: [text, runs],
      });
    if (!kept) this.workbook.leftOut.addItem('richTexts');
  }

  private openSheetDataChild(name: string, attributes: XmlAttributes): void {
    if (name === 'row') {
      this.row = attributes['r'] === undefined ? this.row + 1 : Number(attributes['r']) - 1;
      this.column = -1;
      if (!isRowInGrid(this.row)) this.problem = `A sheet has a row outside the grid: ${attributes['r']}.`;
      else {
        if (parseXmlBoolean(attributes['hidden'])) this.hiddenRows.push(this.row);
        this.layoutHandler.addRow(this.row, attributes);
        const { customFormat, s } = attributes;
        this.isStyledRow = parseXmlBoolean(customFormat) && Object.keys(this.findCellStyles(s)).length > 0;
      }
    } else if (name === 'c') {
      this.cell = attributes;
      this.formula = null;
      this.valueText = null;
      this.inline = null;
      this.moveToCell(attributes['r']);
    }
  }

  get layout(): LayoutData {
    return this.layoutHandler.buildLayout();
  }

  private findCellStyles(style: string | undefined): { format?: string; style?: string } {
    const place = Number(style ?? 0);
    const format = this.workbook.formats[place];
    const cellStyle = this.workbook.styles[place];
    return { ...(format !== undefined && { format }), ...(cellStyle !== undefined && { style: cellStyle }) };
  }

  /** Moves to the next cell: the one with the reference, or the one to the right if there is no reference. */
  private moveToCell(ref: string | undefined): void {
    if (ref === undefined) {
      this.column++;
      if (this.column >= MAX_COLUMNS || this.row < 0) this.problem = 'A sheet has a cell outside the grid.';
      return;
    }
    const place = parseCellReference(ref);
    if (place === null) {
      this.problem = `A sheet has a cell outside the grid: ${ref}.`;
      return;
    }
    this.column = place.column;
    this.row = place.row;
  }

  private openCellChild(name: string, attributes: XmlAttributes): void {
    if (this.isInText) this.inlineText.openElement(name, attributes);
    else if (name === 'is') {
      this.isInText = true;
      this.inlineText.startContainer();
    } else if (name === 'v') {
      this.valueText ??= '';
      this.target = 'value';
    } else if (name === 'f') {
      this.formula = attributes;
      this.formulaText = '';
      this.target = 'formula';
    }
  }

  private endCell(cell: XmlAttributes): void {
    this.cell = null;
    if (this.problem) return;
    this.addRichContent(cell);
    const value = this.inline === null ? this.readValue(cell['t'], this.valueText) : this.internCellText(this.inline);
    const styleIndex = Number(cell['s'] ?? 0);
    let style = this.workbook.styles[styleIndex];
    let format = this.workbook.formats[styleIndex];
    if (cell['t'] === 'd' && typeof value === 'number') format ??= chooseIsoFormat(this.valueText ?? '');
    const formula = this.formula ? this.addFormula(this.formula, cell) : 0;
    if (value === null && formula === 0 && this.needsOwnStyle(format, style))
      style = toDistinctStyle(style ?? this.workbook.baseStyle);
    const filled = formula === 0 && this.row <= (this.filledTo[this.column] as number);
    const hasFormat = format !== undefined || style !== undefined;
    if (value === null && formula === 0 && !hasFormat && !this.styledColumns.has(this.column)) return;
    const { row, column } = this;
    this.workbook.spent.blocks.addCell(row, column);
    this.countCells(1);
    if (filled) this.others.putSpilledValue(row, column, value, format, style);
    else if (formula !== 0 || !this.cells.put(row, column, value, this.getPackedStyleId(styleIndex, format, style))) {
      this.others.putCell(row, column, value, format, formula, style);
      this.workbook.cellNeeds.hasOthers = true;
    }
  }

  /** True if an empty cell of a styled row or column must be stored, because its style differs from its column's. */
  private needsOwnStyle(format: string | undefined, style: string | undefined): boolean {
    const { column, columnFormats, columnStyles } = this;
    const isStyled = this.isStyledRow || this.styledColumns.has(column);
    return isStyled && columnFormats.get(column) === format && columnStyles.get(column) === style;
  }

  /** Returns the packed id of a cell's style. */
  private getPackedStyleId(cellStyle: number, format: string | undefined, style: string | undefined): number {
    const { packedFormats, formats, styles, packedFormatIds } = this.workbook;
    // ISO dates have a format of their own, and some empty cells have a style of their own.
    if (format !== formats[cellStyle] || style !== styles[cellStyle]) return packedFormats.ensureFormat(format, style);
    packedFormatIds[cellStyle] ??= packedFormats.ensureFormat(format, style);
    return packedFormatIds[cellStyle];
  }

  private addRichContent(cell: XmlAttributes): void {
    const { leftOut, richTexts } = this.workbook;
    if (cell['vm'] !== undefined) leftOut.addItem('richValues');
    if (cell['t'] !== 's' || richTexts.size === 0) return;
    const content = this.valueText?.trim() ?? '';
    const place = content === '' ? -1 : Number(content);
    const runs = richTexts.get(place);
    if (runs !== undefined) this.addRichText(this.workbook.texts.getText(place) ?? '', runs);
  }

  private countCells(cells: number): void {
    const { spent, limits } = this.workbook;
    spent.cells += cells;
    if (spent.cells > limits.cells) {
      this.problem = `The workbook has more than ${limits.cells} cells. Split it into several files.`;
    } else if (spent.blocks.total > limits.blocks) {
      this.problem = `The workbook's cells are too far apart: in more than ${limits.blocks} blocks of 256 rows of a column. Bring them together.`;
    }
  }

  /** The value of a cell from its type (attribute `t`) and its text. */
  private readValue(type: string | undefined, text: string | null): Scalar {
    if (text === null) return null;
    if (type === 'str' || type === 'inlineStr') return this.internCellText(unescapeText(text, this.workbook.leftOut));
    // Some programs write styled empty cells with an empty value.
    const content = text.trim();
    if (content === '') return null;
    switch (type) {
      case 's':
        return this.findSharedText(content);
      case 'b':
        return parseXmlBoolean(content);
      case 'e':
        return parseError(content);
      case 'd':
        return parseIsoSerial(content, this.workbook.dateSystem) ?? this.internCellText(text);
      default: {
        const value = Number(content);
        return Number.isFinite(value) ? value : this.internCellText(text);
      }
    }
  }

  /**
   * Returns a shared text; null if the file does not contain it: other programs open such files, too, and show nothing.
   */
  private findSharedText(text: string): string | null {
    const shared = this.workbook.texts.getText(Number(text));
    if (shared === undefined) this.workbook.leftOut.addItem('missingTexts');
    else this.checkTextLength(shared.length);
    return shared ?? null;
  }

  private internCellText(text: string): string {
    this.countCharacters(text.length);
    this.checkTextLength(text.length);
    return this.pool.internText(text);
  }

  private checkTextLength(length: number): void {
    if (length > this.workbook.limits.textLength) {
      this.problem = `A text has more than ${this.workbook.limits.textLength} characters. Shorten it.`;
    }
  }

  private countCharacters(characters: number): void {
    this.workbook.spent.characters += characters;
    if (this.workbook.spent.characters > this.workbook.limits.textCharacters) {
      this.problem = `The workbook's texts have more than ${this.workbook.limits.textCharacters} characters together.`;
    }
  }

  /** Adds a formula. Returns its id in the store; 0 if it is not a formula (a data table's results). */
  private addFormula(attributes: XmlAttributes, cell: XmlAttributes): number {
    const type = attributes['t'];
    if (type === 'dataTable') {
      this.workbook.leftOut.addItem('dataTables');
      return 0;
    }
    if (type === 'shared') return this.addSharedFormula(attributes['si'] ?? '');
    const text = this.takeFormulaText();
    if (text === '') return 0;
    if (type !== 'array') return this.others.addFormula({ text });
    const area = parseArea(attributes['ref'] ?? '') ?? this.getCurrentCellArea();
    this.markFilledArea(area);
    // A fixed array formula fills its whole range, a dynamic one only the cells of its result.
    const dynamic = cell['cm'] !== undefined && this.workbook.metadata.isDynamic(cell['cm']);
    if (!dynamic) {
      this.workbook.spent.blocks.addArea(area);
      this.countCells((area.bottom - area.top + 1) * (area.right - area.left + 1) - 1);
    }
    const { top, left, bottom, right } = area;
    return this.others.addFormula({ text, array: { top, left, bottom, right }, ...(dynamic && { dynamic }) });
  }

  /** Adds a shared formula. The first cell of a group contains the text, the others only the number of the group. */
  private addSharedFormula(group: string): number {
    const text = this.takeFormulaText();
    if (text === '') return this.shared.get(group)?.id ?? 0;
    const formula = new SharedFormula(text, this.row, this.column);
    const id = this.others.addFormula({ text: formula });
    this.shared.set(group, { formula, id });
    return id;
  }

  private takeFormulaText(): string {
    const text = unescapeText(this.formulaText, this.workbook.leftOut);
    this.countCharacters(text.length);
    if (text.length > MAX_FORMULA_LENGTH) this.problem = `A formula has more than ${MAX_FORMULA_LENGTH} characters.`;
    return text.startsWith('=') ? text.slice(1) : text;
  }

  private getCurrentCellArea(): Area {
    return { top: this.row, left: this.column, bottom: this.row, right: this.column };
  }

  /** Marks the cells that an array formula fills, so that its results are not read as values. */
  private markFilledArea(area: Area): void {
    this.filledColumns += area.right - area.left + 1;
    if (this.filledColumns > this.workbook.limits.cells) this.problem = 'A sheet has too many array formulas.';
    for (let column = area.left; column <= area.right && !this.problem; column++) {
      if ((this.filledTo[column] as number) < area.bottom) this.filledTo[column] = area.bottom;
    }
  }

  private addColumnFormat(attributes: XmlAttributes): void {
    const first = Number(attributes['min']);
    const last = Math.min(Number(attributes['max']), MAX_COLUMNS);
    const styleIndex = Number(attributes['style'] ?? 0);
    const format = this.workbook.formats[styleIndex];
    const style = this.workbook.styles[styleIndex];
    if ((format === undefined && style === undefined) || !(first >= 1)) return;
    for (let column = first - 1; column < last && !this.problem; column++) {
      if (this.styledColumns.has(column)) this.problem = 'The file is damaged: a sheet describes its columns twice.';
      this.styledColumns.add(column);
      if (format !== undefined) this.columnFormats.set(column, format);
      if (style !== undefined) this.columnStyles.set(column, style);
    }
  }
}
