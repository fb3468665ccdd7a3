import { type Iteration, nameKey, sheetNameProblem } from '@cellwire/engine';
import { findAttribute, parseXmlBoolean, type XmlAttributes, type XmlHandler } from '../archive/xml.ts';
import { TextList } from '../cells/text-list.ts';
import {
  MAX_ATTACHMENT_CHARACTERS,
  MAX_CARRIED_LENGTH,
  MAX_FILE_NAMES,
  MAX_NAME_CHARACTERS,
} from '../limits/limits.ts';
import type { LeftOut } from '../outcome/left-out.ts';
import { RichTextReader } from './rich-text.ts';
import { unescapeText } from './text.ts';
import { formatAttributes, XmlCopy } from './xml-copy.ts';

export interface WorkbookSheetEntry {
  readonly name: string;
  readonly relationship: string;
  readonly hidden: boolean;
}

/** Elements of the workbook part whose attributes are preserved, with the attributes that the export generates. */
const EXPORTED_ATTRIBUTES: Readonly<Record<string, ReadonlySet<string>>> = {
  workbookPr: new Set(['date1904']),
  workbookView: new Set(['activeTab', 'firstSheet']),
  calcPr: new Set(['calcId', 'fullCalcOnLoad', 'calcCompleted']),
};

/** Attributes of defined names that the export generates. */
const EXPORTED_NAME_ATTRIBUTES = new Set(['name', 'localSheetId', 'function', 'vbProcedure', 'xlm', 'functionGroupId']);

export interface NameEntry {
  readonly name: string;
  /** Position in the list of sheets; absent for workbook-wide names. */
  readonly sheet?: number;
  readonly formula: string;
  /** All other attributes as text, such as hidden or comment. */
  readonly attributes: string;
}

const PRESERVED_ELEMENTS = new Set(['workbookProtection', 'externalReferences', 'pivotCaches']);

/** Reads `xl/workbook.xml`: the sheets in order, the defined names, the date system. */
export class WorkbookHandler implements XmlHandler {
  readonly sheets: WorkbookSheetEntry[] = [];
  readonly names: NameEntry[] = [];
  date1904 = false;
  problem: string | null = null;
  /** Position of the sheet that is shown first; null if unspecified. */
  activeTab: number | null = null;
  /** Settings for the calculation of circular formulas; null if they are errors. */
  iteration: Iteration | null = null;
  private readonly maxSheets: number;
  private readonly leftOut: LeftOut;
  private readonly taken = new Set<string>();
  private readonly namesTaken = new Set<string>();
  /** Preserved elements, by name. */
  readonly elements: Record<string, string> = {};
  /** Preserved attributes of other elements, as text, by element name; only the first element counts. */
  readonly attributes: Record<string, string> = {};
  private copy: XmlCopy | null = null;
  private copied = '';
  private name: XmlAttributes | null = null;
  private body = '';
  /** Length of all formulas of names so far. */
  private nameCharacters = 0;

  constructor(maxSheets: number, leftOut: LeftOut) {
    this.maxSheets = maxSheets;
    this.leftOut = leftOut;
  }

  openElement(name: string, attributes: XmlAttributes): void {
    if (this.copy === null && PRESERVED_ELEMENTS.has(name)) {
      this.copy = new XmlCopy(MAX_CARRIED_LENGTH, { prefixes: ['r'] });
      this.copied = name;
    }
    if (this.copy !== null) this.copy.openElement(name, attributes);
    else if (EXPORTED_ATTRIBUTES[name] !== undefined) this.addAttributes(name, attributes);
    else if (name === 'sheet') this.addSheet(attributes);
    else if (name === 'definedName') {
      this.name = attributes;
      this.body = '';
    }
  }

  addText(text: string): void {
    if (!this.name) return;
    this.body += text;
    this.nameCharacters += text.length;
    if (this.nameCharacters > MAX_NAME_CHARACTERS) {
      this.problem = `The workbook's names have more than ${MAX_NAME_CHARACTERS} characters together.`;
    }
  }

  closeElement(name: string): void {
    if (this.copy?.closeElement(name)) {
      if (!this.copy.isTooLong) this.elements[this.copied] = this.copy.text;
      this.copy = null;
    }
    if (name !== 'definedName' || !this.name) return;
    const { name: text, localSheetId, function: macro, vbProcedure } = this.name;
    const attributes = formatAttributes(this.name, EXPORTED_NAME_ATTRIBUTES);
    this.name = null;
    const formula = unescapeText(this.body, this.leftOut);
    if (parseXmlBoolean(macro) || parseXmlBoolean(vbProcedure)) return this.leftOut.addItem('macroNames');
    if (text === undefined || formula === '') return;
    const entry = { name: unescapeText(text), formula, attributes };
    // If two names have the same key and scope, the first one counts.
    const key = `${localSheetId ?? ''}!${nameKey(entry.name)}`;
    if (this.namesTaken.has(key)) return;
    this.namesTaken.add(key);
    if (this.names.length >= MAX_FILE_NAMES) this.problem = `The workbook has more than ${MAX_FILE_NAMES} names.`;
    this.names.push(localSheetId === undefined ? entry : { ...entry, sheet: Number(localSheetId) });
  }

