import type { Node } from '../formula/ast.ts';
import { hasMatchingNode, nameKey } from '../formula/index.ts';
import { area } from '../grid/area.ts';
import { type Block, type Move, listMoveSheets as sheetsOfMove } from '../grid/move.ts';
import type { Layout } from '../sheet/layout.ts';
import type { DefinedName, DocumentSettings, Sheet, Spill, Table } from '../sheet/snapshot.ts';
import { errorByIndex } from '../value/errors.ts';
import type { Scalar } from '../value/scalar.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import type { StoredChunk } from './checkpoint.ts';
import type { StoredFormat, StoredRun } from './document-codec.ts';
import type { LayoutChange } from './layout-change.ts';
import { readPackedNumbers, skipPackedNumbers } from './packed-numbers.ts';

/**
 * The parts of an inverse without the contents of cells. They tell which cells it changes, and are read much faster.
 */
export interface InverseOutline {
  readonly head: InverseHead;
  /** Blocks of restored cells. No cell is in two blocks. */
  readonly blocks: readonly Block[];
}

/**
 * The data that undoes a batch: the inputs of its cells before (values, formulas with their writers, formats), and the
 * sheets, names and tables before. It contains no results of formulas, because they are calculated again.
 */
export interface Inverse extends InverseOutline {
  readonly blocks: readonly InverseBlock[];
  /** The contents of the sheets that undoing restores (`head.came`), in the same order. */
  readonly contents: readonly RestoredSheetContent[];
}

/** Everything except cells. A member is absent if the batch changed nothing of its kind. */
export interface InverseHead {
  /** Moves that return cells to their old positions, in order. They are applied before everything else. */
  readonly moves?: readonly Move[];
  /** Sheets that the batch added and deleted again, if cells moved to them meanwhile. */
  readonly passing?: readonly number[];
  /** Sheets that the batch added. Undoing deletes them. */
  readonly gone?: readonly number[];
  /** Sheets that the batch deleted. Undoing restores them. */
  readonly came?: readonly RestoredSheet[];
  readonly fields?: readonly FieldChange[];
  /** Ids of the sheets before the batch, in order. Present if the order of the sheets in both states changed. */
  readonly order?: readonly number[];
  readonly names?: EntryChange<DefinedName>;
  readonly tables?: EntryChange<Table>;
  readonly settings?: BeforeAfter<DocumentSettings>;
  /** Layout changes of sheets in both states, relative to the positions after the cells moved back. */
  readonly layouts?: readonly SheetLayoutChange[];
  /** Spills of array formulas whose area became fixed or stopped being fixed, as they were before the batch. */
  readonly spills?: readonly { readonly sheet: number; readonly spill: Spill }[];
  /** Generated headers of new table columns. They are restored only in cells that still have this value. */
  readonly headers?: readonly TableHeaderCell[];
  /** Formulas that were rewritten because sheets, names or table columns changed. */
  readonly runs?: readonly RunChange[];
  /** Tables before the batch whose columns are named in formulas of the inverse. */
  readonly named?: readonly Table[];
  readonly templates?: readonly Node[];
  readonly formats?: readonly StoredFormat[];
}

/** `after` is the state after the batch. If it has changed since, `before` is not restored. */
interface BeforeAfter<T> {
  readonly before: T;
  readonly after: T;
}

/** Entries that are in only one of the states. `places`: zero-based positions of the old entries in the old list. */
export interface EntryChange<T> extends BeforeAfter<readonly T[]> {
  readonly places: readonly number[];
}

interface RestoredSheet {
  readonly id: number;
  readonly name: string;
  /** Position among the sheets, zero-based. */
  readonly position: number;
}

export type SheetProperties = Pick<Sheet, 'name' | 'hidden' | 'color'> & {
  /** Present if the batch changed it; see `Layout`. */
  readonly carried?: Layout['carried'];
};

export interface FieldChange extends BeforeAfter<SheetProperties> {
  readonly id: number;
}

/** A change of a sheet's layout beyond what moves of cells cause. */
export interface SheetLayoutChange {
  readonly sheet: number;
  readonly change: LayoutChange;
}

export interface TableHeaderCell {
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
  readonly value: Scalar;
}

export interface RunChange extends BeforeAfter<readonly StoredRun[]> {
  readonly sheet: number;
  readonly column: number;
}

/** A sheet as `encodeCheckpoint` stores it, as a document of its own. */
interface RestoredSheetContent {
  readonly meta: Uint8Array;
  readonly chunks: readonly StoredChunk[];
}

