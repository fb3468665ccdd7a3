import type { DateSystem, LocaleId } from '@cellwire/engine';
import { type CopiedTable, MAX_COPIED_CELLS, readOwnFormat } from '../clipboard-formats/copied-table.ts';
import { extractHtmlText, readHtml } from '../clipboard-formats/pasted-html.ts';
import { type PastedCell, type PastedTable, readTypedTable, toPastedTable } from '../clipboard-formats/pasted-table.ts';
import type { SlicedWork } from '../clipboard-formats/sliced-work.ts';
import type { GridState } from '../controller/grid-state.ts';
import { toApiFormula } from '../formula/typed-formula.ts';

/** Content of the clipboard. */
export interface ClipboardTexts {
  readonly text: string;
  readonly html?: string | undefined;
  readonly own?: string | undefined;
}

interface ReadOptions {
  readonly copied: GridState['copied'];
  readonly valuesOnly: boolean;
  /** Locale of typed formulas; null if unknown. */
  readonly locale: LocaleId | null;
  readonly dateSystem: DateSystem;
  /** First cell of the target. */
  readonly top: number;
  readonly left: number;
}

/**
 * What a paste writes. `copied`: the copy that the page holds; `nothing`: no content for cells; `tooLarge`: more than
 * `MAX_COPIED_CELLS` cells.
 */
export type PasteContent = PastedTable | 'copied' | 'nothing' | 'tooLarge';

/**
 * Reads the clipboard: a copy of this application, else HTML of another program, else text, which counts as typed. Yields
 * the number of characters read, and then smaller numbers while the table is converted.
 */
export function* readPasteContent(
  { text, html = '', own = '' }: ClipboardTexts,
  { copied, valuesOnly, locale, ...options }: ReadOptions,
): SlicedWork<PasteContent> {
  const ownCopy = own === '' ? null : yield* readOwnFormat(own);
  const read = html === '' || ownCopy !== null ? null : yield* readHtml(html, MAX_COPIED_CELLS);
  const copy = ownCopy ?? (read !== null && read !== 'tooLarge' && 'own' in read ? read.own : null);
  const isHeld = isHeldCopy(copied, copy, text);
  if (isHeld && !valuesOnly) return 'copied';
  const source = copy ?? (isHeld && copied !== null ? copied.table : null);
  if (source !== null) return yield* toPastedTable(source, { ...options, valuesOnly });
  if (read === 'tooLarge') return read;
  if (read !== null && 'foreign' in read) {
    return yield* convertFormulas(valuesOnly ? removeFormats(read.foreign) : read.foreign, locale);
  }
  const typed = text === '' && html !== '' ? extractHtmlText(html) : text;
  if (typed === null) return 'tooLarge';
  if (typed === '') return 'nothing';
  const table = yield* readTypedTable(typed, MAX_COPIED_CELLS);
  return table === null ? 'tooLarge' : yield* convertFormulas(table, locale);
}

/** True if the clipboard still holds the copy of the page. */
function isHeldCopy(copied: GridState['copied'], copy: CopiedTable | null, text: string): boolean {
  if (copied === null) return false;
  // The content of cells that are hidden now is not known.
  const isKnown = copied.table.cells.length > 0;
  return copy === null ? isKnown && copied.text === normalizeText(text) : copy.id === copied.table.id;
}

/** Removes the differences that browsers make in copied text: line ends, and a line break at the end. */
function normalizeText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/\n$/, '');
}

function removeFormats(table: PastedTable): PastedTable {
  return { ...table, cells: table.cells.map((line) => line.map((cell) => ({ ...cell, format: undefined }))) };
}

/** Converts formulas as if they were typed: local function names, `;` between arguments. */
function* convertFormulas(table: PastedTable, locale: LocaleId | null): SlicedWork<PastedTable> {
  const convert = (cell: PastedCell): PastedCell =>
    isFormula(cell.input) ? { ...cell, input: toApiFormula(cell.input, locale) } : cell;
  const cells: (readonly PastedCell[])[] = [];
  for (const line of table.cells) {
    cells.push(line.some(({ input }) => isFormula(input)) ? line.map(convert) : line);
    yield cells.length;
  }
  return { ...table, cells };
}

function isFormula(input: PastedCell['input']): input is string {
  return typeof input === 'string' && input.startsWith('=');
}
