import { type CellAreas, ChangeLog } from '../calc/change-log.ts';
import { moveReferences, NAME_PLACE } from '../formula/index.ts';
import type { Area } from '../grid/area.ts';
import { type Block, type Move, movedBlocks, reversed } from '../grid/move.ts';
import { FORMULA } from '../sheet/chunk.ts';
import { moveCells } from '../sheet/move-cells.ts';
import { movedTable } from '../sheet/move-tables.ts';
import { type DefinedName, type Sheet, Snapshot, type Spill } from '../sheet/snapshot.ts';
import type { Run } from '../sheet/template.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import { ByteWriter } from './bytes.ts';
import { encodeCheckpoint } from './checkpoint.ts';
import { storeFormats, TemplateList } from './document-codec.ts';
import { inputDiffers, inputKind, otherInputs } from './inputs.ts';
import {
  BOOLEAN,
  EMPTY,
  type EntryChange,
  ERROR,
  type FieldChange,
  FLOAT,
  type InverseHead,
  KEPT,
  LARGEST_NATURAL,
  NATURAL,
  OWN_FORMULA,
  type RunChange,
  type SheetLook,
  TAG_MASK,
  TEXT,
  WITH_FORMAT,
} from './inverse.ts';

interface Difference {
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** The cells that may hold other inputs; all are compared where it is absent. */
  readonly written?: readonly CellAreas[];
  /** How cells changed places between the two, and where in `before` those are that moving back does not bring back. */
  readonly moves?: readonly Move[];
  readonly lost?: readonly CellAreas[];
}

/** What leads from the state after a change back to the one before, as bytes: a handful for a cell. */
export function encodeInverse(change: Difference): Uint8Array {
  const { moves = [], before } = change;
  const { after, written } = moves.length > 0 ? movedBack(change, moves) : change;
  const templates = new TemplateList();
  const cells = new CellWriter(before, after, templates);
  for (const { sheet, areas } of written ?? otherInputs(before, after)) {
    const [old, now] = [before.sheetById(sheet), after.sheetById(sheet)];
    if (old && now) for (const block of areas) cells.block(old, now, block);
  }
  const came = before.sheets.filter((sheet) => !after.hasSheet(sheet.id));
  const isStructural = before.names !== after.names || before.tables !== after.tables || !sameSheets(before, after);
  const head: InverseHead = {
    ...listed('moves', moves.map(reversed).reverse()),
    ...(isStructural ? structureOf(before, after) : {}),
    ...(isStructural && written ? listed('runs', runChanges(before, after, templates)) : {}),
    ...listed('spills', lostSpills(before, after)),
    ...listed('templates', templates.nodes),
    ...listed('formats', storeFormats(before.formats, cells.formats)),
  };
  const out = new ByteWriter();
  out.text(Object.keys(head).length === 0 ? '' : JSON.stringify(head));
  out.bytes(cells.finish());
  for (const sheet of came) writeContent(before, sheet, out);
  return out.finish();
}

