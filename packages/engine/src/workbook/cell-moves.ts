import { ChangeLog } from '../calc/change-log.ts';
import { type CellKey, createCellKey, type HiddenReads, parseCellKey } from '../calc/hidden-reads.ts';
import { moveReferences, NAME_PLACE } from '../formula/index.ts';
import { type Area, area, intersection, WHOLE_SHEET } from '../grid/area.ts';
import { CellOrigins } from '../grid/cell-origins.ts';
import {
  type Block,
  getMovePieces,
  keepsAreaWhole,
  listMoveSheets,
  type Move,
  moveBlocks,
  moveCell,
} from '../grid/move.ts';
import { EMPTY } from '../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_SHIFT } from '../sheet/chunk.ts';
import { type MovedTable, moveTable, type NewHeader } from '../sheet/moves/move-tables.ts';
import { type ChunkSource, iterateRowSpans, MovedChunks } from '../sheet/moves/moved-chunks.ts';
import type { Sheet } from '../sheet/snapshot.ts';
import type { BatchState } from './batch-state.ts';
import { moveFormulas } from './formulas/move-formulas.ts';
import { MovedTemplates } from './formulas/moved-templates.ts';
import { mapNodes } from './structure.ts';

/** The moves of cells in one batch. Updates everything that refers to the moved cells. */
export class CellMoves {
  /** Formula cells that no longer read the same cells and must be calculated again. */
  readonly stale = new ChangeLog();
  /** Cells and formulas that the reverse moves do not restore, by their positions before the batch. */
  readonly lost = new ChangeLog();
  /** Header cells of tables that were overwritten by other cells. */
  readonly headers = new ChangeLog();
  /**
   * True if a move separated cells of a table. A formula that names columns of the table may then read other cells,
   * wherever the formula is.
   */
  hasTornTables = false;
  private readonly batch: BatchState;
  /** Logs of the batch that record cells by position. Their positions must follow moves. */
  private readonly logs: readonly ChangeLog[];
  private readonly templates = new MovedTemplates();
  /** Finds the positions that cells had before the batch. */
  private readonly places: CellOrigins;

  constructor(batch: BatchState, logs: readonly ChangeLog[]) {
    this.batch = batch;
    this.logs = [...logs, this.stale, this.headers];
    this.places = new CellOrigins((sheet) => batch.draft.sheet(sheet)?.columns.length ?? 0);
  }

  /** True if filled cells would leave the grid. */
  losesCells(move: Move): boolean {
    return (
      move.kind === 'insert' &&
      getMovePieces(move).lost.some(({ sheet, area }) => isFilled(this.batch.draft.sheet(sheet), area))
    );
  }

  /** Moves cells. Returns the headers for new columns of tables. The runs of columns must be up to date. */
  moveCells(move: Move): readonly NewHeader[] {
    const { draft, formulas, meter, dirtyTasks } = this.batch;
    const waiting = this.clearTornSpills(move);
    const moved = moveFormulas(draft, formulas, this.templates, move, meter);
    const { columns, stale, lost } = moved;
    for (const run of lost)
      this.recordLost({ sheet: run.sheet, area: area(run.top, run.column, run.bottom, run.column) });
    for (const block of getMovePieces(move).lost) this.recordLost(block);
    this.places.applyMove(move);
    draft.moveCells(move);
    for (const { sheet, column, runs } of columns) draft.setRuns(sheet, column, runs);
    draft.names = mapNodes(draft.names, (node) => moveReferences(node, move, NAME_PLACE, NAME_PLACE));
    const tables = this.moveTables(move);
    formulas.moveRuns(moved, draft);
    const places = (sheet: number, changed: Area) => moveBlocks(move, { sheet, area: changed });
    for (const log of this.logs) log.replaceAreas(places);
    dirtyTasks.replaceAreas(places);
    for (const { sheet, column, top, bottom } of stale) this.stale.addRows(sheet, column, top, bottom);
    for (const { sheet, row, column } of waiting) {
      const to = moveCell(move, sheet, row, column);
      if (to) this.stale.add(to.sheet, to.row, to.column);
    }
    const headers = tables.flatMap(({ headers }) => headers);
    const isEmpty = ({ sheet, row, column }: NewHeader) => draft.sheet(sheet)?.kind(row, column) === EMPTY;
    // If a column with a header moves into a table, it keeps its header.
    const others = [...tables.flatMap((table) => table.others), ...headers.filter((header) => !isEmpty(header))];
    for (const { sheet, row, column } of others) this.headers.add(sheet, row, column);
    return headers.filter(isEmpty);
  }

