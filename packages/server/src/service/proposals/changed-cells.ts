import {
  type Area,
  areaText,
  contains,
  digestFormulas,
  digestValues,
  followBlock,
  MAX_COLUMNS,
  MAX_ROWS,
  type Move,
  type Sheet,
  type Snapshot,
} from '@cellwire/engine';
import type { SheetEntry } from '../../documents/types.ts';
import { MAX_CONFLICTS } from '../../limits/history.ts';
import { formatQualifiedRange } from '../ranges.ts';
import {
  BLOCKS_PER_STEP,
  CELLS_PER_STEP,
  computeBlockArea,
  decodeHashes,
  hashFormula,
  hashValue,
  UNWATCHED,
  type WatchedBlocks,
  type WatchedCells,
  WHOLE,
} from './watched-cells.ts';

/** A state after the preview, and the moves in between. */
export interface LaterState {
  readonly snapshot: Snapshot;
  readonly moves: readonly Move[];
  /** The sheets of the preview's state. */
  readonly before: readonly Pick<SheetEntry, 'id' | 'name'>[];
}

/** Ranges whose watched cells have changed, with sheet names. A generator, so that long work can pause. */
export function* findChangedRanges(
  watched: readonly WatchedCells[],
  state: LaterState,
): Generator<void, readonly string[]> {
  const found = new ConflictRanges(state);
  const isFollowed = state.moves.length > 0 || state.before.some(({ id, name }) => isRenamed(state.snapshot, id, name));
  for (const cells of watched) {
    if (cells.kind === 'end') compareWatchedEnd(cells, state, found);
    else if (cells.kind === 'blocks') yield* compareWatchedBlocks(cells, state, isFollowed, found);
    else yield* compareWatchedArea(cells, state, isFollowed, found);
    if (found.isFull) break;
  }
  return found.listRanges();
}

/** True if the sheet exists under another name than this one. */
function isRenamed(snapshot: Snapshot, id: number, name: string): boolean {
  const now = snapshot.sheetById(id);
  return now !== undefined && now.name !== name;
}

type WatchedEnd = Extract<WatchedCells, { readonly kind: 'end' }>;

/** Adds a conflict if the last filled row is no longer where the proposal saw it. */
function compareWatchedEnd(
  { sheet: id, columns, row }: WatchedEnd,
  state: LaterState,
  conflicts: ConflictRanges,
): void {
  const sheet = state.snapshot.sheetById(id);
  if (sheet === undefined) return conflicts.addDeletedCells(id, WHOLE);
  const right = Math.max(0, sheet.extent().columns - 1);
  const [left, until] = columns === null ? [0, right] : [Math.min(...columns), Math.max(...columns)];
  const mapToCurrentRow = (at: number) =>
    findCurrentRow(id, { row: at, column: columns?.[0] ?? 0, isWhole: columns === null }, state);
  const lastRow = row === 0 ? -1 : mapToCurrentRow(row - 1);
  if (lastRow === null) return conflicts.addDeletedCells(id, { top: row - 1, left, bottom: row - 1, right: until });
  const last = lastRow + 1;
  const end = findFilledEnd(sheet, columns === null ? null : listCurrentColumns(id, columns, state));
  // Records are written to fixed rows, which an insertion right below the last filled row moves.
  if (end === last && (columns === null || mapToCurrentRow(row) === last)) return;
  const top = Math.min(end, last);
  conflicts.addArea(id, { top, left, bottom: Math.max(end, last, top + 1) - 1, right: until });
}

/** The current position of a row; null: it was deleted. */
function findCurrentRow(
  sheet: number,
  { row, column, isWhole }: { readonly row: number; readonly column: number; readonly isWhole: boolean },
  { moves }: LaterState,
): number | null {
  const area = { top: row, left: column, bottom: row, right: isWhole ? MAX_COLUMNS - 1 : column };
  const { pieces } = followBlock({ sheet, area }, moves);
  const rows = pieces.filter((piece) => piece.sheet === sheet).map(({ target }) => target.top);
  return rows.length === 0 ? null : Math.max(...rows);
}

/** Where columns of a sheet are after the moves; without deleted ones. */
function listCurrentColumns(sheet: number, columns: readonly number[], { moves }: LaterState): readonly number[] {
  return columns.flatMap((column) => {
    const { pieces } = followBlock(
      { sheet, area: { top: 0, left: column, bottom: MAX_ROWS - 1, right: column } },
      moves,
    );
    return pieces.filter((piece) => piece.sheet === sheet).map(({ target }) => target.left);
  });
}

