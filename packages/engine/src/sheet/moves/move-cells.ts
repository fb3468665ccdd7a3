import { MAX_ROWS } from '../../grid/limits.ts';
import { keepsAreaWhole, listMoveSheets, type Move, moveBlocks, moveCell, offsetArea } from '../../grid/move.ts';
import { type ColumnPart, listColumnParts, moveColumns } from '../../grid/move-columns.ts';
import type { RopePart } from '../../grid/rope.ts';
import { runToEnd } from '../../grid/steps.ts';
import { ChunkTable } from '../chunk-table.ts';
import { GENERAL } from '../formats.ts';
import type { Layout } from '../layout.ts';
import { Column, createAnchorKey, Sheet, Snapshot, type Spill } from '../snapshot.ts';
import type { RunList } from '../template.ts';
import { type FindSheet, moveLayout, moveLayoutReferences, moveSheetAttachments } from './move-layout.ts';
import { type ChunkSource, MovedChunks } from './moved-chunks.ts';
import { isWithoutRuns, moveRuns } from './moved-runs.ts';

type SheetColumnPart = ColumnPart<Column>;

/**
 * Returns a state with its cells moved: values, formats, spills, hidden rows, and unchanged formulas. The caller must
 * update references in formulas, names and tables. Moved cells count as changed in `revision`.
 */
export function moveCells(before: Snapshot, move: Move, revision: number): Snapshot {
  return runToEnd(moveCellsInSteps(before, move, revision));
}

/** Moves cells as `moveCells` does. Pauses regularly, because there may be many attachments. */
export function* moveCellsInSteps(before: Snapshot, move: Move, revision: number): Generator<void, Snapshot> {
  const touched = listMoveSheets(move);
  const sheetOf: FindSheet = (id) => before.sheetById(id);
  const sheets: Sheet[] = [];
  for (const sheet of before.sheets) {
    const attachments = yield* moveSheetAttachments(sheet, move, sheetOf);
    const layout = touched.has(sheet.id)
      ? moveLayout(sheet, move, sheetOf, attachments)
      : moveLayoutReferences(sheet, move, attachments);
    if (touched.has(sheet.id)) sheets.push(yield* moveSheet(sheet, move, sheetOf, layout, revision));
    else sheets.push(layout === sheet.layout ? sheet : new Sheet(getUnownedRevision(revision), { ...sheet, layout }));
  }
  return new Snapshot({ ...before, sheets });
}

function* moveSheet(
  sheet: Sheet,
  move: Move,
  sheetOf: FindSheet,
  layout: Layout,
  revision: number,
): Generator<void, Sheet> {
  const make = (parts: readonly SheetColumnPart[], index: number) => makeColumn(parts, sheet, index, move, revision);
  const columns = yield* moveColumns(sheet, move, sheetOf, { isBlank: isBlankColumn, make });
  const spills = moveSpills(sheet, move, sheetOf);
  const hiddenRows = moveHiddenRows(sheet, move);
  return new Sheet(getUnownedRevision(revision), { ...sheet, columns, spills, hiddenRows, layout });
}

/** Returns a revision that no draft has, so that a draft copies moved sheets and columns before it changes them. */
function getUnownedRevision(revision: number): number {
  return revision - 1;
}

/**
 * Returns the content of a draft's sheet after a move. `sharedStates`: the base snapshot before and after the same
 * move; the result shares its chunks.
 */
export function moveDraftSheet(
  sheet: Sheet,
  move: Move,
  findSheet: FindSheet,
  revision: number,
  sharedStates: { readonly before: Snapshot; readonly after: Snapshot },
): Pick<Sheet, 'columns' | 'spills' | 'hiddenRows' | 'layout'> {
  const beforeOf: FindSheet = (id) => sharedStates.before.sheetById(id);
  const was = beforeOf(sheet.id);
  const is = sharedStates.after.sheetById(sheet.id);
  const make = (parts: readonly SheetColumnPart[], index: number): Column | undefined => {
    const runs = sheet.columns[index]?.runList ?? [];
    const same = is?.columns[index];
    const others = was && listColumnParts(was, index, move, beforeOf);
    if (others && areSameParts(parts, others)) return same?.copy(getUnownedRevision(revision), runs);
    const source = same?.source instanceof MovedChunks ? same.source : null;
    const chunks = buildPartChunks(parts, sheet, index, move, revision, source);
    return new Column(getUnownedRevision(revision), chunks, runs, choosePartFormat(parts, sheet, index, move));
  };
  const columns = runToEnd(moveColumns(sheet, move, findSheet, { isBlank: isBlankColumn, make }));
  const isLike = [...listMoveSheets(move)].every((id) => findSheet(id)?.spills === beforeOf(id)?.spills);
  const spills = isLike && is ? is.spills : moveSpills(sheet, move, findSheet);
  const isHiddenLike = is !== undefined && was?.hiddenRows === sheet.hiddenRows;
  const hiddenRows = isHiddenLike ? is.hiddenRows : moveHiddenRows(sheet, move);
  const isLaidOutLike = [...listMoveSheets(move)].every((id) => findSheet(id)?.layout === beforeOf(id)?.layout);
  const layout = isLaidOutLike && is ? is.layout : moveLayout(sheet, move, findSheet);
  return { columns, spills, hiddenRows, layout };
}

