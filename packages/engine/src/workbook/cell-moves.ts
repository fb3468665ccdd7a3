import type { Meter } from '../calc/budget.ts';
import { ChangeLog } from '../calc/change-log.ts';
import { type CellKey, cellKey, cellOf, type Reach } from '../calc/reach.ts';
import type { Recalculation } from '../calc/recalculation.ts';
import { moveReferences, NAME_PLACE } from '../formula/index.ts';
import { type Area, area, intersection, WHOLE_SHEET } from '../grid/area.ts';
import {
  type Block,
  type Move,
  movedBlocks,
  movedCell,
  piecesOf,
  reversed,
  sheetsOf,
  staysWhole,
} from '../grid/move.ts';
import { CHUNK_MASK, CHUNK_SHIFT, EMPTY } from '../sheet/chunk.ts';
import type { Draft } from '../sheet/draft.ts';
import { movedTable, type NewHeader } from '../sheet/move-tables.ts';
import { type ChunkSource, heldRows, MovedChunks } from '../sheet/moved-chunks.ts';
import type { Sheet } from '../sheet/snapshot.ts';
import type { FormulaGraph } from './formula-graph.ts';
import { moveFormulas } from './move-formulas.ts';
import { withNodes } from './structure.ts';

/** Cells of one batch that change places, with all that refers to them. */
export class CellMoves {
  /** Formulas that do not read the same cells any more. */
  readonly stale = new ChangeLog();
  /** Cells that moving back does not bring back as they were: lost ones, formulas. Where they were before the batch. */
  readonly lost = new ChangeLog();
  private readonly draft: Draft;
  private readonly formulas: FormulaGraph;
  private readonly recalculation: Recalculation;
  private readonly meter: Meter;
  /** What the batch has noted of cells by their places. */
  private readonly logs: readonly ChangeLog[];
  /** The way back from here to before the batch. */
  private readonly back: Move[] = [];

  constructor(
    draft: Draft,
    formulas: FormulaGraph,
    recalculation: Recalculation,
    meter: Meter,
    logs: readonly ChangeLog[],
  ) {
    this.draft = draft;
    this.formulas = formulas;
    this.recalculation = recalculation;
    this.meter = meter;
    this.logs = [...logs, this.stale];
  }

  /** Whether filled cells would be pushed off the grid. */
  losesCells(move: Move): boolean {
    return (
      move.kind === 'insert' && piecesOf(move).gone.some(({ sheet, area }) => isFilled(this.draft.sheet(sheet), area))
    );
  }

  /** Moves cells; gives the headers that new columns of tables are to get. The columns' runs must be up to date. */
  perform(move: Move): readonly NewHeader[] {
    const { draft, formulas, meter } = this;
    const waiting = this.loosenSpills(move);
    const moved = moveFormulas(draft, formulas, move, meter);
    const { columns, stale, lost } = moved;
    for (const run of lost) this.lose({ sheet: run.sheet, area: area(run.top, run.column, run.bottom, run.column) });
    for (const block of piecesOf(move).gone) this.lose(block);
    draft.move(move);
    this.back.unshift(reversed(move));
    for (const { sheet, column, runs } of columns) draft.setRuns(sheet, column, runs);
    draft.names = withNodes(draft.names, (node) => moveReferences(node, move, NAME_PLACE, NAME_PLACE));
    const headers = this.moveTables(move);
    formulas.move(moved, draft);
    const places = (sheet: number, changed: Area) => movedBlocks(move, { sheet, area: changed });
    for (const log of this.logs) log.replace(places);
    this.recalculation.replace(places);
    for (const { sheet, column, top, bottom } of stale) this.stale.addRows(sheet, column, top, bottom);
    for (const { sheet, row, column } of waiting) {
      const to = movedCell(move, sheet, row, column);
      if (to) this.stale.add(to.sheet, to.row, to.column);
    }
    return headers;
  }

  /** A sheet goes with all that came there. */
  leaveSheet(sheet: number): void {
    this.lose({ sheet, area: WHOLE_SHEET });
  }

