import {
  type Area,
  areaText,
  cellView,
  contains,
  filterRows,
  findFilter,
  findSheetByName,
  parseArea,
  type Snapshot,
  union,
} from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import type { DocumentAccess } from '../../access/access.ts';
import type { ServiceContext } from '../context.ts';
import { openTable } from '../open-table.ts';
import type { SnapshotSheet } from '../ranges.ts';
import { INVALID_RANGE, isRefusal, type Refusal, SHEET_NOT_FOUND, VALUES_HIDDEN } from '../refusal.ts';

/** A table, or the block of filled cells around a cell, with its detected table features. */
interface SheetBlock {
  /** Range in A1 notation without the sheet. */
  readonly range: string;
  /** True if the first row looks like column names. */
  readonly hasHeader: boolean;
  /** True if the last row looks like totals of the rows above. */
  readonly hasTotal: boolean;
  /** The texts of the first row, by column. */
  readonly headings: readonly string[];
}

/** A block at a revision of the document; null: the sheet is empty. */
interface SheetBlockReading {
  readonly block: SheetBlock | null;
  readonly revision: number;
}

/** Maximum number of columns whose headings are returned. */
const MAX_HEADINGS = 256;
/** Cells visited between two pauses. */
const CELLS_PER_STEP = 8_192;

/**
 * The table that contains a cell, else the block around it. For a range of several cells: that range, clipped to the used
 * extent. For an empty cell without filled neighbours: the whole used extent; null if the sheet is empty.
 */
export async function findBlock(
  context: ServiceContext,
  access: DocumentAccess,
  name: string,
  range: string,
): Promise<SheetBlockReading | Refusal> {
  const cells = parseArea(range);
  if (cells === null) return INVALID_RANGE;
  const snapshot = await openTable(context, access);
  if (isRefusal(snapshot)) return snapshot;
  const sheet = findSheetByName(snapshot.sheets, name);
  if (sheet === undefined) return SHEET_NOT_FOUND;
  if (access.hiddenSheets.has(sheet.id)) return VALUES_HIDDEN;
  const isCell = cells.top === cells.bottom && cells.left === cells.right;
  const used = findUsedArea(sheet);
  const { revision } = snapshot;
  if (used === null) return { block: null, revision };
  const { top: row, left: column } = cells;
  const table = snapshot.tables.find((one) => one.sheet === sheet.id && contains(one.area, row, column));
  if (isCell && table !== undefined) {
    const { area, headerRow: hasHeader, totalsRow: hasTotal } = table;
    const headings = readHeadings(snapshot, sheet, area);
    return { block: { range: areaText(area), hasHeader, hasTotal, headings }, revision };
  }
  const grown = isCell ? await runInSlices(growBlock(sheet, used, cells)) : clipToUsedArea(cells, used);
  const filtered = isCell ? await runInSlices(includeFilter(snapshot, sheet, cells, grown)) : null;
  const area = filtered ?? grown ?? used;
  const block = {
    range: areaText(area),
    hasHeader: filtered !== null || looksLikeHeader(snapshot, sheet, area),
    hasTotal: looksLikeTotal(snapshot, sheet, area),
    headings: readHeadings(snapshot, sheet, area),
  };
  return { block, revision };
}

/**
 * The block together with the range of the sheet's filter, whose columns belong together even if an empty one is between
 * them. Null: the cell is not in the filter's range.
 */
function* includeFilter(
  snapshot: Snapshot,
  sheet: SnapshotSheet,
  { top: row, left: column }: Area,
  block: Area | null,
): Generator<void, Area | null> {
  const filter = findFilter(sheet.layout);
  if (filter === null) return null;
  const { area } = yield* filterRows(snapshot, sheet, filter);
  if (!contains(area, row, column)) return null;
  return block === null ? area : { ...union(area, block), top: area.top };
}

function findUsedArea(sheet: SnapshotSheet): Area | null {
  const { rows, columns } = sheet.extent();
  return rows === 0 ? null : { top: 0, left: 0, bottom: rows - 1, right: columns - 1 };
}

function clipToUsedArea({ top, left, bottom, right }: Area, used: Area): Area | null {
  const area = { top, left, bottom: Math.min(bottom, used.bottom), right: Math.min(right, used.right) };
  return area.bottom < top || area.right < left ? null : area;
}

/** Extends each side while a filled cell touches it, corners included. Null: no filled cell. */
function* growBlock(sheet: SnapshotSheet, used: Area, { top, left }: Area): Generator<void, Area | null> {
  let block: Area = { top, left, bottom: top, right: left };
  const count = { looked: 0 };
  for (let isGrown = true; isGrown; ) {
    isGrown = false;
    for (const { canGrow, beside, grown } of SIDES) {
      while (canGrow(block, used) && (yield* hasFilledCell(sheet, used, beside(block), count))) {
        block = grown(block);
        isGrown = true;
      }
    }
  }
  return trimBlock(sheet, block);
}

interface BlockSide {
  readonly canGrow: (block: Area, used: Area) => boolean;
  /** The row or column next to the block on that side, with its corners. */
  readonly beside: (block: Area) => Area;
  readonly grown: (block: Area) => Area;
}

