import {
  type Block,
  MAX_COLUMNS,
  MAX_ROWS,
  type Move,
  moveCell,
  nameKey,
  type OpenArea,
  type Region,
  reverseMove,
  type Snapshot,
  shiftReference,
  type Table,
} from '@cellwire/engine';
import { commitMoves } from '@cellwire/store/documents';
import { parseAreas } from '@cellwire/store/stored-forms';
import type { DocumentAccess } from '../../access/access.ts';
import { readLog } from '../../documents/read-log.ts';
import { WATCH_STEP } from '../../limits/notify.ts';
import type { ServiceContext } from '../context.ts';
import { type RecordsPlace, resolveNamedRange, resolveRecords } from '../records/place.ts';
import { ColumnNames } from '../records/resolve-filter.ts';
import { isRefusal, type Refusal, VALUES_HIDDEN } from '../refusal.ts';

/** Followed cells at a revision. A client that keeps this value finds them again after later revisions. */
export interface WatchedArea {
  readonly revision: number;
  readonly sheet: number;
  /** Null: the cells do not exist any more. */
  readonly area: OpenArea | null;
  /** The table whose records are followed: its area follows the table. Null: none. */
  readonly table: string | null;
}

/** A request to follow a range, by its current name or by an earlier result, with the key columns of its records. */
export interface WatchRequest {
  readonly range: string | WatchedArea;
  /** Key columns; empty: cells are followed, not records. */
  readonly key: readonly string[];
}

/** Position of followed cells from a revision until the next step. */
export interface WatchedPosition {
  readonly revision: number;
  readonly sheet: number;
  /** Null: none exist. */
  readonly area: OpenArea | null;
}

/** The header of followed records after a revision; null for a column that does not exist. */
interface HeaderPosition {
  readonly revision: number;
  readonly header: number;
  readonly columns: readonly (number | null)[];
}

interface WatchedRecords {
  /** Region with the current column names. */
  readonly region: Region;
  readonly table: string | null;
  /** Indexes of the key columns. */
  readonly key: readonly number[];
  readonly steps: readonly HeaderPosition[];
}

/** Followed cells over a part of the log. */
export interface WatchTrail {
  readonly request: WatchRequest;
  readonly table: string | null;
  /** Positions by revision; the first step is at the start or before. */
  readonly steps: readonly WatchedPosition[];
  /** Null: not requested, or the key columns do not exist any more. */
  readonly records: WatchedRecords | null;
}

export interface CommitMoves {
  readonly revision: number;
  readonly moves: readonly Move[];
}

/** The commits of a part of the log that moved cells, the oldest first. */
export async function readMovesBetween(
  { database }: Pick<ServiceContext, 'database'>,
  id: string,
  after: number,
  to: number,
): Promise<readonly CommitMoves[]> {
  const found: CommitMoves[] = [];
  for (let from = after; from < to; from += WATCH_STEP) {
    const range = { id, after: from, to: Math.min(to, from + WATCH_STEP) };
    const [rows] = await readLog(database, range, [commitMoves(range)]);
    found.push(...rows.map(({ revision, areas }) => ({ revision, moves: parseAreas(areas).moves ?? [] })));
    await new Promise(setImmediate);
  }
  return found;
}

/** Reads no moves, for cells that are followed from the newest revision. */
export const readNoMoves = async (): Promise<readonly CommitMoves[]> => [];

/** Resolves a watch request for the revisions after `since` to the newest. */
export async function resolveTrail(
  access: Pick<DocumentAccess, 'hiddenSheets'>,
  request: WatchRequest,
  snapshot: Snapshot,
  since: number,
  /** Reads the commits after a revision that moved cells. */
  movesAfter: (revision: number) => Promise<readonly CommitMoves[]>,
): Promise<WatchTrail | Refusal> {
  const { range, key } = request;
  const cursor = typeof range === 'string' ? null : range;
  const from = Math.min(since, cursor?.revision ?? since);
  const moving = await movesAfter(from);
  if (cursor !== null) {
    const steps = traceForward(cursor, moving);
    const records =
      key.length === 0 ? null : resolveWatchedRecords(request, locateRecords(snapshot, cursor, steps), moving);
    return { request, table: cursor.table, steps, records: isRefusal(records) ? null : records };
  }
  const namedRange = resolveNamedRange(snapshot, range as string);
  if (isRefusal(namedRange)) return namedRange;
  if (access.hiddenSheets.has(namedRange.sheet.id)) return VALUES_HIDDEN;
  const place = key.length === 0 ? null : resolveRecords(snapshot, access, range as string, new Map());
  if (isRefusal(place)) return place;
  const records = place && resolveWatchedRecords(request, place, moving);
  if (isRefusal(records)) return records;
  const { sheet, area, table } = namedRange;
  return { request, table: table?.name ?? null, steps: traceBackward(sheet.id, area, moving), records };
}

/** The current place of followed records; null: none exist, or the key does not identify them in the header. */
function locateRecords(
  snapshot: Snapshot,
  { table }: WatchedArea,
  steps: readonly WatchedPosition[],
): RecordsPlace | null {
  const last = steps.at(-1);
  const sheet = last && snapshot.sheetById(last.sheet);
  if (!sheet || last?.area == null) return null;
  const current = findTableByName(snapshot, table);
  const found = { sheet, area: current === null ? last.area : toRecordsArea(current), table: current };
  const place = resolveRecords(snapshot, { hiddenSheets: new Set() }, found, new Map());
  return isRefusal(place) ? null : place;
}