  /** Keeps the attributes of a workbook element for exports, and reads the attributes that this program uses. */
  private addAttributes(name: string, attributes: XmlAttributes): void {
    if (this.attributes[name] !== undefined) return;
    this.attributes[name] = formatAttributes(attributes, EXPORTED_ATTRIBUTES[name]);
    if (name === 'workbookPr') this.date1904 = parseXmlBoolean(attributes['date1904']);
    if (name === 'calcPr' && parseXmlBoolean(attributes['iterate'])) this.iteration = parseIteration(attributes);
    if (name === 'workbookView') this.activeTab = Number(attributes['activeTab'] ?? 0);
  }

  private addSheet(attributes: XmlAttributes): void {
    const relationship = findAttribute(attributes, 'id');
    if (relationship === undefined || attributes['name'] === undefined) return;
    const hidden = attributes['state'] === 'hidden' || attributes['state'] === 'veryHidden';
    const name = unescapeText(attributes['name'], this.leftOut);
    const unusable = sheetNameProblem(name);
    if (unusable !== null) this.problem = `The file is damaged: ${unusable.toLowerCase()}.`;
    const same = nameKey(name);
    if (this.taken.has(same)) this.problem = `The file is damaged: two of its sheets are named “${name}”.`;
    this.taken.add(same);
    this.sheets.push({ name, relationship, hidden });
    if (this.sheets.length > this.maxSheets) {
      this.problem = `The workbook has more than ${this.maxSheets} sheets. Split it into several files.`;
    }
  }
}

/** Parses the settings of iteration, with the defaults of the standard (ECMA-376 part 1, §18.2.2). */
function parseIteration({ iterateCount, iterateDelta }: XmlAttributes): Iteration {
  const count = Number(iterateCount ?? 100);
  const delta = Number(iterateDelta ?? 0.001);
  return { count: Number.isFinite(count) ? count : 100, delta: Number.isFinite(delta) ? delta : 0.001 };
}

/** Reads `xl/sharedStrings.xml`: the texts, and the formatting of their parts. */
export class SharedStringsHandler implements XmlHandler {
  readonly texts = new TextList();
  /** Formatted runs and phonetic readings as elements, by the index of the text. */
  readonly richTexts = new Map<number, string>();
  private readonly leftOut: LeftOut;
  private readonly reader: RichTextReader;
  private richCharacters = 0;
  problem: string | null = null;
  private readonly maxCharacters: number;
  private characters = 0;

  constructor(maxCharacters: number, leftOut: LeftOut) {
    this.maxCharacters = maxCharacters;
    this.leftOut = leftOut;
    this.reader = new RichTextReader(leftOut);
  }

  openElement(name: string, attributes: XmlAttributes): void {
    if (name === 'si') this.reader.startContainer();
    else this.reader.openElement(name, attributes);
  }

  addText(text: string): void {
    this.reader.addCharacters(text);
  }

  closeElement(name: string): void {
    if (name === 'si') this.endText();
    else this.reader.closeElement(name);
  }

  /** Ends a shared text. Notes a problem if all texts together are too long. */
  private endText(): void {
    const { text, isRich } = this.reader;
    this.texts.appendText(text);
    if (isRich) this.addRichText(this.reader.buildContent());
    this.characters += text.length;
    if (this.characters > this.maxCharacters) {
      this.problem = `The workbook's texts have more than ${this.maxCharacters} characters together.`;
    }
  }

  /** Keeps the rich text of the last text, or counts it as left out if it is null or exceeds the limit. */
  private addRichText(content: string | null): void {
    this.richCharacters += content?.length ?? 0;
    if (content === null || this.richCharacters > MAX_ATTACHMENT_CHARACTERS) this.leftOut.addItem('richTexts');
    else this.richTexts.set(this.texts.length - 1, content);
  }
}

/** Reads `xl/metadata.xml`: which values of a cell's `cm` attribute (counted from 1) mark a dynamic array. */
export class MetadataHandler implements XmlHandler {
  private readonly types: string[] = [];
  /** For each `cm`, true if one of its records marks a dynamic array. */
  private readonly marks: boolean[] = [];
  private inCellMetadata = false;

  openElement(name: string, attributes: XmlAttributes): void {
    if (name === 'metadataType') this.types.push(attributes['name'] ?? '');
    else if (name === 'cellMetadata') this.inCellMetadata = true;
    else if (!this.inCellMetadata) return;
    else if (name === 'bk') this.marks.push(false);
    else if (name === 'rc' && this.types[Number(attributes['t']) - 1] === 'XLDAPR') {
      this.marks[this.marks.length - 1] = true;
    }
  }

  closeElement(name: string): void {
    if (name === 'cellMetadata') this.inCellMetadata = false;
  }

  /** True if the cell's attribute `cm` marks a dynamic array formula. */
  isDynamic(cm: string): boolean {
    return this.marks[Number(cm) - 1] === true;
  }
}