/** The state after a change with its cells back in their places, and where inputs may then be others. */
function movedBack({ before, after, written = [], lost = [] }: Difference, moves: readonly Move[]) {
  const back = moves.map(reversed).reverse();
  const cells = new ChangeLog();
  for (const { sheet, areas } of lost) for (const area of areas) cells.addArea(sheet, area);
  for (const { sheet, areas } of written) {
    const first: readonly Block[] = areas.map((area) => ({ sheet, area }));
    const blocks = back.reduce((held, move) => held.flatMap((block) => movedBlocks(move, block)), first);
    for (const block of blocks) cells.addArea(block.sheet, block.area);
  }
  const state = back.reduce((held, move) => moveCells(held, move, held.revision + 1), after);
  const names = back.reduce((held, move) => held.map((name) => movedName(name, move)), after.names);
  const tables = back.reduce((held, move) => held.flatMap((one) => movedTable(one, move)?.table ?? []), after.tables);
  const settled = { names: likeBefore(before.names, names), tables: likeBefore(before.tables, tables) };
  return { after: new Snapshot({ ...state, ...settled }), written: cells.areas() };
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

function listed<K extends string, T>(key: K, list: readonly T[]): { readonly [_ in K]?: readonly T[] } {
  return list.length === 0 ? {} : ({ [key]: list } as { readonly [_ in K]: readonly T[] });
}

function sameSheets(before: Snapshot, after: Snapshot): boolean {
  if (before.sheets.length !== after.sheets.length) return false;
  return before.sheets.every((sheet, i) => {
    const now = after.sheets[i] as Sheet;
    return now === sheet || (now.id === sheet.id && sameLook(sheet, now));
  });
}

function sameLook(a: SheetLook, b: SheetLook): boolean {
  return a.name === b.name && a.hidden === b.hidden && a.color === b.color;
}

function structureOf(before: Snapshot, after: Snapshot): InverseHead {
  const gone = after.sheets.filter(({ id }) => !before.hasSheet(id)).map(({ id }) => id);
  const came = before.sheets.flatMap(({ id, name }, position) => (after.hasSheet(id) ? [] : [{ id, name, position }]));
  const fields = before.sheets.flatMap((sheet): readonly FieldChange[] => {
    const now = after.sheetById(sheet.id);
    return now === undefined || sameLook(sheet, now)
      ? []
      : [{ id: sheet.id, before: lookOf(sheet), after: lookOf(now) }];
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

function lookOf({ name, hidden, color }: Sheet): SheetLook {
  return { name, hidden, color };
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

function runChanges(before: Snapshot, after: Snapshot, templates: TemplateList): readonly RunChange[] {
  const changes: RunChange[] = [];
  for (const sheet of before.sheets) {
    const now = after.sheetById(sheet.id);
    if (now === undefined || now === sheet) continue;
    sheet.columns.forEach((column, index) => {
      const other = now.columns[index];
      if (column === undefined || other === undefined || column.runList === other.runList) return;
      const [old, next] = [new Set(column.runs), new Set(other.runs)];
      const gone = column.runs.filter((run) => !next.has(run)).map((run) => templates.store(run));
      const came = other.runs.filter((run) => !old.has(run)).map((run) => templates.store(run));
      if (gone.length > 0 && came.length > 0)
        changes.push({ sheet: sheet.id, column: index, before: gone, after: came });
    });
  }
  return changes;
}

function lostSpills(before: Snapshot, after: Snapshot): readonly { readonly sheet: number; readonly spill: Spill }[] {
  const lost: { readonly sheet: number; readonly spill: Spill }[] = [];
  for (const sheet of before.sheets) {
    const now = after.sheetById(sheet.id);
    if (now === undefined || now.spills === sheet.spills) continue;
    for (const [key, spill] of sheet.spills) {
      if (spill.fixed && now.spills.get(key)?.fixed !== true) lost.push({ sheet: sheet.id, spill });
    }
  }
  return lost;
}

function writeContent(before: Snapshot, sheet: Sheet, out: ByteWriter): void {
  const { revision, settings, formats, nextSheetId, hasClock } = before;
  const fields = { revision, settings, formats, nextSheetId, hasClock, names: [], tables: [], sheets: [sheet] };
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
 * says.
 */
class CellWriter {
  readonly formats = new Set<number>();
  private readonly out = new ByteWriter();
  private readonly templates: TemplateList;
  private readonly hasFormats: boolean;
  private count = 0;
  private tag = 0;
  private value: Scalar = null;
  private number = 0;
  private format = 0;

  constructor(before: Snapshot, after: Snapshot, templates: TemplateList) {
    this.templates = templates;
    this.hasFormats = before.formats.size > 1 || after.formats.size > 1;
  }

  block(old: Sheet, now: Sheet, { top, left, bottom, right }: Area): void {
    const { out } = this;
    for (const number of [bottom - top + 1, old.id, top, left, right - left + 1]) out.varint(number);
    for (let column = left; column <= right; column++) {
      for (let row = top; row <= bottom; row++) this.cell(old, now, row, column);
    }
    this.flush();
  }

  private cell(old: Sheet, now: Sheet, row: number, column: number): void {
    const format = this.hasFormats ? old.format(row, column) : 0;
    const flag = this.hasFormats && format !== now.format(row, column) ? WITH_FORMAT : 0;
    if (!inputDiffers(old, now, row, column)) return this.add(KEPT | flag, null, 0, format);
    if (inputKind(old, row, column) !== FORMULA) {
      const value = inputKind(old, row, column) === EMPTY ? null : old.value(row, column);
      return this.add(tagOf(value) | flag, value, 0, format);
    }
    const run = old.run(row, column) as Run;
    const template = this.templates.store(run)[2];
    this.add(OWN_FORMULA | flag, run.writer, template, format);
  }

  private add(tag: number, value: Scalar, number: number, format: number): void {
    const same = tag === this.tag && Object.is(value, this.value) && number === this.number;
    if (this.count > 0 && same && (tag <= TAG_MASK || format === this.format)) {
      this.count++;
      return;
    }
    this.flush();
    this.count = 1;
    this.tag = tag;
    this.value = value;
    this.number = number;
    this.format = format;
  }

  private flush(): void {
    if (this.count === 0) return;
    const { out, tag, value } = this;
    out.varint(this.count);
    out.byte(tag);
    if (tag > TAG_MASK) {
      out.varint(this.format);
      if (this.format !== 0) this.formats.add(this.format);
    }
    this.count = 0;
    switch (tag & TAG_MASK) {
      case FLOAT:
        return out.float(value as number);
      case NATURAL:
        return out.varint(value as number);
      case TEXT:
        return out.text(value as string);
      case BOOLEAN:
        return out.byte(value === true ? 1 : 0);
      case ERROR:
        return out.byte(isError(value) ? value.index : 0);
      case OWN_FORMULA:
        out.varint(this.number);
        out.varint(typeof value === 'number' ? value + 1 : 0);
    }
  }

  finish(): Uint8Array {
    this.out.varint(0);
    return this.out.finish();
  }
}

function tagOf(value: Scalar): number {
  if (value === null) return EMPTY;
  if (typeof value === 'string') return TEXT;
  if (typeof value === 'boolean') return BOOLEAN;
  if (typeof value !== 'number') return ERROR;
  return Number.isInteger(value) && value >= 0 && value < LARGEST_NATURAL && !Object.is(value, -0) ? NATURAL : FLOAT;
}
