import {
  convertSerial,
  type DateSystem,
  isFormat,
  LOCALE_IDS,
  type LocaleId,
  MAX_COLUMNS,
  MAX_ROWS,
} from '@cellwire/engine';
import { moveFormula } from '../formula/formula-text.ts';
import { type CopiedCell, type CopiedTable, checkTable, parsePlainValue } from './copied-table.ts';
import type { SlicedWork } from './sliced-work.ts';
import { readTsvRows } from './tsv.ts';

/** Input of one cell in the API's form. */
type PastedInput =
  | string
  | number
  | boolean
  | { readonly value: string; readonly as: 'text' }
  | { readonly error: string };

/** A cell to paste. */
export interface PastedCell {
  /** An empty text clears the cell. */
  readonly input: PastedInput;
  /** Number format to set; undefined keeps the cell's format. */
  readonly format: string | undefined;
  /** Displayed text of the cell until the service has answered. */
  readonly shown: string;
}

export interface PastedTable {
  readonly cells: readonly (readonly PastedCell[])[];
  /** Locale of typed texts; null for the document's locale. */
  readonly locale: LocaleId | null;
}

/** The number format of plain cells. */
const GENERAL_FORMAT = 'General';

interface PasteOptions {
  /** Pastes values without formulas and formats. */
  readonly isValues: boolean;
  readonly dateSystem: DateSystem;
  /** First cell of the target. */
  readonly top: number;
  readonly left: number;
}

/**
 * Reads tab-separated text, whose cells count as typed; null if it has more than `maxCells` cells. Yields the number of
 * characters read.
 */
export function* readTypedTable(text: string, maxCells: number): SlicedWork<PastedTable | null> {
  const lines: PastedCell[][] = [];
  let [width, read] = [0, 0];
  for (const row of readTsvRows(text)) {
    lines.push(row.map((input) => ({ input, format: undefined, shown: input })));
    width = Math.max(width, row.length);
    if (width * lines.length > maxCells) return null;
    read += row.reduce((sum, { length }) => sum + length + 1, 0);
    yield read;
  }
  for (const line of lines) {
    if (line.length === width) continue;
    while (line.length < width) line.push(EMPTY_CELL);
    yield read;
  }
  return { cells: lines, locale: null };
}

/** Clears its target. */
const EMPTY_CELL: PastedCell = { input: '', format: undefined, shown: '' };

/**
 * Converts a copy to a table to paste. Relative references move with their cells. Yields the number of converted rows.
 */
export function* toPastedTable(table: CopiedTable, options: PasteOptions): SlicedWork<PastedTable> {
  const [top = 0] = table.rows;
  const [left = 0] = table.columns;
  const by = { rows: options.top - top, columns: options.left - left };
  const locale = LOCALE_IDS.find((id) => id === table.locale) ?? null;
  const convert = (cell: CopiedCell | null): PastedCell => {
    const format = options.isValues ? undefined : chooseFormat(cell);
    if (cell === null) return { input: '', format, shown: '' };
    if (cell.f !== undefined && !options.isValues) {
      return { input: moveFormula(cell.f, by.rows, by.columns), format, shown: cell.m };
    }
    const value =
      typeof cell.v === 'number'
        ? convertSerial(cell.v, cell.format ?? '', table.dateSystem, options.dateSystem)
        : cell.v;
    return { input: toPastedInput({ ...cell, ...(value === undefined ? {} : { v: value }) }), format, shown: cell.m };
  };
  const cells: PastedCell[][] = [];
  for (const line of table.cells) {
    cells.push(line.map(convert));
    yield cells.length;
  }
  return { cells, locale };
}

function chooseFormat(cell: CopiedCell | null): string {
  return cell?.format !== undefined && isFormat(cell.format) ? cell.format : GENERAL_FORMAT;
}

function toPastedInput({ v, m, error }: CopiedCell): PastedInput {
  if (error !== undefined) return { error };
  if (v === undefined) return m;
  return typeof v === 'string' ? toTextInput(v) : v;
}

