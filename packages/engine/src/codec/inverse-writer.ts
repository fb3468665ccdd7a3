import { type CellAreas, ChangeLog } from '../calc/change-log.ts';
import type { Node } from '../formula/ast.ts';
import { moveReferences, NAME_PLACE, nameKey, some } from '../formula/index.ts';
import type { Area } from '../grid/area.ts';
import { type Block, type Move, movedBlocks, reversed, sheetsOf } from '../grid/move.ts';
import {
  BOOLEAN as CELL_BOOLEAN,
  EMPTY as CELL_EMPTY,
  ERROR as CELL_ERROR,
  NUMBER as CELL_NUMBER,
  TEXT as CELL_TEXT,
  CHUNK_MASK,
  CHUNK_SHIFT,
  type Chunk,
  FORMULA,
  SPILLED,
  TYPE_MASK,
} from '../sheet/chunk.ts';
import { moveCells } from '../sheet/move-cells.ts';
import { movedTable } from '../sheet/move-tables.ts';
import { type DefinedName, emptySheet, type Sheet, Snapshot, type Spill, type Table } from '../sheet/snapshot.ts';
import type { Run } from '../sheet/template.ts';
import { type BytesRoom, ByteWriter, ownRoom } from './bytes.ts';
import { encodeCheckpoint } from './checkpoint.ts';
import { storeFormats, TemplateList } from './document-codec.ts';
import { inputDiffers, otherInputs } from './inputs.ts';
import {
  BOOLEAN,
  EMPTY,
  type EntryChange,
  ERROR,
  type FieldChange,
  FLOAT,
  type HeldHeader,
  type InverseHead,
  KEPT,
  LARGEST_NATURAL,
  NATURAL,
  OWN_FORMULA,
  type SheetLayoutChange,
  type SheetLook,
  TAG_MASK,
  TEXT,
  WITH_FORMAT,
} from './inverse.ts';
import { layoutChange } from './layout-change.ts';
import { formulasKept, runChanges } from './run-changes.ts';

interface Difference {
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** The cells that may hold other inputs; all are compared where it is absent. */
  readonly written?: readonly CellAreas[];
  /** How cells changed places between the two, and where in `before` those are that moving back does not bring back. */
  readonly moves?: readonly Move[];
  readonly lost?: readonly CellAreas[];
  /** The cells of both states have moved since: formulas that nobody wrote may be others than in the batch's own states. */
  readonly areFollowed?: boolean;
  /** Those of the cells written that tables made when columns came into them. */
  readonly headers?: readonly HeldHeader[];
}

/** What leads from the state after a change back to the one before, as bytes: a handful for a cell. */
export function encodeInverse(change: Difference, roomOf: BytesRoom = ownRoom): Uint8Array {
  const { moves = NONE, before, areFollowed = false, headers = NONE } = change;
  const { after, written, lost, rewritten } = cellsApart(change);
  const out = new ByteWriter();
  const cells = new CellWriter(before, after, out);
  cells.blocks(written ?? otherInputs(before, after));
  cells.isLost = true;
  cells.blocks(lost);
  out.varint(0);
  const head = headOf({ before, after, moves, areFollowed, headers, rewritten }, written !== null, cells);
  out.text(head === null ? '' : JSON.stringify(head));
  for (const sheet of before.sheets) if (!after.hasSheet(sheet.id)) writeContent(before, sheet, out);
  return out.finish(roomOf);
}

/** The state after a change with its cells back in their places, and what became of cells there. */
interface Settled {
  readonly after: Snapshot;
  /** Null: all are compared. */
  readonly written: readonly CellAreas[] | null;
  readonly lost: readonly CellAreas[];
  /** Cells of formulas that nobody wrote, and that moving back does not bring back as they were. */
  readonly rewritten: ChangeLog;
}

const NO_CELLS = new ChangeLog();
const NOWHERE: readonly CellAreas[] = [];
const NONE: readonly never[] = [];

function cellsApart(change: Difference): Settled {
  const { before, after: now, written: cells, moves = NONE, lost: areas = NONE } = change;
  if (moves.length + areas.length === 0) {
    return { after: now, written: cells ?? null, lost: NOWHERE, rewritten: NO_CELLS };
  }
  const { after, written } = movedBack(change, moves);
  const lost = logOf(areas);
  const rewritten = formulasKept(before, after, lost, written);
  return { after, written: written.areasWithout(lost), lost: lost.areasWithout(rewritten), rewritten };
}

