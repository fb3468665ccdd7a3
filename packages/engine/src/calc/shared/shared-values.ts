import type { Matrix, SheetArea } from '../../functions/value.ts';
import { isSameArea } from '../../grid/area.ts';
import type { Draft } from '../../sheet/draft.ts';
import type { Column, Extent, Sheet } from '../../sheet/snapshot.ts';
import type { ClosedSheets } from '../rights.ts';

/** Maximum number of array elements in all shared values of a recalculation. An element takes 8 to 16 bytes. */
const MAX_SHARED_ELEMENTS = 4_000_000;
/** Maximum number of columns that a shared value may read. Comparing them would otherwise take too long. */
const MAX_READ_COLUMNS = 512;
/** Requests for a value before it is shared: a formula that is calculated once needs no shared value. */
const REQUESTS_BEFORE_SHARING = 2;
/** Maximum number of times that a value is made again after its columns changed. Then it is no longer shared. */
const MAX_RENEWALS = 8;
/** Maximum number of expressions whose requests are counted. */
const MAX_EXPRESSIONS = 4096;
/** Maximum number of values of one expression. Formulas of different columns, sheets and writers have different values. */
const MAX_USERS = 64;
/** Maximum number of areas whose cells are shared. */
const MAX_SHARED_AREAS = 16;

interface ReadColumn {
  readonly sheet: number;
  readonly index: number;
  readonly column: Column | undefined;
  readonly writes: number;
}

/** Records the columns that are read while a shared value is made. */
export class ReadRecorder {
  readonly columns = new Map<string, ReadColumn>();
  /** The size to which open references were clipped; null if no open reference was read. */
  common: Extent | null = null;
  /** Number of writes to the draft at the last comparison of the columns. */
  private comparedAt = -1;
  /** True if the reads cannot be compared later. */
  isUnknown = false;
  /** True if parts of the value are not shared separately. */
  readonly isWhole: boolean;

  constructor(isWhole: boolean) {
    this.isWhole = isWhole;
  }

  addArea(sheet: Sheet | undefined, { left, right }: Pick<SheetArea, 'left' | 'right'>): void {
    if (sheet === undefined || right - left >= MAX_READ_COLUMNS) this.isUnknown = true;
    else for (let index = left; index <= right; index++) this.addColumn(sheet, index);
  }

  private addColumn(sheet: Sheet, index: number): void {
    const key = `${sheet.id}:${index}`;
    if (this.columns.has(key)) return;
    const column = sheet.columns[index];
    this.columns.set(key, { sheet: sheet.id, index, column, writes: column?.writes ?? 0 });
    if (this.columns.size > MAX_READ_COLUMNS) this.isUnknown = true;
  }

  /** Adds the reads of a part of the value. */
  addReads(other: ReadRecorder): void {
    for (const [key, read] of other.columns) this.columns.set(key, read);
    this.common ??= other.common;
    if (other.isUnknown || this.columns.size > MAX_READ_COLUMNS) this.isUnknown = true;
  }

  /** True if a column contains a cell that became dirty after it was read and is not calculated yet. */
  isWaiting(guard: { isColumnWaiting(sheet: number, column: number): boolean }): boolean {
    for (const { sheet, index } of this.columns.values()) if (guard.isColumnWaiting(sheet, index)) return true;
    return false;
  }

  /** True if no column has changed since it was read. Compares them only if the draft was written. */
  isCurrent(draft: Pick<Draft, 'sheet' | 'writes'>): boolean {
    if (this.comparedAt === draft.writes) return true;
    for (const { sheet, index, column, writes } of this.columns.values()) {
      const current = draft.sheet(sheet)?.columns[index];
      if (current !== column || (current?.writes ?? 0) !== writes) return false;
    }
    this.comparedAt = draft.writes;
    return true;
  }
}

/** Identifies an expression in all formulas that contain it. */
export interface SharedKey {
  readonly text: string;
  readonly usesColumn: boolean;
  readonly usesSheet: boolean;
  /** True for an expression in a LAMBDA that only the calls in one formula share. */
  readonly usesRow: boolean;
}

/** The formula that requests a value. */
interface SharedValueUser {
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
  readonly closed: ClosedSheets | null;
  /** Null if formats are not tracked. Arrays then have no formats. */
  readonly formats: object | null;
}

/** A value that formulas share, and the columns from which it was made. */
export class SharedSlot {
  /** Null until the value is made. */
  value: object | null = null;
  reads = new ReadRecorder(false);
  /** Number of array elements of the value. */
  elements = 0;
  requests = 0;
  renewals = 0;
  private readonly sheet: number;
  private readonly row: number;
  private readonly column: number;
  private readonly closed: ClosedSheets | null;
  private readonly hasFormats: boolean;

  constructor({ sheet, row, column, closed, formats }: SharedValueUser) {
    this.sheet = sheet;
    this.row = row;
    this.column = column;
    this.closed = closed;
    this.hasFormats = formats !== null;
  }

  get isSharable(): boolean {
    return this.requests >= REQUESTS_BEFORE_SHARING && this.renewals <= MAX_RENEWALS;
  }

