import {
  type Area,
  areaText,
  type Band,
  type DateSystem,
  findFilter,
  findSheetByName,
  type LocaleId,
  parseArea,
  type Snapshot,
  subtractSpans,
} from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import { readFrozenPanes, readPreservedTheme, readStandardWidth, VisualStyleReader } from '@cellwire/files';
import { personalFilter } from '@cellwire/store/documents';
import type { DocumentAccess } from '../../access/access.ts';
import { MAX_DISPLAY_BANDS, MAX_DISPLAY_CELLS } from '../../limits/display.ts';
import type { ServiceContext } from '../context.ts';
import { openTable } from '../open-table.ts';
import type { SnapshotSheet } from '../ranges.ts';
import { INVALID_RANGE, isRefusal, type Refusal, SHEET_NOT_FOUND, VALUES_HIDDEN } from '../refusal.ts';
import { readProtection } from '../sharing/protect.ts';
import { type EdgeDirection, type EdgePosition, findEdgeInSteps } from './data-edge.ts';
import { closeOpenArea, resolveReadableRange } from './read-values.ts';
import {
  addRuleStyles,
  type CellAppearance,
  hasFormatRules,
  hasShownRules,
  type RangeAppearance,
} from './rule-styles.ts';

/** CSS pixels of a point; of a character of the default font; and of a column's padding. */
const POINT = 4 / 3;
const CHARACTER = 7;
const AROUND = 5;

/** Consecutive rows or columns of one size, in CSS pixels; 0: hidden. */
interface SizedLines {
  readonly first: number;
  readonly last: number;
  readonly size: number;
}

/** A column's width in characters of the default font; 0 pixels (hidden) become 0. */
export function toCharacters(pixels: number): number {
  return pixels === 0 ? 0 : Math.max(0, pixels - AROUND) / CHARACTER;
}

/** A row's height in points. */
export function convertPixelsToPoints(pixels: number): number {
  return pixels / POINT;
}

/** The layout of a sheet: sizes of rows and columns from imported files or set by users. */
export interface SheetLayout {
  /** Id of the sheet, which stays the same when the sheet is renamed. */
  readonly id: number;
  /** The revision of the layout. */
  readonly revision: number;
  /** Number of rows in use. */
  readonly rows: number;
  readonly columns: number;
  readonly frozen: { readonly rows: number; readonly columns: number };
  readonly columnWidths: readonly SizedLines[];
  readonly rowHeights: readonly SizedLines[];
  readonly merges: readonly string[];
  /** True if a cell of the document may have a style, a number format, a note or a rule. */
  readonly hasLooks: boolean;
  /** True if the style of a cell can change with the value of another one. */
  readonly hasFormatRules: boolean;
  readonly locale: LocaleId;
  readonly dateSystem: DateSystem;
  readonly protection: { readonly hideValues: boolean; readonly lock: boolean };
  /** The caller's permissions on the sheet's cells. */
  readonly may: { readonly read: boolean; readonly write: boolean };
  /** True if a filter hides rows or has conditions: see `readSheetFilter`. */
  readonly hasFilter: boolean;
}

/** A sheet whose values are hidden from the caller is reported as empty. */
export async function readSheetLayout(
  context: ServiceContext,
  access: DocumentAccess,
  name: string,
): Promise<SheetLayout | Refusal> {
  const snapshot = await openTable(context, access);
  if (isRefusal(snapshot)) return snapshot;
  const sheet = findSheetByName(snapshot.sheets, name);
  if (sheet === undefined) return SHEET_NOT_FOUND;
  const protection = await readProtection(context, access, name);
  if (isRefusal(protection)) return protection;
  const read = !access.hiddenSheets.has(sheet.id);
  const isWriter = access.role === 'owner' || access.role === 'edit';
  const { rows, columns } = read ? sheet.extent() : { rows: 0, columns: 0 };
  const { layout } = sheet;
  const shown = read ? layout : { ...layout, columns: [], rows: [], merges: [] };
  return {
    id: sheet.id,
    revision: snapshot.revision,
    rows,
    columns,
    frozen: readFrozenPanes(layout.carried),
    columnWidths: toColumnSizes(
      shown.columns,
      readStandardWidth(layout.carried),
      Object.keys(layout.carried).length > 0,
    ),
    rowHeights: read ? toRowSizes(shown.rows, findHiddenRows(sheet)) : [],
    merges: shown.merges.slice(0, MAX_DISPLAY_BANDS).map(areaText),
    hasLooks: hasStyles(snapshot) || snapshot.sheets.some(hasShownRules),
    hasFormatRules: hasFormatRules(sheet),
    locale: snapshot.settings.locale,
    dateSystem: snapshot.settings.dateSystem,
    protection: { hideValues: protection.hideValues, lock: protection.lock },
    hasFilter: read && (findFilter(layout) !== null || (await hasPersonalFilter(context, access, sheet.id))),
    may: { read, write: isWriter && access.format !== 'legacy' && !access.lockedSheets.has(sheet.id) },
  };
}