function logOf(cells: readonly CellAreas[]): ChangeLog {
  const log = new ChangeLog();
  for (const { sheet, areas } of cells) for (const area of areas) log.addArea(sheet, area);
  return log;
}

type Changed = Pick<Difference, 'before'> &
  Required<Pick<Difference, 'moves' | 'areFollowed' | 'headers'>> &
  Pick<Settled, 'after' | 'rewritten'>;

/** Null where there is nothing in it, as of most batches. */
function headOf(change: Changed, fromBatch: boolean, cells: CellWriter): InverseHead | null {
  const { before, after, moves, areFollowed, headers, rewritten } = change;
  const hasMoved = moves.length > 0 || areFollowed || rewritten !== NO_CELLS;
  if (!hasMoved && !cells.needsHead && areSameButCells(before, after)) return null;
  const passing = unknownSheets(moves, after).filter((id) => !before.hasSheet(id));
  const isStructural = before.names !== after.names || before.tables !== after.tables || !sameSheets(before, after);
  const hasSettings = !isSameText(before.settings, after.settings);
  const isRewritten = isStructural || areFollowed || passing.length > 0;
  const spills = otherSpills(before, after);
  const layouts = layoutChanges(before, after);
  const runs = fromBatch ? runChanges(before, after, { rewritten, areAll: isRewritten }, cells.templates) : [];
  const lists = [moves, spills, layouts, runs, headers];
  const isPlain = !isStructural && !hasSettings && lists.every((list) => list.length === 0);
  if (isPlain && !cells.needsHead) return null;
  return {
    ...listed('moves', moves.map(reversed).reverse()),
    ...listed('passing', passing),
    ...(isStructural ? structureOf(before, after) : {}),
    ...(hasSettings ? { settings: { before: before.settings, after: after.settings } } : {}),
    ...listed('headers', headers),
    ...listed('runs', runs),
    ...listed('layouts', layouts),
    ...listed('spills', spills),
    ...listed('named', tablesNamed(before.tables, cells.templates.nodes)),
    ...listed('templates', cells.templates.nodes),
    ...listed('formats', storeFormats(before.formats, cells.formats)),
  };
}

/** Whether nothing but cells, and formulas among them, can be other than before: so it is after most batches. */
function areSameButCells(before: Snapshot, after: Snapshot): boolean {
  if (before.names !== after.names || before.tables !== after.tables || !sameSheets(before, after)) return false;
  if (!isSameText(before.settings, after.settings)) return false;
  return before.sheets.every((sheet, i) => {
    const { spills, layout, hiddenRows } = after.sheets[i] as Sheet;
    return sheet.spills === spills && sheet.layout === layout && sheet.hiddenRows === hiddenRows;
  });
}

/**
 * The state after a change with its cells back in their places, and where inputs may then be others. Sheets that are gone
 * are there, empty, while cells move.
 */
function movedBack({ before, after, written = [] }: Difference, moves: readonly Move[]) {
  const back = moves.map(reversed).reverse();
  const cells = new ChangeLog();
  for (const { sheet, areas } of written) {
    const first: readonly Block[] = areas.map((area) => ({ sheet, area }));
    const blocks = back.reduce((held, move) => held.flatMap((block) => movedBlocks(move, block)), first);
    for (const block of blocks) cells.addArea(block.sheet, block.area);
  }
  const gone = unknownSheets(moves, after);
  const empty = gone.map((id) => emptySheet(after.revision, id, ''));
  const whole = new Snapshot({ ...after, sheets: [...after.sheets, ...empty] });
  const state = back.reduce((held, move) => moveCells(held, move, held.revision + 1), whole);
  const sheets = state.sheets.filter(({ id }) => !gone.includes(id));
  const names = back.reduce((held, move) => held.map((name) => movedName(name, move)), after.names);
  const settled = { names: likeBefore(before.names, names), tables: tablesBack(before.tables, after.tables, back) };
  const there = new Snapshot({ ...state, ...settled, sheets });
  return { after: there, written: cells };
}

/**
 * One that columns come back to is another than before, whatever they are called: moving them alone would give them
 * headers.
 */
function tablesBack(before: readonly Table[], after: readonly Table[], back: readonly Move[]): readonly Table[] {
  const widened = new Set<string>();
  const follow = (table: Table, move: Move): readonly Table[] => {
    const moved = movedTable(table, move);
    if (moved !== null && moved.headers.length > 0) widened.add(table.name);
    return moved === null ? [] : [moved.table];
  };
  const tables = back.reduce((held, move) => held.flatMap((one) => follow(one, move)), after);
  const like = likeBefore(before, tables);
  return widened.size === 0 ? like : like.map((one, i) => (widened.has(one.name) ? (tables[i] as Table) : one));
}

