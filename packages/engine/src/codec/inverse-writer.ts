import { type CellAreas, ChangeLog } from '../calc/change-log.ts';
import type { Node } from '../formula/ast.ts';
import { hasMatchingNode, moveReferences, NAME_PLACE, nameKey } from '../formula/index.ts';
import { type Block, listMoveSheets, type Move, moveBlocks, reverseMove } from '../grid/move.ts';
import { moveCells } from '../sheet/moves/move-cells.ts';
import { moveTable } from '../sheet/moves/move-tables.ts';
import { createEmptySheet, type DefinedName, type Sheet, Snapshot, type Spill, type Table } from '../sheet/snapshot.ts';
import { type AllocateBytes, allocateOwn, ByteWriter } from './bytes.ts';
import { encodeCheckpoint } from './checkpoint.ts';
import { storeFormats } from './document-codec.ts';
import { findChangedInputs } from './inputs.ts';
import {
  type EntryChange,
  type FieldChange,
  type InverseHead,
  PACKED_START,
  type SheetLayoutChange,
  type SheetProperties,
  type TableHeaderCell,
} from './inverse.ts';
import { InverseCellWriter } from './inverse-cell-writer.ts';
import { compareLayouts } from './layout-change.ts';
import { MAX_SINGLE_ROWS } from './packed-numbers.ts';
import { findKeptFormulas, findRunChanges } from './run-changes.ts';

interface InverseInput {
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** Cells whose inputs may differ; absent to compare all cells. */
  readonly written?: readonly CellAreas[];
  /** Moves between the two states, and the cells of `before` that moving cells back does not restore. */
  readonly moves?: readonly Move[];
  readonly lost?: readonly CellAreas[];
  /**
   * True if cells moved after the batch and both states already contain these moves. Formulas without a writer may then
   * differ from the formulas after the batch.
   */
  readonly areFollowed?: boolean;
  /** Written cells that are generated headers of table columns. */
  readonly headers?: readonly TableHeaderCell[];
}

/** Encodes the inverse of a change: the data that restores the state before it. A cell takes a few bytes. */
export function encodeInverse(change: InverseInput, allocate: AllocateBytes = allocateOwn): Uint8Array {
  const { moves = NONE, before, areFollowed = false, headers = NONE } = change;
  const { after, written, lost, rewritten } = moveCellsBack(change);
  const out = new ByteWriter();
  const cells = new InverseCellWriter(before, after, out);
  const changed = written ?? findChangedInputs(before, after);
  if (hasTallArea(changed) || hasTallArea(lost)) out.writeBytes(PACKED_START);
  cells.writeBlocks(changed);
  cells.isLost = true;
  cells.writeBlocks(lost);
  out.writeVarint(0);
  const head = buildInverseHead({ before, after, moves, areFollowed, headers, rewritten }, written !== null, cells);
  out.writeText(head === null ? '' : JSON.stringify(head));
  for (const sheet of before.sheets) if (!after.hasSheet(sheet.id)) writeContent(before, sheet, out);
  return out.finish(allocate);
}

/** True if an area is tall enough for packed numbers. */
function hasTallArea(changed: readonly CellAreas[]): boolean {
  return changed.some(({ areas }) => areas.some(({ top, bottom }) => bottom - top >= MAX_SINGLE_ROWS));
}

/** The state after a change with its cells moved back, and the cells that differ there. */
interface MovedBackState {
  readonly after: Snapshot;
  /** Cells that the batch wrote; null to compare all cells. */
  readonly written: readonly CellAreas[] | null;
  readonly lost: readonly CellAreas[];
  /** Cells with formulas without a writer that moving cells back does not restore. */
  readonly rewritten: ChangeLog;
}

const NO_CELLS = new ChangeLog();

const NO_AREAS: readonly CellAreas[] = [];

const NONE: readonly never[] = [];