/** True if the caller has a filter of the sheet that others do not see. */
async function hasPersonalFilter(
  { database }: ServiceContext,
  { documentId, caller }: DocumentAccess,
  sheet: number,
): Promise<boolean> {
  const key = { document_id: documentId, user_id: caller.userId, sheet_id: sheet };
  return (await database.readOne(personalFilter(key))) !== null;
}

/** Hidden rows, without rows that the sheet's filter hides: its conditions decide about them. */
function findHiddenRows({ layout, hiddenRows }: SnapshotSheet): ReadonlySet<number> {
  const filter = hiddenRows.size === 0 ? null : findFilter(layout);
  if (filter === null || filter.columns.length === 0) return hiddenRows;
  const { top, bottom } = filter.area;
  return new Set([...hiddenRows].filter((row) => row <= top || row > bottom));
}

/** The widths of columns in pixels; 0 if hidden. `standard` is the default width in characters. */
function toColumnSizes(bands: readonly Band[], standard: number, isOfFile: boolean): readonly SizedLines[] {
  const measureWidth = ({ size, hidden }: Band) =>
    hidden === true ? 0 : Math.round((size ?? standard) * CHARACTER + AROUND);
  return bands
    .filter(({ size, hidden }) => size !== undefined || hidden === true || isOfFile)
    .slice(0, MAX_DISPLAY_BANDS)
    .map((band) => ({ first: band.first, last: band.last, size: measureWidth(band) }));
}

/** The heights of rows in pixels; 0 if hidden. */
function toRowSizes(bands: readonly Band[], hidden: ReadonlySet<number>): readonly SizedLines[] {
  const heights = bands.flatMap(({ first, last, size }) =>
    size === undefined ? [] : [{ first, last, size: Math.round(size * POINT) }],
  );
  const lines = toHiddenLines(hidden);
  return [...subtractSpans(heights, lines), ...lines].sort((a, b) => a.first - b.first).slice(0, MAX_DISPLAY_BANDS);
}

/** Hidden rows as spans of size 0. Only the first `MAX_DISPLAY_BANDS`; the response would drop further ones. */
function toHiddenLines(hidden: ReadonlySet<number>): readonly SizedLines[] {
  const lines: SizedLines[] = [];
  for (const row of Int32Array.from(hidden).sort()) {
    const before = lines.at(-1);
    if (before !== undefined && before.last === row - 1) lines[lines.length - 1] = { ...before, last: row };
    else if (lines.length === MAX_DISPLAY_BANDS) break;
    else lines.push({ first: row, last: row, size: 0 });
  }
  return lines;
}

/** True if the document has a cell format other than General, or a row with a style. */
function hasStyles({ formats, sheets }: Snapshot): boolean {
  // The first format is General.
  return formats.size > 1 || sheets.some(({ layout }) => layout.rows.some(({ style }) => style !== undefined));
}