/** The sheets of moves that are not in a state. */
function unknownSheets(moves: readonly Move[], state: Snapshot): readonly number[] {
  return [...new Set(moves.flatMap((move) => [...sheetsOf(move)]))].filter((id) => !state.hasSheet(id));
}

function movedName(name: DefinedName, move: Move): DefinedName {
  return { ...name, node: moveReferences(name.node, move, NAME_PLACE, NAME_PLACE) };
}

/** Entries that are equal to those of before are these, and the list is that of before where all are. */
function likeBefore<T>(before: readonly T[], after: readonly T[]): readonly T[] {
  const known = new Map(before.map((one) => [JSON.stringify(one), one]));
  const like = after.map((one) => known.get(JSON.stringify(one)) ?? one);
  return like.length === before.length && like.every((one, i) => one === before[i]) ? before : like;
}

/** The tables whose columns trees name. */
function tablesNamed(tables: readonly Table[], nodes: readonly Node[]): readonly Table[] {
  return tables.filter(({ name }) => {
    const key = nameKey(name);
    return nodes.some((node) =>
      some(node, (one) => one.k === 'table' && one.from !== undefined && nameKey(one.table) === key),
    );
  });
}

function listed<K extends string, T>(key: K, list: readonly T[]): { readonly [_ in K]?: readonly T[] } {
  return list.length === 0 ? {} : ({ [key]: list } as { readonly [_ in K]: readonly T[] });
}

function sameSheets(before: Snapshot, after: Snapshot): boolean {
  if (before.sheets.length !== after.sheets.length) return false;
  return before.sheets.every((sheet, i) => {
    const now = after.sheets[i] as Sheet;
    return now === sheet || (now.id === sheet.id && sameLook(lookOf(sheet), lookOf(now)));
  });
}

function sameLook(a: SheetLook, b: SheetLook): boolean {
  return a.name === b.name && a.hidden === b.hidden && a.color === b.color && isSameText(a.carried, b.carried);
}

/** Plain data that may have come from a checkpoint, and so be another object. */
function isSameText(a: object | undefined, b: object | undefined): boolean {
  return a === b || JSON.stringify(a ?? {}) === JSON.stringify(b ?? {});
}

function structureOf(before: Snapshot, after: Snapshot): InverseHead {
  const gone = after.sheets.filter(({ id }) => !before.hasSheet(id)).map(({ id }) => id);
  const came = before.sheets.flatMap(({ id, name }, position) => (after.hasSheet(id) ? [] : [{ id, name, position }]));
  const fields = before.sheets.flatMap((sheet): readonly FieldChange[] => {
    const now = after.sheetById(sheet.id);
    return now === undefined || sameLook(lookOf(sheet), lookOf(now)) ? [] : [fieldChange(sheet, now)];
  });
  const both = (from: Snapshot, to: Snapshot) => from.sheets.map(({ id }) => id).filter((id) => to.hasSheet(id));
  const names = changeOf(before.names, after.names);
  const tables = changeOf(before.tables, after.tables);
  const isReordered = both(before, after).join() !== both(after, before).join();
  return {
    ...listed('gone', gone),
    ...listed('came', came),
    ...listed('fields', fields),
    ...(isReordered ? { order: before.sheets.map(({ id }) => id) } : {}),
    ...(names ? { names } : {}),
    ...(tables ? { tables } : {}),
  };
}

function fieldChange(sheet: Sheet, now: Sheet): FieldChange {
  const [before, after] = [lookOf(sheet), lookOf(now)];
  if (!isSameText(before.carried, after.carried)) return { id: sheet.id, before, after };
  const { carried: _, ...rest } = before;
  const { carried: _carried, ...restAfter } = after;
  return { id: sheet.id, before: rest, after: restAfter };
}

function lookOf({ name, hidden, color, layout: { carried } }: Sheet): SheetLook {
  return { name, hidden, color, carried };
}

/** The entries of two lists that are not in both; null where there are none. */
function changeOf<T>(before: readonly T[], after: readonly T[]): EntryChange<T> | null {
  if (before === after) return null;
  const [old, now] = [new Set(before), new Set(after)];
  const places = before.flatMap((one, place) => (now.has(one) ? [] : [place]));
  const came = after.filter((one) => !old.has(one));
  if (places.length + came.length === 0) return null;
  return { places, before: places.map((place) => before[place] as T), after: came };
}

