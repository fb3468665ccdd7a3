import { areaText, type CellView, cellText, cellView, jsonText, quoteSheetName, type Snapshot } from '@cellwire/engine';
import type { ChangedSheet } from '@cellwire/store/webhooks';
import type { PublishedPart } from '../service/changes/publishing.ts';

/** The part of a notification that shows cells; the same for all subscriptions with the same view of the document. */
export interface CellsPart {
  /** Number of all changed cells, including cells that are not shown. */
  readonly count: number;
  /** `<sheet>!<cell> = <value>`, one for each cell shown. */
  readonly changes: readonly string[];
  /** Members of a JSON object, without braces: `"cellCount":…,"changes":…,"ranges":…,"cells":…,"truncated":…`. */
  readonly json: string;
}

/** One changed cell as the contract shows it. */
interface PayloadCell {
  readonly sheetName: string;
  readonly ref: string;
  readonly row: number;
  readonly col: number;
  readonly v: number | string | boolean | null;
  readonly m: string;
  readonly f: string | null;
  readonly t: PayloadCellType;
  /** Set on recalculated cells, absent on written ones. */
  readonly derived?: true;
}

type PayloadCellType = 'number' | 'string' | 'boolean' | 'date' | 'error' | 'empty';

interface PartLimits {
  readonly cells: number;
  /** Bytes of the part as JSON text in UTF-8. */
  readonly bytes: number;
  /** Whether another part of the notification is already incomplete. */
  readonly isCut: boolean;
}

/** Bytes by which a range's text can grow after it was measured: `A1` may become `A1:XFD1048576`. */
const RANGE_RESERVE_BYTES = 16;
/** Bytes of the part without any cell. */
const EMPTY_PART_BYTES = 120;

/** Builds the part from the cells' values in the snapshot, with as many cells as the limits allow. */
export function buildCellsPart(
  sheets: PublishedPart<readonly ChangedSheet[]>,
  snapshot: Snapshot,
  limits: PartLimits,
): CellsPart {
  const visible = orderSheets(sheets, snapshot);
  const count = visible.reduce((sum, sheet) => sum + sheet.count, 0);
  const changes: string[] = [];
  const cells: string[] = [];
  const ranges = new RangeList();
  let bytes = EMPTY_PART_BYTES;
  for (const { cell, prefix } of listPayloadCells(visible, snapshot)) {
    const json = jsonText(cell);
    const change = `${prefix}${cell.ref} = ${cell.m}`;
    const range = ranges.continuesRange(prefix, cell) ? 0 : countJsonBytes(prefix + cell.ref) + RANGE_RESERVE_BYTES;
    bytes += Buffer.byteLength(json) + 1 + countJsonBytes(change) + range;
    if (cells.length >= limits.cells || bytes > limits.bytes) break;
    cells.push(json);
    changes.push(change);
    ranges.addCell(prefix, cell);
  }
  const head = { cellCount: count, changes: changes.join('; '), ranges: ranges.formatRanges() };
  const json = `${JSON.stringify(head).slice(1, -1)},"cells":[${cells.join(',')}],"truncated":${limits.isCut || cells.length < count}`;
  return { count, changes, json };
}

/** Bytes of a text in JSON. */
function countJsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

/** Sheets in the document's order with their present names. Deleted sheets come last, with their last names. */
function orderSheets(sheets: readonly ChangedSheet[], snapshot: Snapshot): readonly ChangedSheet[] {
  const order = new Map(snapshot.sheets.map(({ id }, index) => [id, index]));
  const findRank = ({ id }: ChangedSheet) => order.get(id) ?? snapshot.sheets.length;
  return sheets
    .map((sheet) => ({ ...sheet, name: snapshot.sheetById(sheet.id)?.name ?? sheet.name }))
    .sort((a, b) => findRank(a) - findRank(b));
}

/** The changed cells with their current values, and the sheet prefix of each. */
function* listPayloadCells(sheets: readonly ChangedSheet[], snapshot: Snapshot) {
  for (const { id, name, runs } of sheets) {
    const prefix = `${quoteSheetName(name)}!`;
    for (const [row, left, right, derived] of runs) {
      for (let column = left; column <= right; column++) {
        const view = cellView(snapshot, id, row, column);
        yield { prefix, cell: toPayloadCell(name, row, column, view, derived === 1) };
      }
    }
  }
}

/** A changed cell as the payload has it; `derived` means that a formula calculated it. */
function toPayloadCell(
  sheetName: string,
  row: number,
  col: number,
  view: CellView | null,
  derived: boolean,
): PayloadCell {
  const cell = {
    sheetName,
    ref: cellText(row, col),
    row,
    col,
    v: view?.v ?? null,
    m: view?.m ?? '',
    f: view?.f ?? null,
    t: toPayloadCellType(view),
  };
  return derived ? { ...cell, derived } : cell;
}

/** The type of a changed cell in the payload; `empty` for an empty cell. */
function toPayloadCellType(view: CellView | null): PayloadCellType {
  if (view === null) return 'empty';
  if (view.error !== undefined) return 'error';
  if (view.t === 'd') return 'date';
  if (typeof view.v === 'number') return 'number';
  return typeof view.v === 'boolean' ? 'boolean' : 'string';
}

interface HorizontalRange {
  readonly prefix: string;
  readonly row: number;
  readonly left: number;
  right: number;
}

/** Merges cells, given row by row, into horizontal ranges. */
class RangeList {
  private readonly ranges: HorizontalRange[] = [];

  /** True if the cell is directly right of the last range, so that it extends this range. */
  continuesRange(prefix: string, { row, col }: PayloadCell): boolean {
    const last = this.ranges.at(-1);
    return last !== undefined && last.prefix === prefix && last.row === row && last.right === col - 1;
  }

  /** Extends the last range by the cell, or begins a new one. */
  addCell(prefix: string, cell: PayloadCell): void {
    const last = this.ranges.at(-1);
    if (last !== undefined && this.continuesRange(prefix, cell)) last.right = cell.col;
    else this.ranges.push({ prefix, row: cell.row, left: cell.col, right: cell.col });
  }

  formatRanges(): readonly string[] {
    return this.ranges.map(({ prefix, row, left, right }) => prefix + areaText({ top: row, bottom: row, left, right }));
  }
}
