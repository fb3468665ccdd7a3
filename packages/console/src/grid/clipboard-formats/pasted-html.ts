import { isFormat, MAX_COLUMNS, MAX_ROWS } from '@cellwire/engine';
import {
  type CopiedCell,
  type CopiedTable,
  MAX_ROW_CHARACTERS,
  parseCellLine,
  parsePlainValue,
  parseTableHead,
} from './copied-table.ts';
import {
  type ExcelFormat,
  type ExcelSeparators,
  readExcelFormat,
  readExcelSeparators,
  readExcelValue,
} from './excel-values.ts';
import { findFirstTable, type HtmlTableStart, parseHtml, parseRows, readTableParts } from './html-table.ts';
import { listStyles } from './html-tags.ts';
import { EMPTY_CELL, GENERAL_FORMAT, type PastedCell, type PastedTable, toTextInput } from './pasted-table.ts';
import type { SlicedWork } from './sliced-work.ts';

/** Returns the copy id in clipboard HTML without parsing all of it; null if another program wrote it. */
export function findCopyId(html: string): string | null {
  return /<table data-cellwire="[^"]*?&quot;id&quot;:&quot;([\d-]+)&quot;/.exec(html)?.[1] ?? null;
}

/** Returns the text of clipboard HTML without a table; null if it is longer than `MAX_ROW_CHARACTERS`. */
export function extractHtmlText(html: string): string | null {
  return html.length > MAX_ROW_CHARACTERS ? null : (parseHtml(html).body.textContent?.trim() ?? '');
}

/**
 * A table in HTML: a copy of this application, or a table of another program. `tooLarge`: more than `maxCells` cells or
 * the grid's columns, or a row of more than `MAX_ROW_CHARACTERS`.
 */
type HtmlTable = { readonly own: CopiedTable } | { readonly foreign: PastedTable } | 'tooLarge';

/** Reads the first table of clipboard HTML; null if there is none. Yields the number of characters read. */
export function* readHtml(html: string, maxCells: number): SlicedWork<HtmlTable | null> {
  const table = yield* findFirstTable(html);
  if (table === null) return null;
  const own = yield* readOwnTable(html, table);
  return own === null ? yield* readForeignTable(html, table, maxCells) : { own };
}

/** Null if another program wrote the table, or the copy is damaged. */
function* readOwnTable(html: string, { tag, from }: HtmlTableStart): SlicedWork<CopiedTable | null> {
  const about = OWN_TABLE.exec(tag)?.[1];
  const head = about === undefined ? null : parseTableHead(parseJsonObject(unescapeHtml(about)));
  if (head === null) return null;
  const cells: (readonly (CopiedCell | null)[])[] = [];
  const isWhole = yield* readTableParts(html, from, (part) => {
    for (const line of readOwnRows(part, head.columns.length)) {
      const checked = parseCellLine(line, head);
      if (checked === null || cells.length === head.rows.length) return false;
      cells.push(checked);
    }
    return true;
  });
  return isWhole && cells.length === head.rows.length ? { ...head, cells } : null;
}

type RawRow = readonly (Record<string, unknown> | null)[];

/** Browsers may rewrite copied HTML. It is then parsed like other HTML. */
function readOwnRows(part: string, width: number): readonly RawRow[] {
  const lines = scanOwnRows(part);
  if (lines.length > 0 && lines.every(({ length }) => length === width)) return lines;
  return parseRows(part).map((row) =>
    [...row.cells].map((cell) => {
      const raw = cell.dataset['cell'];
      const text = raw === undefined ? (cell.textContent ?? '') : extractVisibleText(cell);
      return readOwnCell(raw, cell.dataset['v'], text);
    }),
  );
}

/** Reads a copied cell from its attributes. */
function readOwnCell(
  cellJson: string | undefined,
  numberText: string | undefined,
  displayedText: string,
): Record<string, unknown> | null {
  if (cellJson !== undefined) return { ...parseJsonObject(cellJson), m: displayedText };
  const v = numberText === undefined ? parsePlainValue(displayedText) : Number(numberText);
  return v === undefined ? null : { m: displayedText, v };
}

const OWN_TABLE = /data-cellwire="([^"]*)"/;
const OWN_PARTS = /<tr>|<td(?: data-(cell|v)="([^"]*)")?(?: (?:data-)?style="[^"]*")?>([^<]*(?:<br>[^<]*)*)<\/td>/g;

/** Reads rows with a regular expression, because building a DOM takes seconds for a million cells. */
function scanOwnRows(part: string): readonly RawRow[] {
  const lines: (Record<string, unknown> | null)[][] = [];
  for (const [text, name, raw = '', content = ''] of part.matchAll(OWN_PARTS)) {
    if (text === '<tr>') lines.push([]);
    else {
      const value = unescapeHtml(raw);
      const m = unescapeHtml(content.replaceAll('<br>', '\n'));
      lines.at(-1)?.push(readOwnCell(name === 'cell' ? value : undefined, name === 'v' ? value : undefined, m));
    }
  }
  return lines;
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

/** Returns the members of a JSON object or array; an empty object for other texts. */
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
  readonly formats: ReadonlyMap<string, ExcelFormat>;
  /** How Excel displayed numbers; null if the HTML does not say it. */
  readonly separators: ExcelSeparators | null;
}