/** Cells of a rectangle, column by column from top to bottom. */
export interface InverseBlock extends Block {
  readonly items: readonly InverseItem[];
}

/** Consecutive cells with the same content. */
interface InverseItem {
  readonly count: number;
  readonly input: StoredInput;
  /** The id in `head.formats` (0: General); null if the batch did not change it. */
  readonly format: number | null;
}

/** The input of a cell: a value (null for an empty cell), a formula, or `kept`: the same as after the batch. */
type StoredInput =
  | { readonly kind: 'value'; readonly value: Scalar }
  | { readonly kind: 'formula'; readonly template: number; readonly writer: number | null }
  | { readonly kind: 'kept' };

/** The key of a defined name or table. */
export function createEntryKey(
  { name, sheet }: { readonly name: string; readonly sheet?: number },
  scoped: boolean,
): string {
  return scoped ? `${sheet ?? ''}:${nameKey(name)}` : nameKey(name);
}

/** True if both are versions of one table: it may have grown, or its columns may have been renamed. */
export function isSameTable(a: Table, b: Table): boolean {
  const { top, left, right } = a.area;
  return a.sheet === b.sheet && b.area.top === top && b.area.left === left && b.area.right === right;
}

/**
 * Names and tables that a batch added, removed or redefined, by key. Omits entries that only follow moved cells, and
 * names that only refer to the same part of a table by another spelling.
 */
export function definedEntries({ head }: Pick<Inverse, 'head'>): ReadonlyMap<string, string> {
  const follows = [head.moves, head.came, head.gone].some((one) => one !== undefined);
  const names = findDifferingEntries(head.names, true, () => follows || head.tables !== undefined);
  const hasGrown = (before: Table, after: Table) =>
    isSameTable(before, after) && after.area.bottom >= before.area.bottom;
  const tables = findDifferingEntries(head.tables, false, (before, after) => follows || hasGrown(before, after));
  return new Map([
    ...names.map(([key, name]) => [`name ${key}`, name] as const),
    ...tables.map(([key, name]) => [`table ${key}`, name] as const),
  ]);
}

/** True if formulas of the inverse name columns of tables. Header cells contain the names of these columns. */
export function namesColumns({ head: { templates = [] } }: Pick<Inverse, 'head'>): boolean {
  return templates.some((node) => hasMatchingNode(node, ({ k }) => k === 'table'));
}

function findDifferingEntries<T extends { readonly name: string; readonly sheet?: number }>(
  change: EntryChange<T> | undefined,
  scoped: boolean,
  isSame: (before: T, after: T) => boolean,
): readonly (readonly [key: string, name: string])[] {
  const [old, now] = [change?.before ?? [], change?.after ?? []].map(
    (list) => new Map(list.map((one) => [createEntryKey(one, scoped), one])),
  ) as [Map<string, T>, Map<string, T>];
  return [...new Map([...old, ...now])].flatMap(([key, { name }]) => {
    const [before, after] = [old.get(key), now.get(key)];
    return before && after && isSame(before, after) ? [] : [[key, name] as const];
  });
}

/** The sheets that an inverse changes directly. Sheets that only contain rewritten formulas do not count. */
export function listChangedSheets({ head, blocks }: InverseOutline): ReadonlySet<number> {
  return new Set([
    ...(head.moves ?? []).flatMap((move) => [...sheetsOfMove(move)]),
    ...blocks.map(({ sheet }) => sheet),
    ...(head.moves ?? []).flatMap((move) => [...sheetsOfMove(move)]),
    ...(head.gone ?? []),
    ...(head.came ?? []).map(({ id }) => id),
    ...(head.fields ?? []).map(({ id }) => id),
  ]);
}

/** First byte of an item: the kind of input in the low bits, and a flag if a format follows. */
export const EMPTY = 0;
export const FLOAT = 1;
export const NATURAL = 2;
export const TEXT = 3;
export const BOOLEAN = 4;
export const ERROR = 5;
export const OWN_FORMULA = 6;
export const KEPT = 7;
export const TAG_MASK = 7;
export const WITH_FORMAT = 8;
/** The first byte of an item of different numbers: packed numbers follow. */
export const PACKED = 16;
/**
 * The first bytes of an inverse that may have packed numbers: no blocks, and a text that is not JSON in the position of
 * the head. Versions that do not know packed numbers therefore refuse it.
 */
export const PACKED_START = encodePackedStart();
/** The smallest whole number that is not stored in a short form. */
export const MAX_SMALL_NATURAL = 2 ** 40;

