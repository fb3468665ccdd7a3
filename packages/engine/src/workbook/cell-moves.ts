import type { Meter } from '../calc/budget.ts';
import { ChangeLog } from '../calc/change-log.ts';
import { type CellKey, cellKey, cellOf, type Reach } from '../calc/reach.ts';
import type { Recalculation } from '../calc/recalculation.ts';
import { moveReferences } from '../formula/index.ts';
import { type Area, intersection } from '../grid/area.ts';
import { type Move, movedBlocks, movedCell, piecesOf, sheetsOf, staysWhole } from '../grid/move.ts';
import { CHUNK_SHIFT, EMPTY } from '../sheet/chunk.ts';
import type { Draft } from '../sheet/draft.ts';
import type { Sheet } from '../sheet/snapshot.ts';
import type { FormulaGraph } from './formula-graph.ts';
import { moveFormulas } from './move-formulas.ts';
import { movedTable, type NewHeader } from './move-tables.ts';
import { withNodes } from './structure.ts';

/** Where the formula of a defined name stands. */
const NAME = { sheet: -1, row: 0, column: 0 };

/** Cells of one batch that change places, with all that refers to them. */
export class CellMoves {
  /** Formulas that do not read the same cells any more. */
  readonly stale = new ChangeLog();
  private readonly draft: Draft;
  private readonly formulas: FormulaGraph;
  private readonly recalculation: Recalculation;
  private readonly meter: Meter;
  /** What the batch has noted of cells by their places. */
  private readonly logs: readonly ChangeLog[];

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
    const { columns, removed, added, stale } = moveFormulas(draft, formulas, move, meter);
    draft.move(move);
    for (const { sheet, column, runs } of columns) draft.setRuns(sheet, column, runs);
    draft.names = withNodes(draft.names, (node) => moveReferences(node, move, NAME, NAME));
    const headers = this.moveTables(move);
    formulas.move(removed, added, draft);
    const places = (sheet: number, area: Area) => movedBlocks(move, { sheet, area });
    for (const log of this.logs) log.replace(places);
    this.recalculation.replace(places);
    for (const { sheet, column, top, bottom } of stale) this.stale.addRows(sheet, column, top, bottom);
    for (const { sheet, row, column } of waiting) {
      const to = movedCell(move, sheet, row, column);
      if (to) this.stale.add(to.sheet, to.row, to.column);
    }
    return headers;
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

function isFilled(sheet: Sheet | undefined, wanted: Area): boolean {
  const { rows = 0, columns = 0 } = sheet?.extent() ?? {};
  const area = rows > 0 ? intersection(wanted, { top: 0, left: 0, bottom: rows - 1, right: columns - 1 }) : null;
  if (!sheet || !area) return false;
  for (let column = area.left; column <= area.right; column++) {
    for (let row = area.top; row <= area.bottom; row++) {
      if (!sheet.chunk(column, row >> CHUNK_SHIFT)) row |= (1 << CHUNK_SHIFT) - 1;
      else if (sheet.kind(row, column) !== EMPTY) return true;
    }
  }
  return false;
}
