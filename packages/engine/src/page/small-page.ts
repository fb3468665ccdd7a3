import { type Grammar, getGrammar } from '../formula/index.ts';
import { type Area, cellCount } from '../grid/area.ts';
import type { Sheet, Snapshot } from '../sheet/snapshot.ts';
import { MIN_INEXACT } from '../value/json-text.ts';
import { type CellView, viewSheetCell } from './cell-view.ts';
import type { Major, PageBounds } from './page-lines.ts';

/** Maximum number of cells of a small page. A page of more cells is written faster as bytes. */
const MAX_CELLS = 4;
/** Maximum characters of the texts of a small page. */
const MAX_CHARACTERS = 2_048;
/** Maximum bytes of the JSON text of a small page: properties of its cells, and texts with six bytes per character. */
const MAX_BYTES = 256 * MAX_CELLS + 6 * MAX_CHARACTERS;

/** The JSON text of a page. `isAscii`: it is known that all characters are ASCII. */
interface SmallPage {
  readonly text: string;
  readonly isAscii: boolean;
}

/**
 * The page that `pageInSteps` writes, as text, if it has few cells and short texts; else null. Such a page is written
 * several times faster as text, because it needs no buffers.
 */
export function smallPageText(
  snapshot: Snapshot,
  sheetId: number,
  page: Area,
  major: Major,
  { maxBytes, input = null }: Pick<PageBounds, 'maxBytes' | 'input'>,
): SmallPage | null {
  if (cellCount(page) > MAX_CELLS || maxBytes < MAX_BYTES) return null;
  const sheet = snapshot.sheetById(sheetId);
  const lines = sheet === undefined ? null : viewLines(snapshot, sheet, page, major, getGrammar(input));
  if (lines === null) return null;
  const number = lines.length === 1 && lines[0]?.length === 1 ? writePlainNumber(lines[0][0] ?? null) : null;
  return number === null ? { text: JSON.stringify(lines), isAscii: false } : { text: `[[${number}]]`, isAscii: true };
}

/** A number that is displayed as JSON writes it. Null: another cell. `JSON.stringify` takes several times longer. */
function writePlainNumber(cell: CellView | null): string | null {
  if (cell === null || typeof cell.v !== 'number' || 'f' in cell || 't' in cell) return null;
  const { m } = cell;
  return String(cell.v) === m ? `{"v":${m},"m":"${m}"}` : null;
}

/** The cells of a page by rows or columns; null if their texts or integers are too long. */
function viewLines(
  snapshot: Snapshot,
  sheet: Sheet,
  { top, left, bottom, right }: Area,
  major: Major,
  grammar: Grammar,
): (CellView | null)[][] | null {
  const byRows = major === 'ROWS';
  const lineCount = byRows ? bottom - top + 1 : right - left + 1;
  const length = byRows ? right - left + 1 : bottom - top + 1;
  const lines: (CellView | null)[][] = [];
  let characters = 0;
  for (let line = 0; line < lineCount; line++) {
    const cells: (CellView | null)[] = [];
    for (let at = 0; at < length; at++) {
      const view = viewSheetCell(snapshot, sheet, top + (byRows ? line : at), left + (byRows ? at : line), grammar);
      characters += view === null ? 0 : countCharacters(view);
      if (characters > MAX_CHARACTERS || isLongInteger(view?.v)) return null;
      cells.push(view);
    }
    lines.push(cells);
  }
  return lines;
}

/** True for a number that `JSON.stringify` does not write as the API does; see `jsonNumberText`. */
function isLongInteger(value: CellView['v'] | undefined): boolean {
  return typeof value === 'number' && Math.abs(value) >= MIN_INEXACT;
}

/** Number of characters of the texts of a cell. */
function countCharacters({ v, m, f, error }: CellView): number {
  return (typeof v === 'string' ? v.length : 0) + m.length + (f?.length ?? 0) + (error?.message.length ?? 0);
}