function toTextInput(text: string): PastedInput {
  return text === '' ? '' : { value: text, as: 'text' };
}

/** Returns the copy id in clipboard HTML without parsing all of it; null if another program wrote it. */
export function findCopyId(html: string): string | null {
  return /<table data-cellwire="[^"]*?&quot;id&quot;:&quot;([\d-]+)&quot;/.exec(html)?.[1] ?? null;
}

/** Returns the text of clipboard HTML without a table. */
export function extractHtmlText(html: string): string {
  return new DOMParser().parseFromString(disableStyles(html), 'text/html').body.textContent?.trim() ?? '';
}

/** A table in HTML: a copy of this application, or a table of another program. */
type HtmlTable = { readonly own: CopiedTable } | { readonly foreign: PastedTable };

/**
 * Reads the first table of clipboard HTML; null if there is none or it is larger than the grid. Yields the number of
 * characters read.
 */
export function* readHtml(html: string): SlicedWork<HtmlTable | null> {
  if (!/<table/i.test(html)) return null;
  const scanned = yield* scanOwnTable(html);
  if (scanned !== null) return { own: scanned };
  const page = new DOMParser().parseFromString(disableStyles(html), 'text/html');
  const table = page.querySelector('table');
  if (table === null) return null;
  const own = table.dataset['cellwire'] === undefined ? null : readOwnTable(table);
  if (own !== null) return { own };
  const source = inspectSource(page, html);
  const cells = readRows(table, (cell) => readForeignCell(cell, source));
  const isEmpty = cells.every((line) => line.length === 0);
  if (isEmpty || cells.length > MAX_ROWS || (cells[0]?.length ?? 0) > MAX_COLUMNS) return null;
  return { foreign: { cells, locale: null } };
}

function readOwnTable(table: HTMLTableElement): CopiedTable | null {
  const cells = [...table.rows].map((row) =>
    [...row.cells].map((cell) => {
      const raw = cell.dataset['cell'];
      return readOwnCell(
        raw,
        cell.dataset['v'],
        raw === undefined ? (cell.textContent ?? '') : extractVisibleText(cell),
      );
    }),
  );
  return checkTable({ ...parseJsonObject(table.dataset['cellwire'] ?? ''), cells });
}

/** Reads a copied cell from its attributes. */
function readOwnCell(raw: string | undefined, number: string | undefined, m: string): Record<string, unknown> | null {
  if (raw !== undefined) return { ...parseJsonObject(raw), m };
  const v = number === undefined ? parsePlainValue(m) : Number(number);
  return v === undefined ? null : { m, v };
}

const OWN_TABLE = /<table data-cellwire="([^"]*)"/;
const OWN_PARTS = /<tr>|<td(?: data-(cell|v)="([^"]*)")?(?: (?:data-)?style="[^"]*")?>((?:[^<]|<br>)*)<\/td>/g;

/**
 * Reads a copy with a regular expression, because building a DOM takes seconds for a million cells. Null if the HTML
 * has another form.
 */
function* scanOwnTable(html: string): SlicedWork<CopiedTable | null> {
  const about = OWN_TABLE.exec(html)?.[1];
  if (about === undefined) return null;
  const cells: (Record<string, unknown> | null)[][] = [];
  for (const match of html.matchAll(OWN_PARTS)) {
    const [part, name, raw = '', content = ''] = match;
    if (part === '<tr>') {
      cells.push([]);
      yield match.index;
    } else {
      const value = unescapeHtml(raw);
      const m = unescapeHtml(content.replaceAll('<br>', '\n'));
      cells.at(-1)?.push(readOwnCell(name === 'cell' ? value : undefined, name === 'v' ? value : undefined, m));
    }
  }
  return checkTable({ ...parseJsonObject(unescapeHtml(about)), cells });
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&quot;': '"',
  '&lt;': '<',
  '&gt;': '>',
  '&nbsp;': '\u00a0',
  '&amp;': '&',
};

function unescapeHtml(text: string): string {
  return text.includes('&') ? text.replace(/&(?:quot|lt|gt|nbsp|amp);/g, (entity) => ENTITIES[entity] ?? '') : text;
}

