import {
  type Area,
  type Axis,
  type Block,
  type CellView,
  type ChangeSet,
  cellView,
  createLinesArea,
  type FieldValue,
  findSheetByName,
  getGrammar,
  type LocaleId,
  type Move,
  moveBlocks,
  reverseMove,
  type Snapshot,
} from '@cellwire/engine';
import { MAX_PREVIEWED_MOVES } from '../limits/requests.ts';

/** What a person sees who decides about a batch, in addition to the values of cells. Plain data. */
export interface PreviewDetailsRequest {
  /** Whether to compute `Preview.redo`. */
  readonly hasRedo: boolean;
  /** Locale in whose grammar formulas are written; null: the API's grammar. */
  readonly formulaLocale: LocaleId | null;
}

/** A text before and after a batch; null: the cell has none. */
export interface TextChange {
  readonly before: string | null;
  readonly after: string | null;
}

/** How a sheet itself changes. Plain data. */
export interface SheetChange {
  readonly change: 'add' | 'rename' | 'delete' | 'hide' | 'show' | 'move' | 'color';
  /** Name after the batch; before it if the sheet is deleted. */
  readonly sheet: string;
  /** The previous name of a renamed sheet. */
  readonly before?: string;
  /** Position of an added or moved sheet after the batch, from 1. */
  readonly position?: number;
}

/** Rows, columns or cells that a batch inserts, deletes or moves. Plain data. */
export interface PreviewedMove {
  /** Position before the batch; null: inserted. */
  readonly from: PreviewedArea | null;
  /** Position after the batch; null: deleted. */
  readonly to: PreviewedArea | null;
}

export interface PreviewedArea {
  readonly sheet: number;
  readonly sheetName: string;
  readonly area: Area;
}

interface ChangedValue {
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
  readonly before: FieldValue;
  readonly after: FieldValue;
  /** The row and column are positions before the batch. */
  readonly isDeleted: boolean;
}

interface CellTexts {
  readonly shown?: TextChange;
  readonly formulas?: TextChange;
}

/** How the grid shows a changed cell, and its formula if that changes. */
export function describeCell(cell: ChangedValue, change: ChangeSet, locale: LocaleId | null): CellTexts {
  const { sheet, row, column, isDeleted } = cell;
  const grammar = getGrammar(locale);
  const view = (snapshot: Snapshot) => cellView(snapshot, sheet, row, column, grammar);
  const before = view(isDeleted ? change.before : change.moved);
  const after = isDeleted ? null : view(change.after);
  const shown = { before: before?.m ?? null, after: after?.m ?? null };
  const formulas = { before: before?.f ?? null, after: after?.f ?? null };
  const isShownAsIs = isPlainText(cell.before, shown.before) && isPlainText(cell.after, shown.after);
  return {
    ...(isShownAsIs ? {} : { shown }),
    ...(formulas.before === formulas.after ? {} : { formulas }),
  };
}

/** Whether the displayed text follows from the value alone: as JSON has it, `TRUE`, `FALSE` or an error code. */
function isPlainText(value: FieldValue, text: string | null): boolean {
  if (value === null || text === null) return value === text;
  if (typeof value === 'object') return value.error === text;
  return typeof value === 'boolean' ? text === String(value).toUpperCase() : text === String(value);
}

/** Sheets that a batch adds, renames, deletes, hides, shows, moves or colours, in document order. */
export function listSheetChanges({ before, after }: Pick<ChangeSet, 'before' | 'after'>): readonly SheetChange[] {
  const moved = findMovedSheets(before, after);
  const changes = after.sheets.flatMap(({ id, name: sheet, hidden, color }, index): readonly SheetChange[] => {
    const old = before.sheetById(id);
    const position = index + 1;
    if (old === undefined) return [{ change: 'add', sheet, position }];
    return [
      ...(old.name === sheet ? [] : [{ change: 'rename', sheet, before: old.name } as const]),
      ...(old.hidden === hidden ? [] : [{ change: hidden ? 'hide' : 'show', sheet } as const]),
      ...(moved.has(id) ? [{ change: 'move', sheet, position } as const] : []),
      ...(old.color === color ? [] : [{ change: 'color', sheet } as const]),
    ];
  });
  const deleted = before.sheets.filter(({ id }) => after.sheetById(id) === undefined);
  return [...changes, ...deleted.map(({ name: sheet }): SheetChange => ({ change: 'delete', sheet }))];
}

/** The fewest sheets whose moves explain the new order: all sheets outside a longest sequence that kept its order. */
function findMovedSheets(before: Snapshot, after: Snapshot): ReadonlySet<number> {
  const oldPlaces = new Map(before.sheets.map(({ id }, place) => [id, place]));
  const kept = after.sheets.filter(({ id }) => oldPlaces.has(id)).map(({ id }) => id);
  const chains: { readonly id: number; readonly length: number; readonly previous: number }[] = [];
  let longest = -1;
  for (const [at, id] of kept.entries()) {
    let previous = -1;
    for (const [i, chain] of chains.entries()) {
      const isBefore = (oldPlaces.get(chain.id) ?? 0) < (oldPlaces.get(id) ?? 0);
      if (isBefore && chain.length > (chains[previous]?.length ?? 0)) previous = i;
    }
    const length = (chains[previous]?.length ?? 0) + 1;
    chains.push({ id, length, previous });
    if (length > (chains[longest]?.length ?? 0)) longest = at;
  }
  const moved = new Set(kept);
  for (let i = longest; i >= 0; i = chains[i]?.previous ?? -1) moved.delete(chains[i]?.id ?? 0);
  return moved;
}

