import { type CellAreas, ChangeLog } from '../calc/change-log.ts';
import type { Node } from '../formula/ast.ts';
import { moveReferences, NAME_PLACE, nameKey, someNode } from '../formula/index.ts';
import { type Block, type Move, movedBlocks, reversed, sheetsOf } from '../grid/move.ts';
import { moveCells } from '../sheet/move-cells.ts';
import { movedTable } from '../sheet/move-tables.ts';
import { type DefinedName, emptySheet, type Sheet, Snapshot, type Spill, type Table } from '../sheet/snapshot.ts';
import { type BytesRoom, ByteWriter, ownRoom } from './bytes.ts';
import { encodeCheckpoint } from './checkpoint.ts';
import { storeFormats } from './document-codec.ts';
import { otherInputs } from './inputs.ts';
import type { EntryChange, FieldChange, HeldHeader, InverseHead, SheetLayoutChange, SheetLook } from './inverse.ts';
import { CellWriter } from './inverse-cell-writer.ts';
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
    const { spills, layout, hiddenRows } = after.sheets[i]!;
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
  return widened.size === 0 ? like : like.map((one, i) => (widened.has(one.name) ? tables[i]! : one));
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
      someNode(node, (one) => one.k === 'table' && one.from !== undefined && nameKey(one.table) === key),
    );
  });
}

function listed<K extends string, T>(key: K, list: readonly T[]): { readonly [_ in K]?: readonly T[] } {
  return list.length === 0 ? {} : ({ [key]: list } as { readonly [_ in K]: readonly T[] });
}

function sameSheets(before: Snapshot, after: Snapshot): boolean {
  if (before.sheets.length !== after.sheets.length) return false;
  return before.sheets.every((sheet, i) => {
    const now = after.sheets[i]!;
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
  return { places, before: places.map((place) => before[place]!), after: came };
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
