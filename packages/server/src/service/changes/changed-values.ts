import {
  type Area,
  cellText,
  intersection,
  isError,
  type Move,
  moveCell,
  recordChanges,
  reverseMove,
  type Snapshot,
} from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import type { ParsedAreas, StoredArea } from '@cellwire/store/stored-forms';
import { MAX_FEED_CELLS, MAX_FEED_RECORDS, MAX_FEED_VALUES_LENGTH } from '../../limits/notify.ts';
import { formatQualifiedRange } from '../ranges.ts';
import { findChangedRows } from './changed-rows.ts';
import { findRegionAfter, type WatchedPosition, type WatchTrail } from './watch.ts';

type CellValue = number | string | boolean | null;

/** A cell that a commit changed; values have the form of dry runs. */
export interface ChangedCell {
  /** Position after the commit, with the current sheet name; for a deleted sheet, its last name. */
  readonly cell: string;
  /** Value before the commit, at the cell's former position. Null: the cell was, or is, empty. */
  readonly before: CellValue;
  readonly after: CellValue;
  /** True if the cell was recalculated and not written. */
  readonly derived?: true;
}

/** A record that a commit changed. */
export interface ChangedRecord {
  readonly result: 'created' | 'updated' | 'deleted';
  readonly key: Readonly<Record<string, unknown>>;
  /** Counts from 1; for a deleted record, its former row. */
  readonly row: number;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

/** Cells between two pauses; they take less than 1 ms. */
const CELLS_PER_STEP = 100;

/** The first entries of a list, up to the limit. */
interface BoundedList<T> {
  readonly list: readonly T[];
  readonly isCut: boolean;
}

/** One commit, with the states before and after it. */
interface CommitStates {
  readonly areas: ParsedAreas;
  readonly revision: number;
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** Sheets that are not published. */
  readonly hidden: ReadonlySet<number>;
}

/**
 * The cells that a commit wrote and recalculated, before and after. `position`: only the cells there; null: all.
 * `currentSnapshot`: the state with the current sheet names. Pauses regularly.
 */
export function* listChangedCells(
  { areas, before, after, hidden }: CommitStates,
  position: WatchedPosition | null,
  currentSnapshot: Snapshot,
): Generator<void, BoundedList<ChangedCell>> {
  const { written, derived, rest = [], moves = [], isCut } = areas;
  const origins = moves.map(reverseMove).reverse();
  const list: ChangedCell[] = [];
  let length = 0;
  for (const [changed, isDerived] of [[written, false] as const, [derived, true] as const]) {
    for (const [sheet, row, column] of listWatchedCells(changed, position)) {
      const sheetNow = currentSnapshot.sheetById(sheet) ?? after.sheetById(sheet);
      if (sheetNow === undefined || hidden.has(sheet)) continue;
      const entry = {
        cell: formatQualifiedRange(sheetNow.name, cellText(row, column)),
        before: readFormerValue(before, origins, { sheet, row, column }, hidden),
        after: readCellValue(after, sheet, row, column),
        ...(isDerived ? { derived: true as const } : {}),
      };
      length += JSON.stringify(entry).length;
      if (list.length === MAX_FEED_CELLS || (list.length > 0 && length > MAX_FEED_VALUES_LENGTH))
        return { list, isCut: true };
      list.push(entry);
      if (list.length % CELLS_PER_STEP === 0) yield;
    }
  }
  return { list, isCut: isCut || rest.some(([sheet]) => !hidden.has(sheet) && isWatchedSheet(sheet, position)) };
}

/** True if the sheet is the watched one, or if nothing particular is watched. */
function isWatchedSheet(sheet: number, position: WatchedPosition | null): boolean {
  return position === null || position.sheet === sheet;
}

/** The cells of the areas that lie within the watched position. */
function* listWatchedCells(areas: readonly StoredArea[], position: WatchedPosition | null): Iterable<StoredCell> {
  for (const [sheet, top, left, bottom, right] of areas) {
    const area = clipToStep(sheet, { top, left, bottom, right }, position);
    if (area === null) continue;
    for (let row = area.top; row <= area.bottom; row++) {
      for (let column = area.left; column <= area.right; column++) yield [sheet, row, column];
    }
  }
}

type StoredCell = readonly [sheet: number, row: number, column: number];

/** The followed part of an area. */
export function clipToStep(sheet: number, area: Area, position: WatchedPosition | null): Area | null {
  if (position === null) return area;
  return position.sheet === sheet && position.area !== null ? intersection(area, position.area) : null;
}

function readCellValue(snapshot: Snapshot, sheet: number, row: number, column: number): CellValue {
  const value = snapshot.sheetById(sheet)?.value(row, column) ?? null;
  return isError(value) ? value.code : value;
}

/** The cell's value at its former position; nothing for a cell that was moved from a hidden sheet. */
function readFormerValue(
  before: Snapshot,
  origins: readonly Move[],
  cell: { readonly sheet: number; readonly row: number; readonly column: number },
  hidden: ReadonlySet<number>,
): CellValue {
  let former: typeof cell | null = cell;
  for (const move of origins) former = former && moveCell(move, former.sheet, former.row, former.column);
  return former === null || hidden.has(former.sheet)
    ? null
    : readCellValue(before, former.sheet, former.row, former.column);
}

/** The followed records that a commit created, updated and deleted. */
export async function listChangedRecords(
  { areas, revision, before, after, hidden }: CommitStates,
  trail: WatchTrail,
): Promise<BoundedList<ChangedRecord>> {
  const { records } = trail;
  if (records === null) return { list: [], isCut: true };
  const findVisibleRegion = (at: number, snapshot: Snapshot) => {
    const region = findRegionAfter(trail, at, snapshot);
    return region === null || hidden.has(region.sheet) ? null : region;
  };
  const [old, now] = [findVisibleRegion(revision - 1, before), findVisibleRegion(revision, after)];
  const rows = findChangedRows(areas, old, now);
  const changes = await runInSlices(
    recordChanges(
      old && { snapshot: before, region: old, rows: rows.before },
      now && { snapshot: after, region: now, rows: rows.after },
      records.key,
    ),
  );
  const list: ChangedRecord[] = [];
  let length = 0;
  for (const change of changes) {
    const entry = { ...change, row: change.row + 1 };
    length += JSON.stringify(entry).length;
    if (list.length === MAX_FEED_RECORDS || (list.length > 0 && length > MAX_FEED_VALUES_LENGTH))
      return { list, isCut: true };
    list.push(entry);
  }
  const isUnknown = areas.isCut || (areas.rest ?? []).some(([sheet]) => sheet === (now ?? old)?.sheet);
  return { list, isCut: rows.isCut || isUnknown };
}