function parseJsonObject(json: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** What is known about the program that wrote the HTML. */
interface HtmlSource {
  /** The program writes a raw value for each number. A cell without one is therefore a text. */
  readonly hasAllNumbers: boolean;
  /** Number formats of Excel's style classes. */
  readonly formats: ReadonlyMap<string, string>;
}

const STYLE_BLOCKS = /<style[^>]*>([\s\S]*?)<\/style\s*>/gi;
/** A tag. Quoted attribute values may contain `>`. */
const TAGS = /<[a-z](?:"[^"]*"|'[^']*'|[^"'>])*>/gi;

/**
 * Renames style attributes: the content security policy forbids inline styles, and browsers report them in parsed
 * documents, too.
 */
function disableStyles(html: string): string {
  const quotedOrStyle = /"[^"]*"|'[^']*'|\sstyle(?=\s*=)/gi;
  return html
    .replace(STYLE_BLOCKS, '')
    .replace(TAGS, (tag) => tag.replace(quotedOrStyle, (part) => (/^\s/.test(part) ? ' data-style' : part)));
}

function inspectSource(page: Document, html: string): HtmlSource {
  const generator = page.querySelector('meta[name="generator" i]')?.getAttribute('content') ?? '';
  const styles = [...html.matchAll(STYLE_BLOCKS)].map(([, rules = '']) => rules).join('\n');
  const formats = new Map<string, string>();
  for (const [, name = '', rules = ''] of styles.matchAll(/\.([\w-]+)\s*\{([^}]*)\}/g)) {
    const format = readExcelFormat(rules);
    if (format !== undefined) formats.set(name, format);
  }
  return { hasAllNumbers: /LibreOffice|OpenOffice/i.test(generator), formats };
}

/** Reads the number format from Excel's CSS (`mso-number-format:"\#\,\#\#0\.00"`). */
function readExcelFormat(rules: string): string | undefined {
  const match = /mso-number-format:\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^;]+))/.exec(rules);
  if (match === null) return undefined;
  const cssFormat = (match[1] ?? match[2] ?? match[3] ?? '').trim();
  const excelCode = EXCEL_NAMES[cssFormat];
  if (excelCode !== undefined) return excelCode;
  const code = cssFormat
    .replace(/\\([0-9a-f]{4})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\(.)/g, '$1');
  return isFormat(code) ? code : undefined;
}

/** Formats that Excel writes by name. */
const EXCEL_NAMES: Readonly<Record<string, string>> = {
  General: 'General',
  Fixed: '0.00',
  Standard: '#,##0.00',
  Percent: '0.00%',
  Scientific: '0.00E+00',
  'Short Date': 'm/d/yyyy',
  'Medium Date': 'd-mmm-yy',
  'Short Time': 'h:mm',
  'Long Time': 'h:mm:ss AM/PM',
};

function readForeignCell(cell: HTMLTableCellElement, source: HtmlSource): PastedCell {
  const shown = extractVisibleText(cell);
  return readGoogleCell(cell, shown) ?? readCalcCell(cell, shown, source) ?? readExcelCell(cell, shown, source);
}

/**
 * Google Sheets: `data-sheets-value` holds the type in member `1` (2 text, 3 number, 4 boolean) and the value in the
 * member with that number.
 */
function readGoogleCell(cell: HTMLTableCellElement, displayedText: string): PastedCell | null {
  const raw = cell.getAttribute('data-sheets-value');
  if (raw === null) return null;
  const { 1: type, 2: text, 3: number, 4: truth } = parseJsonObject(raw) as Readonly<Record<number, unknown>>;
  const { 2: code } = parseJsonObject(cell.getAttribute('data-sheets-numberformat') ?? '') as Readonly<
    Record<number, unknown>
  >;
  const format = typeof code === 'string' && code !== '' && isFormat(code) ? code : undefined;
  if (type === 3 && typeof number === 'number') return { input: number, format, shown: displayedText };
  if (type === 4) return { input: truth === 1 || truth === true, format, shown: displayedText };
  if (type === 2)
    return { input: toTextInput(typeof text === 'string' ? text : displayedText), format, shown: displayedText };
  return { input: displayedText, format, shown: displayedText };
}