/** Finds out what is known about the program that wrote the HTML. `head`: the HTML before the table. */
function detectSource(head: string): HtmlSource {
  const generator = parseHtml(head).querySelector('meta[name="generator" i]')?.getAttribute('content') ?? '';
  const formats = new Map<string, ExcelFormat>();
  const styles = listStyles(head).join('\n');
  for (const rule of styles.split('}')) {
    const [, name = '', body = ''] = /\.([\w-]{1,100})\s{0,100}\{([^{]*)$/.exec(rule) ?? [];
    const format = readExcelFormat(body);
    if (name !== '' && format !== undefined) formats.set(name, format);
  }
  const hasAllNumbers = /LibreOffice|OpenOffice/i.test(generator);
  return { hasAllNumbers, formats, separators: readExcelSeparators(styles) };
}

/** Reads a table of another program. A merged cell is its first cell; its other cells are empty. */
function* readForeignTable(
  html: string,
  { head, from }: HtmlTableStart,
  maxCells: number,
): SlicedWork<HtmlTable | null> {
  const source = detectSource(head);
  const lines: PastedCell[][] = [];
  const spans: RowSpans = new Map();
  let width = 0;
  const isWhole = yield* readTableParts(html, from, (part) => {
    for (const row of parseRows(part)) {
      const line = readForeignRow(row, spans, source);
      lines.push(line);
      width = Math.max(width, line.length);
      if (width > MAX_COLUMNS || lines.length > MAX_ROWS || width * lines.length > maxCells) return false;
    }
    return true;
  });
  if (!isWhole) return 'tooLarge';
  if (width === 0) return null;
  for (const line of lines) {
    while (line.length < width) line.push(EMPTY_CELL);
    yield html.length;
  }
  return { foreign: { cells: lines, locale: null } };
}

/** Number of further rows that merged cells cover, by column. */
type RowSpans = Map<number, number>;

/** Reads the cells of a row of another program. `spans`: rows that merged cells still cover; it is updated. */
function readForeignRow(row: HTMLTableRowElement, spans: RowSpans, source: HtmlSource): PastedCell[] {
  const line: PastedCell[] = [];
  const skipCovered = () => {
    for (let left = spans.get(line.length); left !== undefined; left = spans.get(line.length)) {
      if (left === 1) spans.delete(line.length);
      else spans.set(line.length, left - 1);
      line.push(EMPTY_CELL);
    }
  };
  for (const cell of row.cells) {
    skipCovered();
    if (line.length > MAX_COLUMNS) return line;
    const [first, wide] = [line.length, Math.max(1, cell.colSpan)];
    line.push(readForeignCell(cell, source));
    while (line.length < first + wide) line.push(EMPTY_CELL);
    if (cell.rowSpan > 1) for (let column = first; column < line.length; column++) spans.set(column, cell.rowSpan - 1);
  }
  const lastCovered = Math.max(-1, ...spans.keys());
  while (line.length <= lastCovered) {
    skipCovered();
    if (line.length <= lastCovered) line.push(EMPTY_CELL);
  }
  return line;
}

/** Reads a cell of another program by the attributes of the program that wrote it. */
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

/** Reads Excel's attributes. A cell without them counts as typed text, unless its format says what it holds. */
function readExcelCell(cell: HTMLTableCellElement, displayedText: string, source: HtmlSource): PastedCell {
  const ofClass = [...cell.classList].map((name) => source.formats.get(name)).find((format) => format !== undefined);
  const excelFormat = readExcelFormat(cell.dataset['style'] ?? '') ?? ofClass;
  const format = excelFormat?.code === GENERAL_FORMAT ? undefined : excelFormat?.code;
  const number = cell.getAttribute('x:num');
  if (number !== null && number !== '' && Number.isFinite(Number(number)))
    return { input: Number(number), format, shown: displayedText };
  const truth = cell.getAttribute('x:bool');
  if (truth !== null) return { input: /^true$/i.test(truth || displayedText), format, shown: displayedText };
  if (cell.hasAttribute('x:str') || format === '@') {
    return { input: toTextInput(cell.getAttribute('x:str') || displayedText), format, shown: displayedText };
  }
  const known = readExcelValue(displayedText, excelFormat, source.separators);
  return { input: known ?? displayedText, format: known === null ? undefined : format, shown: displayedText };
}

/** The visible text: whitespace of the source collapses, `<br>` is a line break. */
function extractVisibleText(cell: HTMLTableCellElement): string {
  const isOwn = cell.dataset['cell'] !== undefined;
  for (const node of cell.querySelectorAll('br')) node.replaceWith(LINE_BREAK_MARK);
  const text = cell.textContent ?? '';
  const flat = isOwn ? text : text.replace(/[ \t\r\n]+/g, ' ').trim();
  return flat
    .replaceAll(`${LINE_BREAK_MARK} `, LINE_BREAK_MARK)
    .replaceAll(LINE_BREAK_MARK, '\n')
    .replaceAll('\u00a0', ' ');
}

/** Replaces line breaks while whitespace collapses. */
const LINE_BREAK_MARK = '\ue000';