/**
 * The watched records by their key columns, with their header's positions in earlier revisions; null without records.
 */
function resolveWatchedRecords(
  { key }: WatchRequest,
  place: RecordsPlace | null,
  commitMoves: readonly CommitMoves[],
): WatchedRecords | Refusal | null {
  if (place === null) return null;
  const { region, table } = place;
  const places = new ColumnNames(region).findKeyColumnIndexes(key);
  if (isRefusal(places)) return places;
  return { region, table: table?.name ?? null, key: places, steps: traceHeaderBackward(region, commitMoves) };
}

/** The positions of an area from revision 0 on and after each commit that moved cells, the oldest first. */
function traceBackward(sheet: number, area: OpenArea, commitMoves: readonly CommitMoves[]): readonly WatchedPosition[] {
  let step: WatchedPosition = { revision: 0, sheet, area };
  const steps: WatchedPosition[] = [];
  for (const { revision, moves } of commitMoves.toReversed()) {
    steps.push({ ...step, revision });
    step = [...moves].reverse().reduce((later, move) => followMoves(later, reverseMove(move)), step);
  }
  return [...steps, step].reverse();
}

/** The positions of a watched area at its revision and after each later commit that moved cells. */
function traceForward(
  { revision, sheet, area }: WatchedArea,
  commitMoves: readonly CommitMoves[],
): readonly WatchedPosition[] {
  const steps: WatchedPosition[] = [{ revision, sheet, area }];
  for (const { revision: at, moves } of commitMoves) {
    if (at <= revision) continue;
    steps.push({ ...moves.reduce(followMoves, steps.at(-1) as WatchedPosition), revision: at });
  }
  return steps;
}

/** The position after a move. Its area is null if the cells were deleted. */
function followMoves(step: WatchedPosition, move: Move): WatchedPosition {
  const { area } = step;
  const moved: Block | null = area && shiftReference(move, { sheet: step.sheet, area });
  if (moved === null || area === null) return { ...step, area: null };
  return { ...step, sheet: moved.sheet, area: restoreOpenSides(area, moved.area) };
}

/** Restores the open sides of an area, which stay at the grid's end. */
function restoreOpenSides({ openRows, openColumns }: OpenArea, area: Block['area']): OpenArea {
  return {
    ...area,
    bottom: openRows ? MAX_ROWS - 1 : area.bottom,
    right: openColumns ? MAX_COLUMNS - 1 : area.right,
    openRows,
    openColumns,
  };
}

/** The positions of a header row from revision 0 on and after each commit that moved cells, the oldest first. */
function traceHeaderBackward(
  { sheet, header, columns }: Region,
  commitMoves: readonly CommitMoves[],
): readonly HeaderPosition[] {
  let cells = columns.map(({ column }): ReturnType<typeof moveCell> => ({ sheet, row: header, column }));
  const toHeaderPosition = (revision: number): HeaderPosition => {
    const row = cells.find((cell) => cell !== null)?.row ?? header;
    return { revision, header: row, columns: cells.map((cell) => (cell?.row === row ? cell.column : null)) };
  };
  const steps: HeaderPosition[] = [];
  for (const { revision, moves } of commitMoves.toReversed()) {
    steps.push(toHeaderPosition(revision));
    for (const move of [...moves].reverse()) {
      cells = cells.map((cell) => cell && moveCell(reverseMove(move), cell.sheet, cell.row, cell.column));
    }
  }
  return [...steps, toHeaderPosition(0)].reverse();
}

/** The step that is valid after a revision. */
export function findStepAfter<S extends { readonly revision: number }>(
  steps: readonly S[],
  revision: number,
): S | null {
  return steps.findLast((step) => step.revision <= revision) ?? null;
}

function findTableByName(snapshot: Snapshot, name: string | null): Table | null {
  if (name === null) return null;
  return snapshot.tables.find((table) => nameKey(table.name) === nameKey(name)) ?? null;
}

/** A table's header and records. */
function toRecordsArea({ area, headerRow, totalsRow }: Table): OpenArea {
  const top = headerRow ? area.top : area.top - 1;
  const bottom = totalsRow ? area.bottom - 1 : area.bottom;
  return { ...area, top, bottom, openRows: false, openColumns: false };
}

/** The region of the followed records after a revision; null: none. */
export function findRegionAfter({ records, steps }: WatchTrail, revision: number, snapshot: Snapshot): Region | null {
  const place = findStepAfter(steps, revision);
  const header = records && findStepAfter(records.steps, revision);
  const sheet = place && snapshot.sheetById(place.sheet);
  if (!records || !header || !sheet || place.area === null) return null;
  const table = findTableByName(snapshot, records.table);
  const area = table === null ? place.area : toRecordsArea(table);
  const end = Math.min(area.bottom, sheet.extent().rows - 1) + 1;
  const columns = records.region.columns.map((recordColumn, at) => ({
    ...recordColumn,
    column: header.columns[at] ?? -1,
  }));
  return { sheet: sheet.id, columns, header: header.header, end: Math.max(end, header.header + 1) };
}

/** The position of the followed cells at a revision, as a value with which a client finds them again later. */
export function toWatchedArea({ table, steps }: WatchTrail, revision: number): WatchedArea {
  const { sheet = -1, area = null } = findStepAfter(steps, revision) ?? {};
  return { revision, sheet, area, table };
}
