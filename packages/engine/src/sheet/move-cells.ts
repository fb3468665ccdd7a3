import { type Area, contains } from '../grid/area.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';
import {
  displaced,
  type Move,
  movedBlocks,
  movedCell,
  piecesOf,
  sheetsOf,
  staysWhole,
  targetOf,
} from '../grid/move.ts';
import type { Stretch } from '../grid/rope.ts';
import { GENERAL } from './formats.ts';
import { followingLayout, movedLayout } from './move-layout.ts';
import { type ChunkSource, MovedChunks } from './moved-chunks.ts';
import { areNoRuns, movedRuns } from './moved-runs.ts';
import { anchorKey, Column, Sheet, Snapshot, type Spill } from './snapshot.ts';
import type { RunList } from './template.ts';

/** Rows of a column that come from a column of an earlier state. */
interface ColumnPart {
  readonly source: Column;
  readonly sheet: number;
  readonly column: number;
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

type SheetOf = (id: number) => Sheet | undefined;

/**
 * A state with cells in other places: values, formats, spills and hidden rows go with them, formulas too, as they are.
 * What references in formulas, names and tables become is for the writer to say. Cells that moved count as changed in
 * `revision`.
 */
export function moveCells(before: Snapshot, move: Move, revision: number): Snapshot {
  const touched = sheetsOf(move);
  const sheetOf: SheetOf = (id) => before.sheetById(id);
  const sheets = before.sheets.map((sheet) =>
    touched.has(sheet.id) ? movedSheet(sheet, move, sheetOf, revision) : followingSheet(sheet, move, revision),
  );
  return new Snapshot({ ...before, sheets });
}

/** A sheet whose cells stay where they are. */
function followingSheet(sheet: Sheet, move: Move, revision: number): Sheet {
  const layout = followingLayout(sheet, move);
  return layout === sheet.layout ? sheet : new Sheet(nobodys(revision), { ...sheet, layout });
}

function movedSheet(sheet: Sheet, move: Move, sheetOf: SheetOf, revision: number): Sheet {
  const columns = movedColumns(sheet, move, sheetOf, (parts, index) => columnOf(parts, sheet, index, move, revision));
  const fields = {
    ...sheet,
    columns,
    spills: movedSpills(sheet, move, sheetOf),
    hiddenRows: movedHiddenRows(sheet, move),
    layout: movedLayout(sheet, move, sheetOf),
  };
  return new Sheet(nobodys(revision), fields);
}

/** Moved sheets and columns are nobody's own: a draft of the revision copies them before it changes them. */
function nobodys(revision: number): number {
  return revision - 1;
}

/** What a draft's sheet holds after a move. `like`: the snapshot whose chunks it shares, before and after the same. */
export function moveDraft(
  sheet: Sheet,
  move: Move,
  sheetOf: SheetOf,
  revision: number,
  like: { readonly before: Snapshot; readonly after: Snapshot },
): Pick<Sheet, 'columns' | 'spills' | 'hiddenRows' | 'layout'> {
  const beforeOf: SheetOf = (id) => like.before.sheetById(id);
  const was = beforeOf(sheet.id);
  const is = like.after.sheetById(sheet.id);
  const columns = movedColumns(sheet, move, sheetOf, (parts, index) => {
    const runs = sheet.columns[index]?.runList ?? [];
    const same = is?.columns[index];
    const others = was && partsOf(was, index, move, beforeOf);
    if (others && areSame(parts, others)) return same?.copy(nobodys(revision), runs);
    const source = same?.source instanceof MovedChunks ? same.source : null;
    const chunks = chunksOf(parts, sheet, index, move, revision, source);
    return new Column(nobodys(revision), chunks, runs, formatOf(parts, sheet, index, move));
  });
  const isLike = [...sheetsOf(move)].every((id) => sheetOf(id)?.spills === beforeOf(id)?.spills);
  const spills = isLike && is ? is.spills : movedSpills(sheet, move, sheetOf);
  const hiddenRows = is?.hiddenRows ?? movedHiddenRows(sheet, move);
  const isLaidOutLike = [...sheetsOf(move)].every((id) => sheetOf(id)?.layout === beforeOf(id)?.layout);
  const layout = isLaidOutLike && is ? is.layout : movedLayout(sheet, move, sheetOf);
  return { columns, spills, hiddenRows, layout };
}

function areSame(a: readonly ColumnPart[], b: readonly ColumnPart[]): boolean {
  return (
    a.length === b.length && a.every((part, i) => part.to === b[i]?.to && part.source.source === b[i]?.source.source)
  );
}

/** A sheet's columns after a move, made from the parts that they consist of; those that stay whole are the same. */
function movedColumns(
  sheet: Sheet,
  move: Move,
  sheetOf: SheetOf,
  make: (parts: readonly ColumnPart[], index: number) => Column | undefined,
): (Column | undefined)[] {
  const columns: (Column | undefined)[] = [];
  const width = Math.min(MAX_COLUMNS, widthAfter(sheet, move, sheetOf));
  for (let index = 0; index < width; index++) {
    const own = sheet.columns[index];
    // A sheet may be wide, or a thousand columns inserted: those that hold nothing, and get nothing, are not made anew.
    if (isBlank(own) && columnsComing(sheet, index, move, sheetOf).every(isBlank)) {
      columns.push(own);
      continue;
    }
    const parts = partsOf(sheet, index, move, sheetOf);
    columns.push(parts === null ? own : make(parts, index));
  }
  while (columns.length > 0 && columns[columns.length - 1] === undefined) columns.pop();
  return columns;
}

/** It holds nothing, and has no format of its own; it may still tell that cells have gone from it. */
function isBlank(column: Column | undefined): boolean {
  if (column === undefined) return true;
  const { source, runList, format } = column;
  if (format !== GENERAL || !areNoRuns(runList)) return false;
  if (source instanceof MovedChunks) return source.isBlank;
  return source.every((chunk) => chunk?.isNothing(GENERAL) ?? true);
}

/** The other columns that some cells of a column come from. */
function columnsComing(sheet: Sheet, index: number, move: Move, sheetOf: SheetOf): readonly (Column | undefined)[] {
  return piecesOf(move).pieces.flatMap(({ sheet: from, area, toSheet, columns }) => {
    if (toSheet !== sheet.id || !contains(area, area.top, index - columns)) return [];
    return from === toSheet && columns === 0 ? [] : [sheetOf(from)?.columns[index - columns]];
  });
}

function widthAfter(sheet: Sheet, move: Move, sheetOf: SheetOf): number {
  let width = sheet.columns.length;
  for (const { sheet: id, area, toSheet, columns } of piecesOf(move).pieces) {
    if (toSheet !== sheet.id) continue;
    const right = Math.min(area.right, (sheetOf(id)?.columns.length ?? 0) - 1);
    width = Math.max(width, right + columns + 1);
  }
  return width;
}

/** What a column consists of after a move, by row; null where nothing of it moves. */
function partsOf(sheet: Sheet, index: number, move: Move, sheetOf: SheetOf): readonly ColumnPart[] | null {
  const { pieces, gone } = piecesOf(move);
  const column = (area: Area) => contains(area, area.top, index);
  const taken: Area[] = [];
  for (const block of [...pieces, ...gone, ...pieces.map(targetOf)]) {
    if (block.sheet === sheet.id && column(block.area)) taken.push(block.area);
  }
  if (taken.length === 0) return null;
  const parts: ColumnPart[] = [];
  const own = sheet.columns[index];
  if (own) {
    for (const { first, last } of rowsWithout(taken)) {
      parts.push({ source: own, sheet: sheet.id, column: index, from: first, to: first, count: last - first + 1 });
    }
  }
  for (const piece of pieces) {
    const { area, rows, columns } = piece;
    if (piece.toSheet !== sheet.id || !column(displaced(area, 0, columns))) continue;
    const source = sheetOf(piece.sheet)?.columns[index - columns];
    const count = area.bottom - area.top + 1;
    if (source)
      parts.push({ source, sheet: piece.sheet, column: index - columns, from: area.top, to: area.top + rows, count });
  }
  return parts.sort((a, b) => a.to - b.to);
}

/** Rows of the grid that none of the areas holds. */
function rowsWithout(areas: readonly Area[]): { readonly first: number; readonly last: number }[] {
  const rest: { first: number; last: number }[] = [];
  let next = 0;
  for (const { top, bottom } of [...areas].sort((a, b) => a.top - b.top)) {
    if (top > next) rest.push({ first: next, last: top - 1 });
    next = Math.max(next, bottom + 1);
  }
  if (next < MAX_ROWS) rest.push({ first: next, last: MAX_ROWS - 1 });
  return rest;
}

/** The number format of a column's cells never written: a column that moves whole takes its own along. */
function formatOf(parts: readonly ColumnPart[], sheet: Sheet, index: number, move: Move): number {
  const [whole] = parts;
  if (whole?.count === MAX_ROWS) return whole.source.format;
  const isLine = 'axis' in move && move.axis === 'columns' && move.kind !== 'reorder' && move.across === undefined;
  return isLine && parts.length === 0 ? GENERAL : (sheet.columns[index]?.format ?? GENERAL);
}

/** The chunks of a column of such parts. */
function chunksOf(
  parts: readonly ColumnPart[],
  sheet: Sheet,
  index: number,
  move: Move,
  revision: number,
  like: MovedChunks | null = null,
): MovedChunks {
  const rows = parts.map(
    (part): Stretch<ChunkSource> => ({
      source: part.source.source,
      from: part.from,
      to: part.to,
      count: part.count,
      stays: part.from === part.to && part.column === index && part.sheet === sheet.id,
    }),
  );
  const before = sheet.columns[index]?.source ?? [];
  const emptied = before instanceof MovedChunks ? before.blocks : before.length;
  return new MovedChunks(rows, { revision, format: formatOf(parts, sheet, index, move), emptied }, like);
}

function columnOf(
  parts: readonly ColumnPart[],
  sheet: Sheet,
  index: number,
  move: Move,
  revision: number,
): Column | undefined {
  if (parts.length === 0 && sheet.columns[index] === undefined) return undefined;
  const chunks = chunksOf(parts, sheet, index, move, revision);
  return new Column(nobodys(revision), chunks, runsOf(parts, sheet.id, index), formatOf(parts, sheet, index, move));
}

function runsOf(parts: readonly ColumnPart[], sheet: number, column: number): RunList {
  const rows = parts.map(({ source, from, to, count }) => ({ source: source.runList, from, to, count }));
  return movedRuns(rows, sheet, column);
}

/** Array formulas keep the areas that move or stay as they are; of others nothing is known any more. */
function movedSpills(sheet: Sheet, move: Move, sheetOf: SheetOf): ReadonlyMap<number, Spill> {
  const spills = new Map<number, Spill>();
  for (const id of sheetsOf(move)) {
    for (const spill of sheetOf(id)?.spills.values() ?? []) {
      if (!staysWhole(move, { sheet: id, area: spill.area })) continue;
      const moved = movedCell(move, id, spill.area.top, spill.area.left);
      if (moved?.sheet !== sheet.id) continue;
      const rows = moved.row - spill.area.top;
      const columns = moved.column - spill.area.left;
      const held =
        rows === 0 && columns === 0 && id === sheet.id
          ? spill
          : { ...spill, area: displaced(spill.area, rows, columns) };
      spills.set(anchorKey(moved.row, moved.column), held);
    }
  }
  return spills;
}

/** Whole rows that move stay hidden where they come to lie. */
function movedHiddenRows(sheet: Sheet, move: Move): ReadonlySet<number> {
  if (move.kind === 'carry' || move.axis !== 'rows' || sheet.hiddenRows.size === 0) return sheet.hiddenRows;
  if ('across' in move && move.across) return sheet.hiddenRows;
  const rows = new Set<number>();
  for (const row of sheet.hiddenRows) {
    for (const { area } of movedBlocks(move, { sheet: sheet.id, area: { top: row, left: 0, bottom: row, right: 0 } })) {
      rows.add(area.top);
    }
  }
  return rows;
}