/** The number of rows up to the last filled cell of the columns, or of the sheet if they are null. */
function findFilledEnd(sheet: Sheet, columns: readonly number[] | null): number {
  if (columns === null) return sheet.extent().rows;
  return Math.max(0, ...columns.map((column) => sheet.columns[column]?.filledRows() ?? 0));
}

type WatchedCellArea = Exclude<WatchedCells, { readonly kind: 'end' | 'blocks' }>;

/** Adds conflicts for blocks of rows whose hash has changed. */
function* compareWatchedBlocks(
  watched: WatchedBlocks,
  state: LaterState,
  isFollowed: boolean,
  conflicts: ConflictRanges,
): Generator<void> {
  const { snapshot, moves } = state;
  const values = decodeHashes(watched.values);
  const formulas = watched.formulas === '' ? null : decodeHashes(watched.formulas);
  for (const [at, hash] of values.entries()) {
    if (at % BLOCKS_PER_STEP === BLOCKS_PER_STEP - 1) yield;
    if (conflicts.isFull) return;
    const { pieces, lost } = followBlock({ sheet: watched.sheet, area: computeBlockArea(watched, at) }, moves);
    for (const part of lost) conflicts.addDeletedCells(watched.sheet, part);
    if (lost.length > 0) continue;
    const inOrder = pieces.toSorted((a, b) => a.source.top - b.source.top);
    let digest = 0;
    let isGone = false;
    for (const { source, sheet: toSheet, target } of inOrder) {
      const sheet = snapshot.sheetById(toSheet);
      isGone ||= sheet === undefined;
      if (sheet === undefined) conflicts.addDeletedCells(watched.sheet, source);
      else digest = digestValues(sheet, target.left, target.top, target.bottom, digest);
    }
    if (isGone || (digest === hash && (isFollowed || !haveOtherFormulas(inOrder, formulas?.[at] ?? 0)))) continue;
    for (const { sheet, target } of inOrder) conflicts.addArea(sheet, target);
  }
  if (watched.isWhole) yield* findNewCells(watched, state, conflicts);

  /** Without moves and renames, a block is one piece. The digest of values says which of its cells have formulas. */
  function haveOtherFormulas([piece]: readonly MovedPiece[], before: number): boolean {
    const sheet = piece && snapshot.sheetById(piece.sheet);
    if (piece === undefined || sheet === undefined) return true;
    const { left, top, bottom } = piece.target;
    return digestFormulas(snapshot, sheet, left, top, bottom) !== before;
  }
}

type MovedPiece = ReturnType<typeof followBlock>['pieces'][number];

/** Adds conflicts for cells of the area whose value or formula has changed. */
function* compareWatchedArea(
  watched: WatchedCellArea,
  state: LaterState,
  isFollowed: boolean,
  conflicts: ConflictRanges,
): Generator<void> {
  const { snapshot, moves } = state;
  const { sheet: id, area, rows, columns } = watched;
  if (rows * columns > 0) {
    const values = decodeHashes(watched.values);
    const formulas = watched.formulas === '' ? null : decodeHashes(watched.formulas);
    const { pieces, lost } = followBlock({ sheet: id, area: toHashedArea(watched) }, moves);
    for (const part of lost) if (containsWatchedCell(values, part, watched)) conflicts.addDeletedCells(id, part);
    for (const { source, sheet: toSheet, target } of pieces) {
      const sheet = snapshot.sheetById(toSheet);
      if (sheet === undefined) {
        conflicts.addDeletedCells(id, source);
        continue;
      }
      for (let row = source.top; row <= source.bottom; row++) {
        for (let column = source.left; column <= source.right; column++) {
          const at = (row - area.top) * columns + column - area.left;
          if (at % CELLS_PER_STEP === CELLS_PER_STEP - 1) yield;
          if (values[at] === UNWATCHED) continue;
          const place = [row + target.top - source.top, column + target.left - source.left] as const;
          if (hashValue(sheet, ...place) !== values[at] || isOtherFormula(place, sheet, formulas?.[at] ?? 0)) {
            conflicts.addCell(toSheet, ...place);
          }
        }
        if (conflicts.isFull) return;
      }
    }
  }
  if (watched.kind === 'all') yield* findNewCells(watched, state, conflicts);

  /** The text of a formula that has followed moves or renamed sheets may differ. */
  function isOtherFormula([row, column]: readonly [number, number], sheet: Sheet, before: number): boolean {
    const now = hashFormula(snapshot, sheet, row, column);
    return isFollowed ? (now === 0) !== (before === 0) : now !== before;
  }
}

/** The part of a watched area whose cells have hashes. */
function toHashedArea({ area, rows, columns }: WatchedCellArea | WatchedBlocks): Area {
  return { ...area, bottom: area.top + rows - 1, right: area.left + columns - 1 };
}