function moveCellsBack(change: InverseInput): MovedBackState {
  const { before, after: now, written: cells, moves = NONE, lost: areas = NONE } = change;
  if (moves.length + areas.length === 0) {
    return { after: now, written: cells ?? null, lost: NO_AREAS, rewritten: NO_CELLS };
  }
  const { after, written } = moveBack(change, moves);
  const lost = createChangeLog(areas);
  const rewritten = findKeptFormulas(before, after, lost, written);
  return { after, written: written.listAreasWithout(lost), lost: lost.listAreasWithout(rewritten), rewritten };
}

function createChangeLog(cells: readonly CellAreas[]): ChangeLog {
  const log = new ChangeLog();
  for (const { sheet, areas } of cells) for (const area of areas) log.addArea(sheet, area);
  return log;
}

type InverseSource = Pick<InverseInput, 'before'> &
  Required<Pick<InverseInput, 'moves' | 'areFollowed' | 'headers'>> &
  Pick<MovedBackState, 'after' | 'rewritten'>;

/** The head of an inverse; null if it would be empty, as it is for most batches. */
function buildInverseHead(change: InverseSource, fromBatch: boolean, cells: InverseCellWriter): InverseHead | null {
  const { before, after, moves, areFollowed, headers, rewritten } = change;
  const hasMoved = moves.length > 0 || areFollowed || rewritten !== NO_CELLS;
  if (!hasMoved && !cells.needsHead && areSameButCells(before, after)) return null;
  const passing = findMissingSheets(moves, after).filter((id) => !before.hasSheet(id));
  const isStructural = before.names !== after.names || before.tables !== after.tables || !areSheetsSame(before, after);
  const hasSettings = !haveSameJson(before.settings, after.settings);
  const isRewritten = isStructural || areFollowed || passing.length > 0;
  const spills = findChangedSpills(before, after);
  const layouts = describeLayoutChanges(before, after);
  const runs = fromBatch ? findRunChanges(before, after, { rewritten, areAll: isRewritten }, cells.templates) : [];
  const lists = [moves, spills, layouts, runs, headers];
  const isPlain = !isStructural && !hasSettings && lists.every((list) => list.length === 0);
  if (isPlain && !cells.needsHead) return null;
  return {
    ...toOptionalMember('moves', moves.map(reverseMove).reverse()),
    ...toOptionalMember('passing', passing),
    ...(isStructural ? describeStructureChange(before, after) : {}),
    ...(hasSettings ? { settings: { before: before.settings, after: after.settings } } : {}),
    ...toOptionalMember('headers', headers),
    ...toOptionalMember('runs', runs),
    ...toOptionalMember('layouts', layouts),
    ...toOptionalMember('spills', spills),
    ...toOptionalMember('named', findNamedTables(before.tables, cells.templates.nodes)),
    ...toOptionalMember('templates', cells.templates.nodes),
    ...toOptionalMember('formats', storeFormats(before.formats, cells.formats)),
  };
}

/** True if only cells, including formulas, can differ, as after most batches. */
function areSameButCells(before: Snapshot, after: Snapshot): boolean {
  if (before.names !== after.names || before.tables !== after.tables || !areSheetsSame(before, after)) return false;
  if (!haveSameJson(before.settings, after.settings)) return false;
  return before.sheets.every((sheet, i) => {
    const { spills, layout, hiddenRows } = after.sheets[i]!;
    return sheet.spills === spills && sheet.layout === layout && sheet.hiddenRows === hiddenRows;
  });
}

/**
 * Returns the state after a change with its cells moved back, and the cells whose inputs may differ in it. While cells
 * move, deleted sheets exist as empty sheets.
 */