  /** True if a formula can use the value of this slot. */
  isFor(key: SharedKey, { sheet, row, column, closed, formats }: SharedValueUser): boolean {
    const { usesRow, usesColumn, usesSheet } = key;
    if (usesRow && this.row !== row) return false;
    if ((usesColumn && this.column !== column) || (usesSheet && this.sheet !== sheet)) return false;
    return this.closed === closed && this.hasFormats === (formats !== null);
  }

  clear(): void {
    this.value = null;
    this.elements = 0;
    this.reads = new ReadRecorder(false);
  }

  /** Ends the sharing of this value. */
  exclude(): void {
    this.renewals = Number.POSITIVE_INFINITY;
  }
}

/** Counts the writes to a draft's columns. */
type WriteCounter = Pick<Draft, 'writes'>;

/** The cells of an area that several formulas read. */
class SharedArea {
  readonly area: SheetArea;
  readonly hasFormats: boolean;
  matrix: Matrix | null = null;
  private columns: readonly (Column | undefined)[] = [];
  private columnWrites: readonly number[] = [];
  /** Number of writes to the draft at the last comparison of the columns. */
  private comparedAt = -1;

  constructor(area: SheetArea, hasFormats: boolean) {
    this.area = area;
    this.hasFormats = hasFormats;
  }

  store(sheet: Sheet, draft: WriteCounter, matrix: Matrix): void {
    this.matrix = matrix;
    this.columns = sheet.columns.slice(this.area.left, this.area.right + 1);
    this.columnWrites = this.columns.map((column) => column?.writes ?? 0);
    this.comparedAt = draft.writes;
  }

  /** True if no column of the area has changed. Compares them only if the draft was written. */
  isCurrent(sheet: Sheet, draft: WriteCounter): boolean {
    if (this.comparedAt === draft.writes) return true;
    const { left, right } = this.area;
    const end = Math.min(right + 1, Math.max(sheet.columns.length, left + this.columns.length));
    for (let index = left; index < end; index++) {
      const column = sheet.columns[index];
      if (column !== this.columns[index - left]) return false;
      if ((column?.writes ?? 0) !== (this.columnWrites[index - left] ?? 0)) return false;
    }
    this.comparedAt = draft.writes;
    return true;
  }
}

/**
 * Values of expressions that have the same value in many formulas, because they read only ranges with fixed rows. They
 * are kept from one formula to the next until a column that they read changes. One object exists per recalculation.
 */
export class SharedValues {
  private slots = new Map<string, SharedSlot[]>();
  /** Slots with a value, in order of last use. */
  private readonly filled = new Set<SharedSlot>();
  private elements = 0;
  /** The most recently read areas first. */
  private readonly areas: SharedArea[] = [];

  /** Finds the slot of an expression for a formula; creates it if there is none. */
  findSlot(key: SharedKey, user: SharedValueUser): SharedSlot {
    let slots = this.slots.get(key.text);
    if (slots === undefined) {
      if (this.slots.size >= MAX_EXPRESSIONS) this.clear();
      slots = [];
      this.slots.set(key.text, slots);
    }
    for (const slot of slots) if (slot.isFor(key, user)) return slot;
    const slot = new SharedSlot(user);
    if (slots.length >= MAX_USERS) this.drop(slots.shift()!);
    slots.push(slot);
    return slot;
  }

  /** Stores the size of a slot's value. If all values are too large together, it drops the least recently used ones. */
  resize(slot: SharedSlot, elements: number): void {
    this.elements += elements - slot.elements;
    slot.elements = elements;
    this.filled.delete(slot);
    this.filled.add(slot);
    for (const oldest of this.filled) {
      if (this.elements <= MAX_SHARED_ELEMENTS) break;
      this.drop(oldest);
    }
  }

  /** Drops a value whose columns changed, so that it is made again. */
  renew(slot: SharedSlot): void {
    slot.renewals++;
    this.drop(slot);
  }

  private drop(slot: SharedSlot): void {
    this.elements -= slot.elements;
    this.filled.delete(slot);
    slot.clear();
  }

  private clear(): void {
    this.slots = new Map();
    for (const slot of this.filled) this.drop(slot);
  }

  /** Finds the shared cells of an area. `isNew`: this is the first request, so there are no cells yet. */
  findArea(area: SheetArea, formats: object | null): { readonly shared: SharedArea; readonly isNew: boolean } {
    const { areas } = this;
    const hasFormats = formats !== null;
    const at = areas.findIndex(
      (each) => each.hasFormats === hasFormats && each.area.sheet === area.sheet && isSameArea(each.area, area),
    );
    if (at >= 0) {
      const shared = areas[at]!;
      if (at > 0) areas.unshift(...areas.splice(at, 1));
      return { shared, isNew: false };
    }
    const shared = new SharedArea(area, hasFormats);
    areas.unshift(shared);
    if (areas.length > MAX_SHARED_AREAS) this.dropArea(areas.pop()!);
    return { shared, isNew: true };
  }

  /** Keeps the cells of an area, unless they are too many. */
  storeArea(shared: SharedArea, sheet: Sheet, draft: WriteCounter, matrix: Matrix): void {
    this.dropArea(shared);
    if (this.elements + matrix.data.length > MAX_SHARED_ELEMENTS) return;
    this.elements += matrix.data.length;
    shared.store(sheet, draft, matrix);
  }

  private dropArea(shared: SharedArea): void {
    this.elements -= shared.matrix?.data.length ?? 0;
    shared.matrix = null;
  }
}