/**
 * Rows, columns and cells that a batch inserts, deletes or moves, with their positions before and after the whole batch.
 * Deletions are sorted from top to bottom. Lists at most one more than `MAX_PREVIEWED_MOVES`.
 */
export function listMoves({
  before,
  after,
  moves,
}: Pick<ChangeSet, 'before' | 'after' | 'moves'>): readonly PreviewedMove[] {
  const listed: PreviewedMove[] = [];
  for (const [step, move] of moves.entries()) {
    if (listed.length > MAX_PREVIEWED_MOVES) break;
    const { source, target } = getMoveBlocks(move);
    const axis = getLineAxis(move);
    const earlier = moves.slice(0, step).reverse().map(reverseMove);
    const sources = source === null ? [] : nameBlocks(before, followMoves(earlier, source, axis));
    const targets = target === null ? [] : nameBlocks(after, followMoves(moves.slice(step + 1), target, axis));
    if (source === null) listed.push(...targets.map((to) => ({ from: null, to })));
    else if (target === null) listed.push(...sources.map((from) => ({ from, to: null })));
    else if (sources.length > 0 || targets.length > 0) {
      listed.push({ from: sources[0] ?? null, to: targets[0] ?? null });
    }
  }
  return sortDeletions(listed).slice(0, MAX_PREVIEWED_MOVES + 1);
}

/** Sorts the deletions of a list by sheet and position, in the places that they have in the list. */
function sortDeletions(moves: readonly PreviewedMove[]): readonly PreviewedMove[] {
  const deletions = moves.filter(({ to }) => to === null).flatMap(({ from }) => from ?? []);
  deletions.sort(
    (a, b) => a.sheet - b.sheet || a.area.top - b.area.top || a.area.left - b.area.left || a.area.right - b.area.right,
  );
  let next = 0;
  return moves.map((move) => (move.to === null ? { from: deletions[next++] ?? null, to: null } : move));
}

/** The axis of whole lines that a move concerns; null: it concerns parts of lines. */
function getLineAxis(move: Move): Axis | null {
  return move.kind === 'carry' || ('across' in move && move.across !== undefined) ? null : move.axis;
}

/** The positions of a block after moves. Whole lines stay whole: only moves of whole lines of their axis move them. */
function followMoves(moves: readonly Move[], block: Block, axis: Axis | null): readonly Block[] {
  const relevant = axis === null ? moves : moves.filter((move) => getLineAxis(move) === axis);
  return relevant.reduce<readonly Block[]>((blocks, move) => blocks.flatMap((one) => moveBlocks(move, one)), [block]);
}

/** Blocks on sheets that the state has, with the names of the sheets. */
function nameBlocks(state: Snapshot, blocks: readonly Block[]): readonly PreviewedArea[] {
  return blocks.flatMap(({ sheet, area }) => {
    const sheetName = state.sheetById(sheet)?.name;
    return sheetName === undefined ? [] : [{ sheet, sheetName, area }];
  });
}

/** The block that a move takes, at its position before the move, and where it puts it. */
function getMoveBlocks(move: Move): { readonly source: Block | null; readonly target: Block | null } {
  if (move.kind === 'carry') {
    const { area, sheet, toSheet, row, column } = move;
    const target = {
      top: row,
      left: column,
      bottom: row + area.bottom - area.top,
      right: column + area.right - area.left,
    };
    return { source: { sheet, area }, target: { sheet: toSheet, area: target } };
  }
  const { sheet, axis, at, count } = move;
  const across = 'across' in move ? move.across : undefined;
  const block = (first: number) => ({ sheet, area: createLinesArea(axis, first, first + count - 1, across) });
  if (move.kind === 'reorder') return { source: block(at), target: block(move.to > at ? move.to - count : move.to) };
  return move.kind === 'insert' ? { source: null, target: block(at) } : { source: block(at), target: null };
}

/** A part of a sheet that a person looks at. */
export interface PreviewWindow {
  /** Name after the batch. */
  readonly sheetName: string;
  readonly area: Area;
}

/** The cells of a window after a batch. Plain data. */
export interface PreviewedWindow {
  readonly sheet: number;
  readonly cells: readonly (readonly (CellView | null)[])[];
}

/** The cells of a window; null: the batch leaves no sheet of that name. */
export function readWindow(
  after: Snapshot,
  { sheetName, area: { top, left, bottom, right } }: PreviewWindow,
  locale: LocaleId | null,
): PreviewedWindow | null {
  const sheet = findSheetByName(after.sheets, sheetName)?.id;
  if (sheet === undefined) return null;
  const grammar = getGrammar(locale);
  const cells = Array.from({ length: bottom - top + 1 }, (_row, row) =>
    Array.from({ length: right - left + 1 }, (_column, column) =>
      cellView(after, sheet, top + row, left + column, grammar),
    ),
  );
  return { sheet, cells };
}