function encodePackedStart(): Uint8Array {
  const start = new ByteWriter();
  start.writeVarint(0);
  start.writeText('packed numbers');
  return start.finish();
}

/** Decodes an inverse. Its bytes are the result of `encodeInverse`. */
export function decodeInverse(bytes: Uint8Array): Inverse {
  const source = new ByteReader(bytes);
  const { head, blocks } = readParts(source, readBlock);
  const contents = (head.came ?? []).map(({ id }) => readContent(source, id));
  return { head, blocks, contents };
}

/** Reads an inverse without the contents of cells and sheets. */
export function decodeOutline(bytes: Uint8Array): InverseOutline {
  return readParts(new ByteReader(bytes), skipBlock);
}

/** Reads the blocks and the head. */
function readParts<B>(
  source: ByteReader,
  readOne: (source: ByteReader, rows: number) => B,
): { readonly head: InverseHead; readonly blocks: readonly B[] } {
  source.skipIfNext(PACKED_START);
  const blocks: B[] = [];
  for (let rows = source.readVarint(); rows > 0; rows = source.readVarint()) blocks.push(readOne(source, rows));
  const text = source.readText();
  return { head: text === '' ? {} : JSON.parse(text), blocks };
}

/** Moves past a block of an inverse without decoding its cells. */
function skipBlock(source: ByteReader, rows: number): Block {
  const { sheet, top, left, columns } = readBlockPosition(source);
  for (let cells = rows * columns; cells > 0; ) {
    const count = source.readVarint();
    const tag = source.readByte();
    cells -= count;
    if (tag === PACKED) {
      skipPackedNumbers(source, count);
      continue;
    }
    if (tag > TAG_MASK) source.readVarint();
    skipInput(source, tag & TAG_MASK);
  }
  return { sheet, area: area(top, left, top + rows - 1, left + columns - 1) };
}

/** Moves past one stored input. */
function skipInput(source: ByteReader, tag: number): void {
  switch (tag) {
    case OWN_FORMULA:
      source.readVarint();
      source.readVarint();
      return;
    case FLOAT:
      source.skipBytes(8);
      return;
    case NATURAL:
      source.readVarint();
      return;
    case TEXT:
      source.skipText();
      return;
    case BOOLEAN:
    case ERROR:
      source.readByte();
  }
}

function readBlockPosition(source: ByteReader) {
  const sheet = source.readVarint();
  const top = source.readVarint();
  const left = source.readVarint();
  return { sheet, top, left, columns: source.readVarint() };
}

function readBlock(source: ByteReader, rows: number): InverseBlock {
  const { sheet, top, left, columns } = readBlockPosition(source);
  const items: InverseItem[] = [];
  for (let cells = rows * columns; cells > 0; ) {
    const count = source.readVarint();
    const tag = source.readByte();
    cells -= count;
    if (tag === PACKED) {
      readPackedNumbers(source, count, (value) =>
        items.push({ count: 1, input: { kind: 'value', value }, format: null }),
      );
      continue;
    }
    const format = tag > TAG_MASK ? source.readVarint() : null;
    items.push({ count, input: readInput(source, tag & TAG_MASK), format });
  }
  return { sheet, area: area(top, left, top + rows - 1, left + columns - 1), items };
}

/** Reads one stored input. */
function readInput(source: ByteReader, tag: number): StoredInput {
  switch (tag) {
    case KEPT:
      return { kind: 'kept' };
    case OWN_FORMULA: {
      const template = source.readVarint();
      const writer = source.readVarint();
      return { kind: 'formula', template, writer: writer === 0 ? null : writer - 1 };
    }
    default:
      return { kind: 'value', value: readValue(source, tag) };
  }
}

function readValue(source: ByteReader, tag: number): Scalar {
  switch (tag) {
    case FLOAT:
      return source.readFloat();
    case NATURAL:
      return source.readVarint();
    case TEXT:
      return source.readText();
    case BOOLEAN:
      return source.readByte() === 1;
    case ERROR:
      return errorByIndex(source.readByte());
    default:
      return null;
  }
}

function readContent(source: ByteReader, sheet: number): RestoredSheetContent {
  const meta = source.readBytes(source.readVarint());
  const chunks: StoredChunk[] = [];
  for (let left = source.readVarint(); left > 0; left--) {
    const column = source.readVarint();
    const block = source.readVarint();
    chunks.push({ sheet, column, block, bytes: source.readBytes(source.readVarint()) });
  }
  return { meta, chunks };
}