  /** Records that the cells that were moved to a sheet are deleted with it. */
  recordLostSheet(sheet: number): void {
    this.recordLost({ sheet, area: WHOLE_SHEET });
  }

  /**
   * Records cells that the reverse moves do not restore, by their positions before the batch. Omits areas that are
   * known to be empty.
   */
  recordLost({ sheet, area: lost }: Block): void {
    const { draft, meter } = this.batch;
    const columns = draft.sheet(sheet)?.columns ?? [];
    for (let column = lost.left; column <= Math.min(lost.right, columns.length - 1); column++) {
      for (const part of findFilledParts(columns[column]?.source, { ...lost, left: column, right: column })) {
        const places = this.places.findOrigins({ sheet, area: part });
        meter.reportWork(1 + places.length);
        for (const place of places) this.lost.addArea(place.sheet, place.area);
      }
    }
  }

  /**
   * Clears array formulas whose areas do not move as a whole, so that they spill again at their new position. Returns
   * their anchors.
   */
  private clearTornSpills(move: Move) {
    const { draft, meter } = this.batch;
    const anchors: { sheet: number; row: number; column: number }[] = [];
    for (const id of listMoveSheets(move)) {
      const sheet = draft.requireSheet(id);
      for (const spill of [...sheet.spills.values()]) {
        const { top: row, left: column } = spill.area;
        meter.reportWork(1);
        if (!spill.blocked && keepsAreaWhole(move, { sheet: id, area: spill.area })) continue;
        this.batch.recalculation.dissolveSpill(draft.ensureOwnSheet(id), spill);
        draft.spills.delete(id, row, column);
        anchors.push({ sheet: id, row, column });
      }
    }
    return anchors;
  }

  /** Moves tables. Returns every table that still exists, or none if the move does not touch a sheet with a table. */
  private moveTables(move: Move): readonly MovedTable[] {
    const { draft } = this.batch;
    const touched = listMoveSheets(move);
    if (!draft.tables.some(({ sheet }) => touched.has(sheet))) return [];
    this.hasTornTables ||= draft.tables.some((table) => touched.has(table.sheet) && !keepsAreaWhole(move, table));
    const moved = draft.tables.flatMap((table) => moveTable(table, move) ?? []);
    const areSame = moved.length === draft.tables.length && moved.every(({ table }, i) => table === draft.tables[i]);
    if (!areSame) draft.tables = moved.map(({ table }) => table);
    return moved;
  }
}

/** Returns the keys of cells at their positions after a move. Omits deleted cells. */
export function moveKeys(keys: Iterable<CellKey>, move: Move): readonly CellKey[] {
  return Array.from(keys).flatMap((key) => {
    const { sheet, row, column } = parseCellKey(key);
    const to = moveCell(move, sheet, row, column);
    return to ? [createCellKey(to.sheet, to.row, to.column)] : [];
  });
}

/** Returns the hidden reads of formulas at their positions after moves. */
export function moveHiddenReads(reach: HiddenReads, moves: readonly Move[]): HiddenReads {
  let moved = reach;
  for (const move of moves) moved = moved.copyWithMoves(({ sheet, row, column }) => moveCell(move, sheet, row, column));
  return moved;
}

/** Returns the parts of an area of one column that may have content, in order. */
export function findFilledParts(source: ChunkSource | undefined, lost: Area): readonly Area[] {
  if (source === undefined) return [];
  const spans =
    source instanceof MovedChunks
      ? source.chunkRowSpans(lost.top, lost.bottom + 1)
      : iterateRowSpans(source, lost.top, lost.bottom + 1);
  return Array.from(spans, ({ first, last }) => intersection(lost, area(first, lost.left, last, lost.right))).filter(
    (part) => part !== null,
  );
}

/** True if a cell of the area is not empty. */
function isFilled(sheet: Sheet | undefined, bounds: Area): boolean {
  const { rows = 0, columns = 0 } = sheet?.extent() ?? {};
  const filled = rows > 0 ? intersection(bounds, area(0, 0, rows - 1, columns - 1)) : null;
  if (!sheet || !filled) return false;
  for (let column = filled.left; column <= filled.right; column++) {
    for (let row = filled.top; row <= filled.bottom; row++) {
      if (!sheet.chunk(column, row >> CHUNK_SHIFT)) row |= CHUNK_MASK;
      else if (sheet.kind(row, column) !== EMPTY) return true;
    }
  }
  return false;
}