  /** Notes cells by where they were before the moves so far, as far as there may be anything in them. */
  private lose({ sheet, area: lost }: Block): void {
    const columns = this.draft.sheet(sheet)?.columns ?? [];
    // Columns that hold the same rows go the way back as one: with many moves it is long.
    let beside: readonly Area[] = [];
    for (let column = lost.left; column <= Math.min(lost.right, columns.length - 1); column++) {
      const held = heldWithin(columns[column]?.source, { ...lost, left: column, right: column });
      const isLike = held.length === beside.length && held.every((one, i) => haveSameRows(one, beside[i]));
      if (!isLike) this.loseAreas(sheet, beside);
      beside = isLike ? beside.map((one) => ({ ...one, right: column })) : held;
    }
    this.loseAreas(sheet, beside);
  }

  private loseAreas(sheet: number, areas: readonly Area[]): void {
    for (const one of areas) {
      this.meter.pass(1 + this.back.length);
      let blocks: readonly Block[] = [{ sheet, area: one }];
      for (const move of this.back) blocks = blocks.flatMap((block) => movedBlocks(move, block));
      for (const block of blocks) {
        const { top, left, bottom, right } = block.area;
        for (let column = left; column <= right; column++) this.lost.addRows(block.sheet, column, top, bottom);
      }
    }
  }

  /** Array formulas whose areas do not move or stay as they are give them up and fill them anew. Gives their anchors. */
  private loosenSpills(move: Move) {
    const anchors: { sheet: number; row: number; column: number }[] = [];
    for (const id of sheetsOf(move)) {
      const sheet = this.draft.sheet(id) as Sheet;
      for (const spill of [...sheet.spills.values()]) {
        const { top: row, left: column } = spill.area;
        this.meter.pass(1);
        if (!spill.blocked && staysWhole(move, { sheet: id, area: spill.area })) continue;
        this.recalculation.dissolve(this.draft.ownSheet(id), spill);
        this.draft.deleteSpill(id, row, column);
        anchors.push({ sheet: id, row, column });
      }
    }
    return anchors;
  }

  private moveTables(move: Move): readonly NewHeader[] {
    const { draft } = this;
    const touched = sheetsOf(move);
    if (!draft.tables.some(({ sheet }) => touched.has(sheet))) return [];
    const moved = draft.tables.map((table) => movedTable(table, move));
    const tables = moved.flatMap((held) => (held ? [held.table] : []));
    const areSame = tables.length === draft.tables.length && tables.every((table, i) => table === draft.tables[i]);
    if (!areSame) draft.tables = tables;
    return moved.flatMap((held) => held?.headers ?? []);
  }
}

/** The same cells in the places that they have after moves; lost ones are left out. */
export function movedKeys(keys: Iterable<CellKey>, move: Move): readonly CellKey[] {
  return Array.from(keys).flatMap((key) => {
    const { sheet, row, column } = cellOf(key);
    const to = movedCell(move, sheet, row, column);
    return to ? [cellKey(to.sheet, to.row, to.column)] : [];
  });
}

/** What formulas reached, by the places that they have after moves. */
export function movedReach(reach: Reach, moves: readonly Move[]): Reach {
  let moved = reach;
  for (const move of moves) moved = moved.moved(({ sheet, row, column }) => movedCell(move, sheet, row, column));
  return moved;
}

/** The parts of an area of one column in which there may be something, in order. */
function heldWithin(source: ChunkSource | undefined, lost: Area): readonly Area[] {
  if (source === undefined) return [];
  const held = source instanceof MovedChunks
      ? source.heldRows(lost.top, lost.bottom + 1)
      : heldRows(source, lost.top, lost.bottom + 1);
  return Array.from(held, ({ first, last }) => intersection(lost, area(first, lost.left, last, lost.right))).filter(
    (part) => part !== null,
  );
}

function haveSameRows(a: Area, b: Area | undefined): boolean {
  return a.top === b?.top && a.bottom === b.bottom;
}

function isFilled(sheet: Sheet | undefined, wanted: Area): boolean {
  const { rows = 0, columns = 0 } = sheet?.extent() ?? {};
  const held = rows > 0 ? intersection(wanted, area(0, 0, rows - 1, columns - 1)) : null;
  if (!sheet || !held) return false;
  for (let column = held.left; column <= held.right; column++) {
    for (let row = held.top; row <= held.bottom; row++) {
      if (!sheet.chunk(column, row >> CHUNK_SHIFT)) row |= CHUNK_MASK;
      else if (sheet.kind(row, column) !== EMPTY) return true;
    }
  }
  return false;
}