function moveBack({ before, after, written = [] }: InverseInput, moves: readonly Move[]) {
  const back = moves.map(reverseMove).reverse();
  const cells = new ChangeLog();
  for (const { sheet, areas } of written) {
    const first: readonly Block[] = areas.map((area) => ({ sheet, area }));
    const blocks = back.reduce(
      (existingBlocks, move) => existingBlocks.flatMap((block) => moveBlocks(move, block)),
      first,
    );
    for (const block of blocks) cells.addArea(block.sheet, block.area);
  }
  const removed = findMissingSheets(moves, after);
  const empty = removed.map((id) => createEmptySheet(after.revision, id, ''));
  const whole = new Snapshot({ ...after, sheets: [...after.sheets, ...empty] });
  const state = back.reduce((snapshot, move) => moveCells(snapshot, move, snapshot.revision + 1), whole);
  const sheets = state.sheets.filter(({ id }) => !removed.includes(id));
  const names = back.reduce((definedNames, move) => definedNames.map((name) => moveName(name, move)), after.names);
  const settled = { names: reuseEqual(before.names, names), tables: moveTablesBack(before.tables, after.tables, back) };
  const target = new Snapshot({ ...state, ...settled, sheets });
  return { after: target, written: cells };
}

/**
 * Marks tables as changed if columns move back into them, because the move alone would give these columns new headers.
 */
function moveTablesBack(before: readonly Table[], after: readonly Table[], back: readonly Move[]): readonly Table[] {
  const widened = new Set<string>();
  const follow = (table: Table, move: Move): readonly Table[] => {
    const moved = moveTable(table, move);
    if (moved !== null && moved.headers.length > 0) widened.add(table.name);
    return moved === null ? [] : [moved.table];
  };
  const tables = back.reduce((existingTables, move) => existingTables.flatMap((one) => follow(one, move)), after);
  const like = reuseEqual(before, tables);
  return widened.size === 0 ? like : like.map((one, i) => (widened.has(one.name) ? tables[i]! : one));
}

/** The sheets of moves that do not exist in a state. */
function findMissingSheets(moves: readonly Move[], state: Snapshot): readonly number[] {
  return [...new Set(moves.flatMap((move) => [...listMoveSheets(move)]))].filter((id) => !state.hasSheet(id));
}

/** The name after a move of the cells that its formula refers to. */
function moveName(name: DefinedName, move: Move): DefinedName {
  return { ...name, node: moveReferences(name.node, move, NAME_PLACE, NAME_PLACE) };
}

/** Replaces entries by equal ones of `before`; returns `before` itself if all are equal. */
function reuseEqual<T>(before: readonly T[], after: readonly T[]): readonly T[] {
  const entryByJson = new Map(before.map((one) => [JSON.stringify(one), one]));
  const reused = after.map((one) => entryByJson.get(JSON.stringify(one)) ?? one);
  return reused.length === before.length && reused.every((one, i) => one === before[i]) ? before : reused;
}

/** The tables whose columns the trees name. */
function findNamedTables(tables: readonly Table[], nodes: readonly Node[]): readonly Table[] {
  return tables.filter(({ name }) => {
    const key = nameKey(name);
    return nodes.some((node) =>
      hasMatchingNode(node, (one) => one.k === 'table' && one.from !== undefined && nameKey(one.table) === key),
    );
  });
}

/** An object with a list under a key; an empty object for an empty list. */
function toOptionalMember<K extends string, T>(key: K, list: readonly T[]): { readonly [_ in K]?: readonly T[] } {
  return list.length === 0 ? {} : ({ [key]: list } as { readonly [_ in K]: readonly T[] });
}

function areSheetsSame(before: Snapshot, after: Snapshot): boolean {
  if (before.sheets.length !== after.sheets.length) return false;
  return before.sheets.every((sheet, i) => {
    const now = after.sheets[i]!;
    return (
      now === sheet ||
      (now.id === sheet.id && areSheetPropertiesEqual(pickSheetProperties(sheet), pickSheetProperties(now)))
    );
  });
}

function areSheetPropertiesEqual(a: SheetProperties, b: SheetProperties): boolean {
  return a.name === b.name && a.hidden === b.hidden && a.color === b.color && haveSameJson(a.carried, b.carried);
}

/**
 * True if plain data has equal content. Objects are not compared by identity, because reading a checkpoint copies them.
 */
