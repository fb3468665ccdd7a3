import type { Area, OpenArea, Snapshot } from '@cellwire/engine';
import { areaText, cellText, pageBytes } from '@cellwire/engine';
import type { DocumentAccess } from '../access/access.ts';
import { MAX_READ_ROWS } from '../limits/limits.ts';
import type { Soon } from '../store/soon.ts';
import { soon } from '../store/soon.ts';
import type { ServiceContext } from './context.ts';
import { openTable } from './open-table.ts';
import type { Sheet, Target } from './ranges.ts';
import { resolveRange } from './ranges.ts';
import type { Refusal } from './refusal.ts';
import { answerTo, isRefusal, VALUES_HIDDEN } from './refusal.ts';

export type Major = 'ROWS' | 'COLUMNS';

interface Pagination {
  readonly offset: number;
  readonly limit: number;
  readonly total: number;
  readonly returned: number;
  readonly hasMore: boolean;
  readonly nextOffset: number | null;
}

/** One page of a range: where it is, not yet its cells. */
export interface Page {
  readonly kind: 'page';
  readonly snapshot: Snapshot;
  readonly sheet: Sheet;
  /** The rows and columns really returned; null: none. */
  readonly area: Area | null;
  /** The same in A1 form; of an empty page the range's first cell. */
  readonly range: string;
  readonly major: Major;
  readonly pagination: Pagination;
}

/** An entry of a batch that could not be read. */
export interface FailedRange {
  readonly kind: 'failed';
  /** As it was asked for. */
  readonly range: string;
  readonly error: string;
}

interface PageRequest {
  readonly range: string;
  readonly offset: number;
  readonly limit: number;
  readonly major: Major;
}

const NO_CELLS: Uint8Array = new TextEncoder().encode('[]');

/** The cells of a page as JSON text, a list of rows or columns. */
export function pageCells({ snapshot, sheet, area, major }: Page): Uint8Array {
  return area === null ? NO_CELLS : pageBytes(snapshot, sheet.id, area, major);
}

export function readRange(context: ServiceContext, access: DocumentAccess, request: PageRequest): Soon<Page | Refusal> {
  return soon(openTable(context, access), (snapshot) => {
    if (isRefusal(snapshot)) return snapshot;
    const target = readable(snapshot, access, request.range);
    if (isRefusal(target)) return target;
    return page(snapshot, target, request, { cells: context.config.limits.maxResponseCells, leastRows: 1 });
  });
}

/** All ranges at one revision; what is wrong with one range is said in its place (contract, write rule 8). */
export async function readRanges(
  context: ServiceContext,
  access: DocumentAccess,
  ranges: readonly string[],
  major: Major,
): Promise<readonly (Page | FailedRange)[] | Refusal> {
  const snapshot = await openTable(context, access);
  if (isRefusal(snapshot)) return snapshot;
  return readEach(
    context,
    ranges.map((range) => ({ snapshot, access, range, echo: range })),
    major,
  );
}

interface EntryRequest {
  readonly snapshot: Snapshot;
  readonly access: DocumentAccess;
  readonly range: string;
  /** What the entry calls the range when it fails. */
  readonly echo: string;
}

/** Reads first pages until the answer's cells are used up; later ranges then come back with `hasMore`. */
export function readEach(
  context: ServiceContext,
  requests: readonly EntryRequest[],
  major: Major,
): readonly (Page | FailedRange)[] {
  let cellsLeft = context.config.limits.maxResponseCells;
  return requests.map(({ snapshot, access, range, echo }, index) => {
    const target = readable(snapshot, access, range);
    if (isRefusal(target)) return failedRange(echo, target);
    const room: Room = { cells: cellsLeft, leastRows: index === 0 ? 1 : 0 };
    const read = page(snapshot, target, { range, offset: 0, limit: MAX_READ_ROWS, major }, room);
    if (read.area !== null) cellsLeft -= read.pagination.returned * (read.area.right - read.area.left + 1);
    return read;
  });
}

export function failedRange(range: string, refusal: Refusal): FailedRange {
  const { message } = answerTo(refusal);
  return { kind: 'failed', range, error: message ?? 'Access denied' };
}

function readable(snapshot: Snapshot, access: DocumentAccess, range: string): Target | Refusal {
  const target = resolveRange(snapshot, range);
  if (isRefusal(target)) return target;
  return access.hiddenSheets.has(target.sheet.id) ? VALUES_HIDDEN : target;
}

/** What is left of the answer's cells. `leastRows`: rows given all the same, so that reading on gets somewhere. */
interface Room {
  readonly cells: number;
  readonly leastRows: 0 | 1;
}

function page(snapshot: Snapshot, target: Target, request: PageRequest, room: Room): Page {
  const { sheet } = target;
  const { offset, major } = request;
  const area = closed(sheet, target.area);
  const total = area === null ? 0 : area.bottom - area.top + 1;
  const limit = Math.min(request.limit, MAX_READ_ROWS);
  const rowsInCells = area === null ? 0 : Math.floor(room.cells / (area.right - area.left + 1));
  const returned = Math.max(0, Math.min(limit, total - offset, Math.max(room.leastRows, rowsInCells)));
  const hasMore = offset + returned < total;
  const pagination = { offset, limit, total, returned, hasMore, nextOffset: hasMore ? offset + returned : null };
  const top = target.area.top + offset;
  const read = area === null || returned === 0 ? null : { ...area, top, bottom: top + returned - 1 };
  const range = read === null ? cellText(target.area.top, target.area.left) : areaText(read);
  return { kind: 'page', snapshot, sheet, area: read, range, major, pagination };
}

/** An area whose open sides end at the sheet's used extent; null where it begins beyond that (decisions §1.7). */
function closed(sheet: Sheet, area: OpenArea): Area | null {
  const used = sheet.extent();
  const bottom = area.openRows ? used.rows - 1 : area.bottom;
  const right = area.openColumns ? used.columns - 1 : area.right;
  if (bottom < area.top || right < area.left) return null;
  return { top: area.top, left: area.left, bottom, right };
}