function areSameParts(a: readonly SheetColumnPart[], b: readonly SheetColumnPart[]): boolean {
  return (
    a.length === b.length && a.every((part, i) => part.to === b[i]?.to && part.source.source === b[i]?.source.source)
  );
}

/** True if a column has no content and no format. Its block count may still record that cells moved out of it. */
function isBlankColumn(column: Column | undefined): boolean {
  if (column === undefined) return true;
  const { source, runList, format } = column;
  if (format !== GENERAL || !isWithoutRuns(runList)) return false;
  if (source instanceof MovedChunks) return source.isBlank;
  for (let block = 0; block < source.length; block++) if (!(source.at(block)?.isBlank(GENERAL) ?? true)) return false;
  return true;
}

/** Returns the number format of unwritten cells in a column. A column that moves as a whole keeps its format. */
function choosePartFormat(parts: readonly SheetColumnPart[], sheet: Sheet, index: number, move: Move): number {
  const [whole] = parts;
  if (whole?.count === MAX_ROWS) return whole.source.format;
  const isLine = 'axis' in move && move.axis === 'columns' && move.kind !== 'reorder' && move.across === undefined;
  return isLine && parts.length === 0 ? GENERAL : (sheet.columns[index]?.format ?? GENERAL);
}

/** Returns the chunks of a column that consists of these parts. */
function buildPartChunks(
  parts: readonly SheetColumnPart[],
  sheet: Sheet,
  index: number,
  move: Move,
  revision: number,
  sharedChunks: MovedChunks | null = null,
): MovedChunks {
  const rows = parts.map(
    (part): RopePart<ChunkSource> => ({
      source: part.source.source,
      from: part.from,
      to: part.to,
      count: part.count,
      stays: part.from === part.to && part.column === index && part.sheet === sheet.id,
    }),
  );
  const before = sheet.columns[index]?.source ?? ChunkTable.empty();
  const blocksBefore = before instanceof MovedChunks ? before.blocks : before.length;
  return new MovedChunks(
    rows,
    { revision, format: choosePartFormat(parts, sheet, index, move), blocksBefore },
    sharedChunks,
  );
}

function makeColumn(
  parts: readonly SheetColumnPart[],
  sheet: Sheet,
  index: number,
  move: Move,
  revision: number,
): Column | undefined {
  if (parts.length === 0 && sheet.columns[index] === undefined) return undefined;
  const chunks = buildPartChunks(parts, sheet, index, move, revision);
  return new Column(
    getUnownedRevision(revision),
    chunks,
    buildPartRuns(parts, sheet.id, index),
    choosePartFormat(parts, sheet, index, move),
  );
}

function buildPartRuns(parts: readonly SheetColumnPart[], sheet: number, column: number): RunList {
  const rows = parts.map(({ source, from, to, count }) => ({ source: source.runList, from, to, count }));
  return moveRuns(rows, sheet, column);
}

/** Moves spills. Array formulas keep an area that moves as a whole or does not move; other spills are dropped. */
function moveSpills(sheet: Sheet, move: Move, sheetOf: FindSheet): ReadonlyMap<number, Spill> {
  const spills = new Map<number, Spill>();
  for (const id of listMoveSheets(move)) {
    for (const spill of sheetOf(id)?.spills.values() ?? []) {
      if (!keepsAreaWhole(move, { sheet: id, area: spill.area })) continue;
      const moved = moveCell(move, id, spill.area.top, spill.area.left);
      if (moved?.sheet !== sheet.id) continue;
      const rows = moved.row - spill.area.top;
      const columns = moved.column - spill.area.left;
      const spillAfter =
        rows === 0 && columns === 0 && id === sheet.id
          ? spill
          : { ...spill, area: offsetArea(spill.area, rows, columns) };
      spills.set(createAnchorKey(moved.row, moved.column), spillAfter);
    }
  }
  return spills;
}

/** Returns the hidden rows after a move. Whole rows that move stay hidden. */
function moveHiddenRows(sheet: Sheet, move: Move): ReadonlySet<number> {
  if (move.kind === 'carry' || move.axis !== 'rows' || sheet.hiddenRows.size === 0) return sheet.hiddenRows;
  if ('across' in move && move.across) return sheet.hiddenRows;
  const rows = new Set<number>();
  for (const row of sheet.hiddenRows) {
    for (const { area } of moveBlocks(move, { sheet: sheet.id, area: { top: row, left: 0, bottom: row, right: 0 } })) {
      rows.add(area.top);
    }
  }
  return rows;
}

/**
 * Creates the missing chunks of columns that a draft changed, so that unchanged chunks are the same objects in both
 * states.
 */
export function makeChangedChunks(
  ownColumns: readonly (Column | undefined)[],
  movedColumns: readonly (Column | undefined)[],
): void {
  ownColumns.forEach((column, index) => {
    const other = movedColumns[index];
    if (!column || !other || column.source === other.source) return;
    column.makeAll();
    other.makeAll();
  });
}