/** LibreOffice: `sdval` is the raw number, `sdnum` holds two languages and the format. */
function readCalcCell(cell: HTMLTableCellElement, displayedText: string, source: HtmlSource): PastedCell | null {
  const raw = cell.getAttribute('sdval');
  const isNumber = raw !== null && raw !== '' && Number.isFinite(Number(raw));
  if (!isNumber)
    return source.hasAllNumbers ? { input: toTextInput(displayedText), format: undefined, shown: displayedText } : null;
  const code = (cell.getAttribute('sdnum') ?? '').split(';').slice(2).join(';');
  if (code.toUpperCase() === 'BOOLEAN') return { input: Number(raw) !== 0, format: undefined, shown: displayedText };
  const format = code === '' || code === 'General' || !isFormat(code) ? undefined : code;
  return { input: Number(raw), format, shown: displayedText };
}

/** Excel attributes, if there are any. Other cells count as typed text. */
function readExcelCell(cell: HTMLTableCellElement, displayedText: string, { formats }: HtmlSource): PastedCell {
  const ofClass = [...cell.classList].map((name) => formats.get(name)).find((format) => format !== undefined);
  const code = readExcelFormat(cell.dataset['style'] ?? '') ?? ofClass;
  const format = code === GENERAL_FORMAT ? undefined : code;
  const number = cell.getAttribute('x:num');
  if (number !== null && number !== '' && Number.isFinite(Number(number)))
    return { input: Number(number), format, shown: displayedText };
  const truth = cell.getAttribute('x:bool');
  if (truth !== null) return { input: /^true$/i.test(truth || displayedText), format, shown: displayedText };
  if (cell.hasAttribute('x:str') || format === '@') {
    return { input: toTextInput(cell.getAttribute('x:str') || displayedText), format, shown: displayedText };
  }
  return { input: displayedText, format: undefined, shown: displayedText };
}

/** The visible text: whitespace of the source collapses, `<br>` is a line break. */
function extractVisibleText(cell: HTMLTableCellElement): string {
  const copy = cell.cloneNode(true) as HTMLTableCellElement;
  const isOwn = cell.dataset['cell'] !== undefined;
  for (const node of copy.querySelectorAll('br')) node.replaceWith(LINE_BREAK_MARK);
  const text = copy.textContent ?? '';
  const flat = isOwn ? text : text.replace(/[ \t\r\n]+/g, ' ').trim();
  return flat
    .replaceAll(`${LINE_BREAK_MARK} `, LINE_BREAK_MARK)
    .replaceAll(LINE_BREAK_MARK, '\n')
    .replaceAll('\u00a0', ' ');
}

/** Replaces line breaks while whitespace collapses. */
const LINE_BREAK_MARK = '\ue000';

/** Returns rows of equal length. A merged cell is its first cell; the other cells are empty. */
function readRows(
  table: HTMLTableElement,
  readCell: (cell: HTMLTableCellElement) => PastedCell,
): readonly (readonly PastedCell[])[] {
  const rows: PastedCell[][] = [...table.rows].map(() => []);
  for (const [i, line] of rows.entries()) {
    let column = 0;
    for (const cell of table.rows[i]?.cells ?? []) {
      while (line[column] !== undefined) column++;
      const wide = Math.min(MAX_COLUMNS, Math.max(1, cell.colSpan));
      const high = Math.min(rows.length - i, Math.max(1, cell.rowSpan));
      for (const target of rows.slice(i, i + high)) {
        for (let across = 0; across < wide; across++) target[column + across] = EMPTY_CELL;
      }
      line[column] = readCell(cell);
      column += wide;
    }
  }
  const width = rows.reduce((most, { length }) => Math.max(most, length), 0);
  return rows.map((line) => Array.from({ length: width }, (_, column) => line[column] ?? EMPTY_CELL));
}
