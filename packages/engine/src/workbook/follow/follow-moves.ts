import { ChangeLog } from '../../calc/change-log.ts';
import { type CellKey, createCellKey } from '../../calc/hidden-reads.ts';
import { isInputChanged, readInputKind } from '../../codec/inputs.ts';
import type { TableHeaderCell } from '../../codec/inverse.ts';
import { encodeInverse } from '../../codec/inverse-writer.ts';
import { type Area, area } from '../../grid/area.ts';
import { type Block, type Move, moveBlocks } from '../../grid/move.ts';
import { FORMULA } from '../../sheet/cell-kind.ts';
import type { Snapshot, Table } from '../../sheet/snapshot.ts';
import { findFilledParts } from '../cell-moves.ts';
import type { ApplyContext, Refusal } from '../types.ts';
import { Workbook } from '../workbook.ts';

/** Moves that bring the cells of two states, before and after a batch, to the same positions. */
export interface FollowedMoves {
  readonly before: readonly Move[];
  readonly after: readonly Move[];
  /** The cells that the batch wrote or deleted, by their positions in the state before. Null: compare all inputs. */
  readonly written: readonly Block[] | null;
}

/**
 * Encodes the inverse of a batch for a document in which cells moved later. It is the difference between the states
 * before and after the batch, with the cells of both moved to their current positions. The states share their format
 * table.
 */
export function followInverse(
  before: Snapshot,
  after: Snapshot,
  moves: FollowedMoves,
  context: ApplyContext,
): Uint8Array | Refusal {
  const old = moveState(before, moves.before, context);
  if ('kind' in old) return old;
  const now = moveState(after, moves.after, context);
  if ('kind' in now) return now;
  if (moves.written === null) return encodeInverse({ before: old, after: now });
  const written = new ChangeLog();
  for (const block of moves.written) {
    const places = moves.before.reduce<readonly Block[]>(
      (blocks, move) => blocks.flatMap((one) => moveBlocks(move, one)),
      [block],
    );
    for (const { sheet, area: changedArea } of places) {
      const parts = [...listFilledAreas(old, sheet, changedArea), ...listFilledAreas(now, sheet, changedArea)];
      for (const part of parts) written.addArea(sheet, part);
    }
  }
  const headers = findChangedHeaders(old, now, written);
  for (const { sheet, row, column } of headers) written.add(sheet, row, column);
  return encodeInverse({ before: old, after: now, written: written.listAreas(), headers, areFollowed: true });
}

/** Returns the parts of an area that may have content. */
function listFilledAreas(state: Snapshot, sheet: number, { top, left, bottom, right }: Area): readonly Area[] {
  const columns = state.sheetById(sheet)?.columns ?? [];
  const parts: Area[] = [];
  for (let column = left; column <= Math.min(right, columns.length - 1); column++) {
    parts.push(...findFilledParts(columns[column]?.source, area(top, column, bottom, column)));
  }
  return parts;
}

/**
 * Returns the generated headers of table columns that exist in only one state, with their values in the state after.
 */
function findChangedHeaders(before: Snapshot, after: Snapshot, writtenCells: ChangeLog): readonly TableHeaderCell[] {
  const headers = new Map<CellKey, TableHeaderCell>();
  for (const { sheet, area: tableArea } of findChangedTables(before, after)) {
    const [old, now] = [before.sheetById(sheet), after.sheetById(sheet)];
    const row = tableArea.top;
    for (let column = tableArea.left; old && now && column <= tableArea.right; column++) {
      const isFormula = readInputKind(old, row, column) === FORMULA && readInputKind(now, row, column) === FORMULA;
      if (isFormula || writtenCells.has(sheet, row, column) || !isInputChanged(old, now, row, column)) continue;
      headers.set(createCellKey(sheet, row, column), { sheet, row, column, value: now.value(row, column) });
    }
  }
  return [...headers.values()];
}

/** Returns the tables whose headers differ between two states. */
function findChangedTables(before: Snapshot, after: Snapshot): readonly Table[] {
  const [old, now] = [before, after].map(({ tables }) => new Map(tables.map((one) => [JSON.stringify(one), one])));
  const without = (tables?: ReadonlyMap<string, Table>, otherTables?: ReadonlyMap<string, Table>) =>
    [...(tables ?? [])].flatMap(([key, table]) => (table.headerRow && !otherTables?.has(key) ? [table] : []));
  return [...without(old, now), ...without(now, old)];
}

/** A state with the moves applied. Moves of sheets that the state does not have are ignored. */
function moveState(state: Snapshot, moves: readonly Move[], context: ApplyContext): Snapshot | Refusal {
  const workbook = Workbook.open(state);
  const existing = moves.filter(
    (move) => state.hasSheet(move.sheet) && (move.kind !== 'carry' || state.hasSheet(move.toSheet)),
  );
  const applied = workbook.apply(
    existing.map((move) => ({ kind: 'moveCells', move })),
    context,
  );
  return applied.kind === 'refusal' ? applied : workbook.head;
}