const SIDES: readonly BlockSide[] = [
  {
    canGrow: ({ top }) => top > 0,
    beside: (block) => ({ top: block.top - 1, bottom: block.top - 1, left: block.left - 1, right: block.right + 1 }),
    grown: (block) => ({ ...block, top: block.top - 1 }),
  },
  {
    canGrow: ({ bottom }, used) => bottom < used.bottom,
    beside: ({ left, bottom, right }) => ({ top: bottom + 1, bottom: bottom + 1, left: left - 1, right: right + 1 }),
    grown: (block) => ({ ...block, bottom: block.bottom + 1 }),
  },
  {
    canGrow: ({ left }) => left > 0,
    beside: ({ top, left, bottom }) => ({ top: top - 1, bottom: bottom + 1, left: left - 1, right: left - 1 }),
    grown: (block) => ({ ...block, left: block.left - 1 }),
  },
  {
    canGrow: ({ right }, used) => right < used.right,
    beside: ({ top, bottom, right }) => ({ top: top - 1, bottom: bottom + 1, left: right + 1, right: right + 1 }),
    grown: (block) => ({ ...block, right: block.right + 1 }),
  },
];

/** True if the area has a filled cell. Yields regularly: a side may have a million cells. */
function* hasFilledCell(
  sheet: SnapshotSheet,
  used: Area,
  { top, left, bottom, right }: Area,
  count: { looked: number },
): Generator<void, boolean> {
  for (let column = Math.max(0, left); column <= Math.min(right, used.right); column++) {
    for (let row = Math.max(0, top); row <= Math.min(bottom, used.bottom); row++) {
      if (++count.looked % CELLS_PER_STEP === 0) yield;
      if (sheet.value(row, column) !== null) return true;
    }
  }
  return false;
}

/** Removes the empty row or column in which the search started. */
function trimBlock(sheet: SnapshotSheet, { top, left, bottom, right }: Area): Area | null {
  const isFilledRow = (row: number) =>
    listHeadingColumns({ top, left, bottom, right }).some((c) => sheet.value(row, c) !== null);
  const isFilledColumn = (c: number) => {
    for (let row = top; row <= bottom; row++) if (sheet.value(row, c) !== null) return true;
    return false;
  };
  while (top < bottom && !isFilledRow(top)) top++;
  while (bottom > top && !isFilledRow(bottom)) bottom--;
  while (left < right && !isFilledColumn(left)) left++;
  while (right > left && !isFilledColumn(right)) right--;
  return isFilledRow(top) ? { top, left, bottom, right } : null;
}

/**
 * True if the first row looks like a header: only texts, of which one is above another kind of value. Other texts may
 * follow below it at the top of the sheet, or if the two rows have different styles.
 */
function looksLikeHeader(snapshot: Snapshot, sheet: SnapshotSheet, area: Area): boolean {
  if (area.top === area.bottom) return false;
  const columns = listHeadingColumns(area);
  const heads = columns.map((column) => sheet.value(area.top, column));
  const texts = heads.filter((value) => typeof value === 'string' && value !== '');
  if (texts.length === 0 || heads.some((value) => value !== null && typeof value !== 'string')) return false;
  const isOther = columns.some((column) => {
    const below = sheet.value(area.top + 1, column);
    return below !== null && typeof below !== 'string' && typeof sheet.value(area.top, column) === 'string';
  });
  if (isOther) return true;
  const listRowStyles = (row: number) =>
    columns.map((column) => snapshot.formats.get(sheet.format(row, column)).style).join('\n');
  return area.top === 0 || listRowStyles(area.top) !== listRowStyles(area.top + 1);
}

/** Functions of totals, and words next to them. */
const TOTALLING = /^=\s*(?:SUM|SUBTOTAL|AGGREGATE|AVERAGE|COUNT|COUNTA|MIN|MAX|MEDIAN)\(/i;
const TOTAL_WORD =
  /^\s*(?:grand\s+)?(?:totals?|sub-?totals?|sum|summe|gesamt(?:summe)?|insgesamt|итого?|всего|сумма|somme|suma|totale?|total\s+général|gesamtergebnis)(?![\p{L}\p{N}])/iu;

/** True if the last row of the area looks like a total: by its label, or by a sum below a cell without one. */
function looksLikeTotal(snapshot: Snapshot, sheet: SnapshotSheet, area: Area): boolean {
  if (area.bottom - area.top < 2) return false;
  const readFormula = (row: number, column: number) => cellView(snapshot, sheet.id, row, column)?.f ?? '';
  return listHeadingColumns(area).some((column) => {
    const value = sheet.value(area.bottom, column);
    const isFirst = listHeadingColumns(area).find((one) => sheet.value(area.bottom, one) !== null) === column;
    if (isFirst && typeof value === 'string' && TOTAL_WORD.test(value)) return true;
    return TOTALLING.test(readFormula(area.bottom, column)) && !TOTALLING.test(readFormula(area.bottom - 1, column));
  });
}

/** The shown texts of the first row of the area, of at most `MAX_HEADINGS` columns. */
function readHeadings(snapshot: Snapshot, sheet: SnapshotSheet, area: Area): readonly string[] {
  return listHeadingColumns(area).map((column) => cellView(snapshot, sheet.id, area.top, column)?.m ?? '');
}

function listHeadingColumns({ left, right }: Area): readonly number[] {
  return Array.from({ length: Math.min(MAX_HEADINGS, right - left + 1) }, (_, i) => left + i);
}