export async function readRangeStyles(
  context: ServiceContext,
  access: DocumentAccess,
  ranges: readonly string[],
): Promise<readonly RangeAppearance[] | Refusal> {
  const snapshot = await openTable(context, access);
  if (isRefusal(snapshot)) return snapshot;
  const reader = new VisualStyleReader(readPreservedTheme(snapshot.carried));
  let left = MAX_DISPLAY_CELLS;
  const looks: RangeAppearance[] = [];
  for (const range of ranges) {
    const target = resolveReadableRange(snapshot, access, range);
    const area = isRefusal(target) ? null : closeOpenArea(target.sheet, target.area);
    left -= area === null ? 0 : (area.bottom - area.top + 1) * (area.right - area.left + 1);
    if (isRefusal(target) || area === null || left < 0) looks.push({ styles: [], cells: [] });
    else {
      const { sheet } = target;
      const own = readAreaStyles(snapshot, sheet, area, reader);
      looks.push(await addRuleStyles(context, access, { snapshot, sheet, area }, own));
    }
  }
  return looks;
}

/**
 * The distinct styles of an area, and for each cell its index in this list, or -1 without a style. Both lists are empty
 * if no cell has a style.
 */
function readAreaStyles(
  snapshot: Snapshot,
  sheet: SnapshotSheet,
  area: Area,
  reader: VisualStyleReader,
): RangeAppearance {
  const numbers = new Map<string, number>();
  const styles: CellAppearance[] = [];
  const cells: number[][] = [];
  // Rows whose style applies to cells that were never written.
  const bands = sheet.layout.rows.filter(({ style }) => style !== undefined);
  let next = 0;
  for (let row = area.top; row <= area.bottom; row++) {
    const line: number[] = [];
    while ((bands[next]?.last ?? row) < row) next++;
    const band = bands[next];
    const ofRow = band !== undefined && band.first <= row ? (band.style ?? '') : '';
    for (let column = area.left; column <= area.right; column++) {
      const id = sheet.format(row, column);
      const { style: own, code: existing } = snapshot.formats.get(id);
      const code = snapshot.formats.isGeneral(id) ? '' : existing;
      const style = own === '' && ofRow !== '' && sheet.kind(row, column) === 0 ? ofRow : own;
      const key = `${code}\n${style}`;
      let number = style === '' && code === '' ? -1 : numbers.get(key);
      if (number === undefined) {
        number = numbers.size;
        numbers.set(key, number);
        styles.push({ ...(style === '' ? {} : reader.parseStyle(style)), ...(code === '' ? {} : { format: code }) });
      }
      line.push(number);
    }
    cells.push(line);
  }
  return styles.length === 0 ? { styles: [], cells: [] } : { styles, cells };
}

/** The spill range that contains a cell, as `B1:C4`; null: none. */
export async function findSpill(
  context: ServiceContext,
  access: DocumentAccess,
  name: string,
  cell: string,
): Promise<string | null | Refusal> {
  const target = await openCell(context, access, name, cell);
  if (isRefusal(target)) return target;
  const spill = target.sheet.spillAround(target.from.row, target.from.column);
  return spill === null ? null : areaText(spill.area);
}

/**
 * The cell that Ctrl with an arrow key jumps to: from a filled cell the last of its run, otherwise the next filled
 * cell. Without one, the end of the used extent or the grid's first row or column.
 */
export async function findDataEdge(
  context: ServiceContext,
  access: DocumentAccess,
  name: string,
  cell: string,
  direction: EdgeDirection,
): Promise<{ readonly edge: EdgePosition; readonly revision: number } | Refusal> {
  const target = await openCell(context, access, name, cell);
  if (isRefusal(target)) return target;
  const edge = await runInSlices(findEdgeInSteps(target.sheet, target.from, direction));
  return { edge, revision: target.revision };
}

/** Finds a cell on a sheet whose values the caller may see. */
async function openCell(
  context: ServiceContext,
  access: DocumentAccess,
  name: string,
  cell: string,
): Promise<{ readonly sheet: SnapshotSheet; readonly from: EdgePosition; readonly revision: number } | Refusal> {
  const area = parseArea(cell);
  if (area === null) return INVALID_RANGE;
  const snapshot = await openTable(context, access);
  if (isRefusal(snapshot)) return snapshot;
  const sheet = findSheetByName(snapshot.sheets, name);
  if (sheet === undefined) return SHEET_NOT_FOUND;
  if (access.hiddenSheets.has(sheet.id)) return VALUES_HIDDEN;
  return { sheet, from: { row: area.top, column: area.left }, revision: snapshot.revision };
}