function layoutChanges(before: Snapshot, after: Snapshot): readonly SheetLayoutChange[] {
  return before.sheets.flatMap((sheet): readonly SheetLayoutChange[] => {
    const now = after.sheetById(sheet.id);
    const change = now === undefined || now === sheet ? null : layoutChange(sheet, now);
    return change === null ? [] : [{ sheet: sheet.id, change }];
  });
}

/** Array formulas that had a fixed area and have it no more, or have one by now: these as such that spill. */
function otherSpills(before: Snapshot, after: Snapshot): readonly { readonly sheet: number; readonly spill: Spill }[] {
  const others: { readonly sheet: number; readonly spill: Spill }[] = [];
  for (const sheet of before.sheets) {
    const now = after.sheetById(sheet.id);
    if (now === undefined || now.spills === sheet.spills) continue;
    const add = (spill: Spill) => others.push({ sheet: sheet.id, spill });
    for (const [key, spill] of sheet.spills) if (spill.fixed && now.spills.get(key)?.fixed !== true) add(spill);
    for (const [key, spill] of now.spills) {
      const { top, left } = spill.area;
      const wasLoose = sheet.spills.get(key)?.fixed !== true && sheet.run(top, left) !== undefined;
      if (spill.fixed && wasLoose) add({ ...spill, fixed: false });
    }
  }
  return others;
}

function writeContent(before: Snapshot, sheet: Sheet, out: ByteWriter): void {
  const { revision, settings, formats, nextSheetId, hasClock } = before;
  const around = { revision, settings, formats, nextSheetId, hasClock, carried: {} };
  const fields = { ...around, names: [], tables: [], sheets: [sheet] };
  const { meta, chunks } = encodeCheckpoint(new Snapshot(fields), -1);
  out.varint(meta.length);
  out.bytes(meta);
  out.varint(chunks.length);
  for (const { column, block, bytes } of chunks) {
    out.varint(column);
    out.varint(block);
    out.varint(bytes.length);
    out.bytes(bytes);
  }
}

/**
 * Writes blocks of cells: rows (0 ends them), sheet, top, left, columns; then items of a count, a tag, and what the tag
 * says. Cells that one formula, one value or nothing filled are one item.
 */
class CellWriter {
  private readonly before: Snapshot;
  private readonly after: Snapshot;
  readonly templates = new TemplateList();
  readonly formats = new Set<number>();
  /** Whether formulas of the cells that are written next do not come back by moving, though they may look the same. */
  isLost = false;
  private readonly out: ByteWriter;
  private readonly hasFormats: boolean;
  private count = 0;
  private tag = 0;
  /** The number, or the index of an error or a template. */
  private number = 0;
  private text = '';
  private writer = 0;
  private format = 0;

  constructor(before: Snapshot, after: Snapshot, out: ByteWriter) {
    this.before = before;
    this.after = after;
    this.out = out;
    this.hasFormats = before.formats.size > 1 || after.formats.size > 1;
  }

  get needsHead(): boolean {
    return this.templates.nodes.length > 0 || this.formats.size > 0;
  }

  /** Those of sheets that both states have. */
  blocks(changed: readonly CellAreas[]): void {
    for (const { sheet, areas } of changed) {
      const old = this.before.sheetById(sheet);
      const now = this.after.sheetById(sheet);
      if (old && now) for (const block of areas) this.block(old, now, block);
    }
  }

  private block(old: Sheet, now: Sheet, { top, left, bottom, right }: Area): void {
    const { out } = this;
    out.varint(bottom - top + 1);
    out.varint(old.id);
    out.varint(top);
    out.varint(left);
    out.varint(right - left + 1);
    for (let column = left; column <= right; column++) this.column(old, now, column, top, bottom);
    this.flush();
  }

  private column(old: Sheet, now: Sheet, column: number, top: number, bottom: number): void {
    for (let first = top; first <= bottom; ) {
      const block = first >> CHUNK_SHIFT;
      const last = Math.min(bottom, ((block + 1) << CHUNK_SHIFT) - 1);
      const [held, next] = [old.chunk(column, block), now.chunk(column, block)];
      const wereNumbers = held !== undefined && this.areNumbers(held, first & CHUNK_MASK, last + 1 - first);
      if (wereNumbers) this.numbers(held, next, first & CHUNK_MASK, last & CHUNK_MASK);
      for (let row = wereNumbers ? last + 1 : first; row <= last; row++) {
        const format = this.hasFormats ? old.format(row, column) : 0;
        const flag = this.hasFormats && format !== now.format(row, column) ? WITH_FORMAT : 0;
        const at = row & CHUNK_MASK;
        const kind = held?.kind(at) ?? EMPTY;
        if ((kind & FORMULA) !== 0) this.formula(old, now, row, column, flag, format);
        else this.plain(held, next, at, kind, flag, format);
      }
      first = last + 1;
    }
  }

