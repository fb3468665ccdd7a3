import {
  type Area,
  areaText,
  cellText,
  type LocaleId,
  type OpenArea,
  type PageParts,
  pagePartsInSteps,
  type Render,
  renderPageInSteps,
  type Snapshot,
  smallPageText,
} from '@cellwire/engine';
import { type MaybePromise, mapMaybe } from '@cellwire/event-loop';
import type { InputLocale } from '../../access/input-locale.ts';
import { PAGE_SLICE_BYTES } from '../../limits/http.ts';
import type { SnapshotSheet } from '../ranges.ts';
import { isRefusal, RESPONSE_TOO_LARGE, type Refusal } from '../refusal.ts';

export type MajorDimension = 'ROWS' | 'COLUMNS';

/** Layout and rendering of cells. */
export interface ReadForm {
  readonly major: MajorDimension;
  /** Null: objects with all properties of a cell. */
  readonly render: Render | null;
  /** The input locale of the request. */
  readonly inputLocale: InputLocale | null;
}

interface Pagination {
  readonly offset: number;
  readonly limit: number;
  readonly total: number;
  readonly returned: number;
  readonly hasMore: boolean;
  readonly nextOffset: number | null;
}

/** One page of a range: its position, without its cells. */
export interface CellPage extends ReadForm {
  readonly kind: 'page';
  readonly snapshot: Snapshot;
  readonly sheet: SnapshotSheet;
  /** The rows and columns to read, if they fit into the response; null: none. */
  readonly area: Area | null;
  /** The requested range, and its text. */
  readonly range: OpenArea;
  readonly rangeText: string;
  /** Number of rows in the range, and the requested part of them. */
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
  /** The locale of formulas; null: the API's grammar. */
  readonly input: LocaleId | null;
}

/** A page with its cells. */
export interface FilledPage {
  readonly kind: 'filled';
  readonly sheet: string;
  /** The range that is returned, in A1 form; for an empty page the range's first cell. */
  readonly range: string;
  readonly major: MajorDimension;
  readonly pagination: Pagination;
  /** The cells as JSON text in parts, a list of rows or columns; shared with other responses. */
  readonly cells: readonly CellsPart[];
  /** True if the cells are known to be one text of ASCII characters; false: unknown. */
  readonly isAscii: boolean;
}

/** A part of the JSON text of cells: a text, or UTF-8 bytes. */
type CellsPart = string | Uint8Array;

/** The cells of a page as JSON text, and the number of their rows. */
interface CellsText {
  readonly parts: readonly CellsPart[];
  readonly rows: number;
  readonly isAscii?: boolean;
}

const NO_ROWS: CellsText = { parts: ['[]'], rows: 0 };
/** Bytes of a page's other members (range, pagination) and separators, without its sheet's name. */
const FRAME_BYTES = 512;
/** Maximum bytes of a UTF-16 unit in JSON: `\u0000`. */
const MAX_JSON_UNIT_BYTES = 6;

/**
 * The cells of a page: as many rows as fit into `maxBytes` of a response together with the other members. If the first
 * row does not fit, the page is refused; with `hasOtherPages` it is empty, because other pages used the space.
 */
export function fillPage(
  runSteps: RunPageSteps,
  page: CellPage,
  maxBytes: number,
  hasOtherPages = false,
): MaybePromise<FilledPage | Refusal> {
  const { snapshot, sheet, area, major, render, input } = page;
  if (area === null) return toFilledPage(page, NO_ROWS);
  const room = maxBytes - boundFrameBytes(sheet.name);
  const bounds = { maxBytes: room, sliceBytes: PAGE_SLICE_BYTES, input };
  const small = render === null ? smallPageText(snapshot, sheet.id, area, major, bounds) : null;
  if (small !== null) {
    const rows = area.bottom - area.top + 1;
    return toFilledPage(page, { parts: [small.text], rows, isAscii: small.isAscii });
  }
  return mapMaybe(
    runSteps(() =>
      render === null
        ? pagePartsInSteps(snapshot, sheet.id, area, major, bounds)
        : renderPageParts(snapshot, sheet.id, { area, major, render, bounds }),
    ),
    (filled) => {
      if (isRefusal(filled)) return filled;
      return filled.rows === 0 && !hasOtherPages ? RESPONSE_TOO_LARGE : toFilledPage(page, filled);
    },
  );
}

/** Runs the steps of a page to their end, or refuses. */
export type RunPageSteps = (begin: () => Generator<void, PageParts>) => MaybePromise<PageParts | Refusal>;

/** Renders a page as bytes, with pauses. */
function* renderPageParts(...page: Parameters<typeof renderPageInSteps>): Generator<void, PageParts> {
  const { bytes, rows } = yield* renderPageInSteps(...page);
  return { parts: [bytes], rows };
}

function toFilledPage(page: CellPage, { parts, rows, isAscii = false }: CellsText): FilledPage {
  const { sheet, major, total, offset, limit } = page;
  const hasMore = offset + rows < total;
  return {
    kind: 'filled',
    sheet: sheet.name,
    range: formatFirstRows(page, rows),
    major,
    pagination: { offset, limit, total, returned: rows, hasMore, nextOffset: hasMore ? offset + rows : null },
    cells: parts,
    isAscii,
  };
}

/** Matches a cell in the form of answers, without `$` and sheet. */
const PLAIN_CELL = /^[A-Z]+[0-9]+$/;

/** The first rows of a page in A1 form; if there are none, the first cell of the range. */
function formatFirstRows({ area, range, rangeText }: CellPage, rows: number): string {
  if (area === null || rows === 0) return cellText(range.top, range.left);
  // Formatting the address again costs more. An open range of this form is the name of a sheet.
  if (!range.openRows && PLAIN_CELL.test(rangeText)) return rangeText;
  return areaText({ ...area, bottom: area.top + rows - 1 });
}

/** The maximum size of a page without its cells, or of a failed entry, in bytes. `name`: the sheet or the range. */
export function boundFrameBytes(name: string): number {
  // Measuring the name would cost more than the rest of a small page.
  return FRAME_BYTES + name.length * MAX_JSON_UNIT_BYTES;
}

/** The maximum size of a page in bytes. */
export function boundPageBytes({ sheet, cells }: FilledPage): number {
  return cells.reduce((sum, part) => sum + Buffer.byteLength(part), boundFrameBytes(sheet));
}