function haveSameJson(a: object | undefined, b: object | undefined): boolean {
  return a === b || JSON.stringify(a ?? {}) === JSON.stringify(b ?? {});
}

function describeStructureChange(before: Snapshot, after: Snapshot): InverseHead {
  const removed = after.sheets.filter(({ id }) => !before.hasSheet(id)).map(({ id }) => id);
  const added = before.sheets.flatMap(({ id, name }, position) => (after.hasSheet(id) ? [] : [{ id, name, position }]));
  const fields = before.sheets.flatMap((sheet): readonly FieldChange[] => {
    const now = after.sheetById(sheet.id);
    return now === undefined || areSheetPropertiesEqual(pickSheetProperties(sheet), pickSheetProperties(now))
      ? []
      : [describeFieldChange(sheet, now)];
  });
  const both = (from: Snapshot, to: Snapshot) => from.sheets.map(({ id }) => id).filter((id) => to.hasSheet(id));
  const names = describeEntryChange(before.names, after.names);
  const tables = describeEntryChange(before.tables, after.tables);
  const isReordered = both(before, after).join() !== both(after, before).join();
  return {
    ...toOptionalMember('gone', removed),
    ...toOptionalMember('came', added),
    ...toOptionalMember('fields', fields),
    ...(isReordered ? { order: before.sheets.map(({ id }) => id) } : {}),
    ...(names ? { names } : {}),
    ...(tables ? { tables } : {}),
  };
}

function describeFieldChange(sheet: Sheet, current: Sheet): FieldChange {
  const [before, after] = [pickSheetProperties(sheet), pickSheetProperties(current)];
  if (!haveSameJson(before.carried, after.carried)) return { id: sheet.id, before, after };
  const { carried: _, ...rest } = before;
  const { carried: _carried, ...restAfter } = after;
  return { id: sheet.id, before: rest, after: restAfter };
}

function pickSheetProperties({ name, hidden, color, layout: { carried } }: Sheet): SheetProperties {
  return { name, hidden, color, carried };
}

/** The entries that are in only one of two lists; null if there are none. */
function describeEntryChange<T>(before: readonly T[], after: readonly T[]): EntryChange<T> | null {
  if (before === after) return null;
  const [old, now] = [new Set(before), new Set(after)];
  const places = before.flatMap((one, place) => (now.has(one) ? [] : [place]));
  const added = after.filter((one) => !old.has(one));
  if (places.length + added.length === 0) return null;
  return { places, before: places.map((place) => before[place]!), after: added };
}

function describeLayoutChanges(before: Snapshot, after: Snapshot): readonly SheetLayoutChange[] {
  return before.sheets.flatMap((sheet): readonly SheetLayoutChange[] => {
    const now = after.sheetById(sheet.id);
    const change = now === undefined || now === sheet ? null : compareLayouts(sheet, now);
    return change === null ? [] : [{ sheet: sheet.id, change }];
  });
}

/**
 * Returns the spills of array formulas whose area became fixed or stopped being fixed, as they were before the change.
 */
function findChangedSpills(
  before: Snapshot,
  after: Snapshot,
): readonly { readonly sheet: number; readonly spill: Spill }[] {
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

/** Writes the whole content of a deleted sheet as a checkpoint of a document with only this sheet. */
function writeContent(before: Snapshot, sheet: Sheet, out: ByteWriter): void {
  const { revision, settings, formats, nextSheetId, hasClock } = before;
  const around = { revision, settings, formats, nextSheetId, hasClock, carried: {} };
  const fields = { ...around, names: [], tables: [], sheets: [sheet] };
  const { meta, chunks } = encodeCheckpoint(new Snapshot(fields), -1);
  out.writeVarint(meta.length);
  out.writeBytes(meta);
  out.writeVarint(chunks.length);
  for (const { column, block, bytes } of chunks) {
    out.writeVarint(column);
    out.writeVarint(block);
    out.writeVarint(bytes.length);
    out.writeBytes(bytes);
  }
}