  /** Whether rows of a chunk held nothing but numbers, and so many that arrays of all are worth making. */
  private areNumbers(held: Chunk, from: number, count: number): boolean {
    return count > FEW_ROWS && !this.hasFormats && held.areAll(CELL_NUMBER, from, count);
  }

  /** What `plain` does for such rows. */
  private numbers({ numbers }: Chunk, next: Chunk | undefined, first: number, last: number): void {
    const others = next?.numbers;
    for (let at = first; at <= last; at++) {
      const number = numbers[at] as number;
      if (others?.[at] === number && next?.kind(at) === CELL_NUMBER) this.add(KEPT, 0, '', 0, 0);
      else this.add(tagOf(CELL_NUMBER, number), number, '', 0, 0);
    }
  }

  private formula(old: Sheet, now: Sheet, row: number, column: number, flag: number, format: number): void {
    if (!this.isLost && !inputDiffers(old, now, row, column)) return this.add(KEPT | flag, 0, '', 0, format);
    const run = old.run(row, column) as Run;
    const writer = run.writer === null ? 0 : run.writer + 1;
    this.add(OWN_FORMULA | flag, this.templates.store(run)[2], '', writer, format);
  }

  /** A value, or nothing: what spilled there is nothing of the cell's own. */
  private plain(
    held: Chunk | undefined,
    next: Chunk | undefined,
    at: number,
    kind: number,
    flag: number,
    format: number,
  ) {
    const isEmpty = (kind & TYPE_MASK) === CELL_EMPTY || (kind & SPILLED) !== 0;
    const other = next?.kind(at) ?? CELL_EMPTY;
    if (isEmpty) {
      const isKept = (other & FORMULA) === 0 && ((other & TYPE_MASK) === CELL_EMPTY || (other & SPILLED) !== 0);
      return this.add((isKept ? KEPT : EMPTY) | flag, 0, '', 0, format);
    }
    const chunk = held as Chunk;
    const number = chunk.number(at);
    const text = (kind & TYPE_MASK) === CELL_TEXT ? chunk.texts.get(number) : null;
    if (kind === other && next !== undefined) {
      const isKept = text === null ? next.number(at) === number : next.value(at) === text;
      if (isKept) return this.add(KEPT | flag, 0, '', 0, format);
    }
    if (text !== null) this.add(TEXT | flag, 0, text, 0, format);
    else this.add(tagOf(kind & TYPE_MASK, number) | flag, number, '', 0, format);
  }

  private add(tag: number, number: number, text: string, writer: number, format: number): void {
    const same = tag === this.tag && number === this.number && text === this.text && writer === this.writer;
    if (this.count > 0 && same && (tag <= TAG_MASK || format === this.format)) {
      this.count++;
      return;
    }
    this.flush();
    this.count = 1;
    this.tag = tag;
    this.number = number;
    this.text = text;
    this.writer = writer;
    this.format = format;
  }

  private flush(): void {
    if (this.count === 0) return;
    const { out, tag, number } = this;
    out.varint(this.count);
    out.byte(tag);
    if (tag > TAG_MASK) {
      out.varint(this.format);
      if (this.format !== 0) this.formats.add(this.format);
    }
    this.count = 0;
    switch (tag & TAG_MASK) {
      case FLOAT:
        return out.float(number);
      case NATURAL:
        return out.varint(number);
      case TEXT:
        return out.text(this.text);
      case BOOLEAN:
      case ERROR:
        return out.byte(number);
      case OWN_FORMULA:
        out.varint(number);
        out.varint(this.writer);
    }
  }
}

/** A few rows wait beside shared arrays: these need not be made for them. */
const FEW_ROWS = 16;

function tagOf(type: number, number: number): number {
  if (type === CELL_BOOLEAN) return BOOLEAN;
  if (type === CELL_ERROR) return ERROR;
  return Number.isInteger(number) && number >= 0 && number < LARGEST_NATURAL ? NATURAL : FLOAT;
}