/** True if a part of an area has a watched cell. `values`: a hash for each cell of the whole area, by rows. */
function containsWatchedCell(values: Uint32Array, part: Area, { area, columns }: WatchedCellArea): boolean {
  for (let row = part.top; row <= part.bottom; row++) {
    for (let column = part.left; column <= part.right; column++) {
      if (values[(row - area.top) * columns + column - area.left] !== UNWATCHED) return true;
    }
  }
  return false;
}

/** Filled cells of an area that were empty at the preview, or that were moved or inserted into it. */
function* findNewCells(
  watched: WatchedCellArea | WatchedBlocks,
  state: LaterState,
  conflicts: ConflictRanges,
): Generator<void> {
  const { sheet: id, area, rows, columns } = watched;
  const pieces =
    rows * columns === 0 ? [] : followBlock({ sheet: id, area: toHashedArea(watched) }, state.moves).pieces;
  const places = followBlock({ sheet: id, area }, state.moves).pieces;
  for (const sheetId of new Set(places.map(({ sheet }) => sheet))) {
    const sheet = state.snapshot.sheetById(sheetId);
    if (sheet === undefined) continue;
    const own = places.filter((piece) => piece.sheet === sheetId).map(({ target }) => target);
    const extent = sheet.extent();
    const top = Math.min(...own.map((target) => target.top));
    const left = Math.min(...own.map((target) => target.left));
    const bottom = Math.min(extent.rows - 1, Math.max(...own.map((target) => target.bottom)));
    const right = Math.min(extent.columns - 1, Math.max(...own.map((target) => target.right)));
    const covered = pieces.filter((piece) => piece.sheet === sheetId).map(({ target }) => target);
    let cells = 0;
    for (let row = top; row <= bottom; row++) {
      for (let column = left; column <= right; column++) {
        if (++cells % CELLS_PER_STEP === 0) yield;
        const over = covered.find((one) => contains(one, row, column));
        if (over !== undefined) {
          column = over.right;
          continue;
        }
        if (sheet.value(row, column) !== null) conflicts.addCell(sheetId, row, column);
      }
      if (conflicts.isFull) return;
    }
  }
}

/** Collects ranges, `MAX_CONFLICTS` at most. */
class ConflictRanges {
  private readonly state: LaterState;
  private readonly found: { readonly sheet: number; readonly name: string; area: Area }[] = [];

  constructor(state: LaterState) {
    this.state = state;
  }

  get isFull(): boolean {
    return this.found.length > MAX_CONFLICTS;
  }

  addCell(sheet: number, row: number, column: number): void {
    this.addArea(sheet, { top: row, left: column, bottom: row, right: column });
  }

  addArea(sheet: number, area: Area): void {
    this.pushArea(sheet, this.state.snapshot.sheetById(sheet)?.name ?? this.findFormerName(sheet), area);
  }

  /** Deleted cells, by their former positions and sheet names. */
  addDeletedCells(sheet: number, area: Area): void {
    this.pushArea(sheet, this.findFormerName(sheet), area);
  }

  /** The name that the sheet had when the proposal was made. */
  private findFormerName(sheet: number): string {
    return this.state.before.find(({ id }) => id === sheet)?.name ?? '';
  }

  /** Adds an area to the conflicts, joined with the last one if it continues it. */
  private pushArea(sheet: number, name: string, area: Area): void {
    const last = this.found.at(-1);
    if (last?.sheet === sheet && last.name === name && isAdjacent(last.area, area)) {
      last.area = { ...last.area, right: area.right };
      this.joinLastRanges();
    } else {
      this.found.push({ sheet, name, area });
      this.joinLastRanges();
    }
  }

  /** Joins the last range with the one above it if both have the same columns. */
  private joinLastRanges(): void {
    const [above, last] = this.found.slice(-2);
    if (above === undefined || last === undefined || above.sheet !== last.sheet || above.name !== last.name) return;
    const isSame = above.area.left === last.area.left && above.area.right === last.area.right;
    if (!isSame || above.area.bottom + 1 !== last.area.top) return;
    above.area = { ...above.area, bottom: last.area.bottom };
    this.found.pop();
  }

  listRanges(): readonly string[] {
    const texts = this.found
      .slice(0, MAX_CONFLICTS)
      .map(({ name, area }) => formatQualifiedRange(name, areaText(area)));
    return [...new Set(texts)];
  }
}

/** True if the second area continues the first one to the right, in the same rows. */
function isAdjacent(left: Area, right: Area): boolean {
  return left.top === right.top && left.bottom === right.bottom && left.right + 1 === right.left;
}
