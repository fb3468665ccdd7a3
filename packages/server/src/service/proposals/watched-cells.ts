import {
  type Area,
  areaText,
  cellView,
  decodeOutline,
  type Edit,
  followBlock,
  isError,
  MAX_COLUMNS,
  MAX_ROWS,
  type Move,
  piecesOf,
  reversed,
  type Sheet,
  type Snapshot,
  targetOf,
} from '@cellwire/engine';
import type { SheetEntry } from '../../documents/types.ts';
import { MAX_CONFLICTS } from '../../limits/history.ts';
import { withSheet } from '../ranges.ts';

/** Cells of a state that a proposal writes, or that decide where and what it writes. */
export type CellsToWatch =
  /** `isWatched`: whether the cell at a row and column of the area counts; absent: all count. */
  | {
      readonly kind: 'cells';
      readonly sheet: number;
      readonly area: Area;
      readonly isWatched?: (row: number, column: number) => boolean;
    }
  /** Cells that are filled or moved into the area later count too. */
  | { readonly kind: 'all'; readonly sheet: number; readonly area: Area }
  /** The end of the filled rows of a sheet, or of some of its columns. */
  | {
      readonly kind: 'end';
      readonly sheet: number;
      readonly columns: readonly number[] | null;
      /** The row after the last filled one, from 0. */
      readonly row: number;
    };

/** The same with what the cells held. Plain data; hashes by rows, as base64 of 32-bit integers. */
export type WatchedCells =
  | {
      readonly kind: 'cells' | 'all';
      readonly sheet: number;
      readonly area: Area;
      /** Rows of the area whose hashes are kept; those below were empty. */
      readonly rows: number;
      /** Columns of the area whose hashes are kept. */
      readonly columns: number;
      readonly values: string;
      /** Empty: no cell held a formula. */
      readonly formulas: string;
    }
  | Extract<CellsToWatch, { readonly kind: 'end' }>;

/** Marks a cell that does not count. */
const UNWATCHED = 0xffff_ffff;
const CELLS_A_STEP = 4_096;

/** The cells that edits write or read. If an edit moves cells, later edits name them by their new positions. */
export function cellsOfEdits(edits: readonly Edit[], snapshot: Snapshot): readonly CellsToWatch[] {
  const found: CellsToWatch[] = [];
  const back: Move[] = [];
  for (const edit of edits) {
    for (const cells of cellsOfEdit(edit, snapshot)) found.push(...placedBefore(cells, back));
    if (edit.kind === 'moveCells') back.unshift(reversed(edit.move));
  }
  return found;
}

/** The same cells by their positions before the moves that `back` reverses. */
function placedBefore(cells: CellsToWatch, back: readonly Move[]): readonly CellsToWatch[] {
  if (cells.kind === 'end' || back.length === 0) return [cells];
  return followBlock(cells, back).pieces.map(({ sheet, target }) => ({ kind: 'all', sheet, area: target }));
}

const WHOLE: Area = { top: 0, left: 0, bottom: MAX_ROWS - 1, right: MAX_COLUMNS - 1 };

function cellsOfEdit(edit: Edit, snapshot: Snapshot): readonly CellsToWatch[] {
  switch (edit.kind) {
    case 'setValues': {
      const { sheet, row, column, values } = edit;
      const width = values.reduce((most, { length }) => Math.max(most, length), 0);
      if (width === 0) return [];
      const area = { top: row, left: column, bottom: row + values.length - 1, right: column + width - 1 };
      const isWatched = (r: number, c: number) => (values[r]?.[c] ?? null) !== null;
      return [{ kind: 'cells', sheet, area, isWatched }];
    }
    case 'append':
      return [
        { kind: 'end', sheet: edit.sheet, columns: null, row: snapshot.sheetById(edit.sheet)?.extent().rows ?? 0 },
      ];
    case 'clear':
    case 'sort':
    case 'replace':
    case 'removeDuplicates':
      return [{ kind: 'all', sheet: edit.sheet, area: edit.area }];
    case 'fill':
      return [edit.area, edit.to].map((area) => ({ kind: 'all', sheet: edit.sheet, area }));
    case 'copy': {
      const { area, row, column } = edit;
      const bottom = Math.min(MAX_ROWS - 1, row + area.bottom - area.top);
      const right = Math.min(MAX_COLUMNS - 1, column + area.right - area.left);
      return [
        { kind: 'all', sheet: edit.sheet, area },
        { kind: 'all', sheet: edit.toSheet, area: { top: row, left: column, bottom, right } },
      ];
    }
    case 'deleteSheet':
    case 'duplicateSheet':
      return [{ kind: 'all', sheet: edit.sheet, area: WHOLE }];
    case 'moveCells':
      return cellsOfMove(edit.move);
    case 'takeBack':
      return decodeOutline(edit.inverse).blocks.map(({ sheet, area }) => ({ kind: 'cells', sheet, area }));
    default:
      return [];
  }
}

function cellsOfMove(move: Move): readonly CellsToWatch[] {
  if (move.kind === 'insert' || move.kind === 'reorder') return [];
  const { pieces, gone } = piecesOf(move);
  const blocks = move.kind === 'delete' ? gone : [...pieces, ...pieces.map((piece) => targetOf(piece))];
  return blocks.map(({ sheet, area }) => ({ kind: 'all', sheet, area }));
}

/** Hashes the contents of cells. A generator, so that long work can pause. */
export function* watchCells(
  snapshot: Snapshot,
  wanted: readonly CellsToWatch[],
): Generator<void, readonly WatchedCells[]> {
  const watched: WatchedCells[] = [];
  for (const cells of wanted) {
    if (cells.kind === 'end') watched.push(cells);
    else {
      const sheet = snapshot.sheetById(cells.sheet);
      if (sheet !== undefined) watched.push(yield* watchArea(snapshot, sheet, cells));
    }
  }
  return watched;
}

type AreaToWatch = Exclude<CellsToWatch, { readonly kind: 'end' }>;

function* watchArea(snapshot: Snapshot, sheet: Sheet, wanted: AreaToWatch): Generator<void, WatchedCells> {
  const { kind, area } = wanted;
  const isMasked = wanted.kind === 'cells' && wanted.isWatched !== undefined;
  const { rows, columns } = isMasked ? sizeOf(area) : filledSize(sheet, area);
  const values = new Uint32Array(rows * columns);
  const formulas = new Uint32Array(rows * columns);
  let hasFormulas = false;
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) {
      const at = r * columns + c;
      if (at % CELLS_A_STEP === CELLS_A_STEP - 1) yield;
      if (wanted.kind === 'cells' && wanted.isWatched?.(r, c) === false) {
        values[at] = UNWATCHED;
        continue;
      }
      values[at] = valueHash(sheet, area.top + r, area.left + c);
      formulas[at] = formulaHash(snapshot, sheet, area.top + r, area.left + c);
      hasFormulas ||= formulas[at] !== 0;
    }
  }
  return {
    ...{ kind, sheet: sheet.id, area, rows, columns },
    values: textOf(values),
    formulas: hasFormulas ? textOf(formulas) : '',
  };
}

function sizeOf({ top, left, bottom, right }: Area): { readonly rows: number; readonly columns: number } {
  return { rows: bottom - top + 1, columns: right - left + 1 };
}

/** The rows and columns of an area down to its last filled cell. Cells outside of the area do not count. */
function filledSize(sheet: Sheet, { top, left, bottom, right }: Area) {
  let [rows, columns] = [0, 0];
  for (let column = left; column <= Math.min(right, sheet.columns.length - 1); column++) {
    const filled = sheet.columns[column]?.filledRows() ?? 0;
    const within = Math.min(filled, bottom + 1) - top;
    if (within <= 0) continue;
    rows = Math.max(rows, within);
    columns = column - left + 1;
  }
  return { rows, columns };
}

function textOf(hashes: Uint32Array): string {
  return Buffer.from(hashes.buffer, hashes.byteOffset, hashes.byteLength).toString('base64');
}

function hashesOf(text: string): Uint32Array {
  const bytes = Buffer.from(text, 'base64');
  return new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

/** 0 for an empty cell, never `UNWATCHED`. */
function valueHash(sheet: Sheet, row: number, column: number): number {
  const value = sheet.value(row, column);
  if (value === null) return 0;
  return hashOf(isError(value) ? `e${value.code}` : `${typeof value}${value}`);
}

/** 0 for a cell without a formula. */
function formulaHash(snapshot: Snapshot, sheet: Sheet, row: number, column: number): number {
  if (sheet.run(row, column) === undefined) return 0;
  return hashOf(cellView(snapshot, sheet.id, row, column)?.f ?? '=');
}

/** FNV-1a with a final mix. */
function hashOf(text: string): number {
  let hash = 0x811c_9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x0100_0193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = (hash ^ (hash >>> 13)) >>> 0;
  return hash === 0 || hash === UNWATCHED ? 1 : hash;
}

/** A state later than the preview's, and the moves between the two. */
export interface LaterState {
  readonly snapshot: Snapshot;
  readonly moves: readonly Move[];
  /** The sheets of the preview's state. */
  readonly before: readonly Pick<SheetEntry, 'id' | 'name'>[];
}

/** Ranges whose watched cells have changed, with sheet names. A generator, so that long work can pause. */
export function* changedCells(watched: readonly WatchedCells[], state: LaterState): Generator<void, readonly string[]> {
  const found = new ConflictRanges(state);
  const isFollowed = state.moves.length > 0 || state.before.some(({ id, name }) => isRenamed(state.snapshot, id, name));
  for (const cells of watched) {
    if (cells.kind === 'end') compareEnd(cells, state, found);
    else yield* compareArea(cells, state, isFollowed, found);
    if (found.isFull) break;
  }
  return found.ranges();
}

function isRenamed(snapshot: Snapshot, id: number, name: string): boolean {
  const now = snapshot.sheetById(id);
  return now !== undefined && now.name !== name;
}

type End = Extract<WatchedCells, { readonly kind: 'end' }>;

function compareEnd({ sheet: id, columns, row }: End, state: LaterState, found: ConflictRanges): void {
  const sheet = state.snapshot.sheetById(id);
  if (sheet === undefined) return found.addLost(id, WHOLE);
  const column = columns?.[0] ?? 0;
  const last = row === 0 ? 0 : (lastRowNow(id, { row: row - 1, column, isWhole: columns === null }, state) ?? -1) + 1;
  const end = filledEnd(sheet, columns === null ? null : columnsNow(id, columns, state));
  if (end === last) return;
  const right = Math.max(0, sheet.extent().columns - 1);
  const [left, until] = columns === null ? [0, right] : [Math.min(...columns), Math.max(...columns)];
  found.add(id, { top: Math.max(0, Math.min(end, last)), left, bottom: Math.max(end, last, 1) - 1, right: until });
}

/** The present row of the last filled row; null: it was deleted. */
function lastRowNow(
  sheet: number,
  { row, column, isWhole }: { readonly row: number; readonly column: number; readonly isWhole: boolean },
  { moves }: LaterState,
): number | null {
  const area = { top: row, left: column, bottom: row, right: isWhole ? MAX_COLUMNS - 1 : column };
  const { pieces } = followBlock({ sheet, area }, moves);
  const rows = pieces.filter((piece) => piece.sheet === sheet).map(({ target }) => target.top);
  return rows.length === 0 ? null : Math.max(...rows);
}

function columnsNow(sheet: number, columns: readonly number[], { moves }: LaterState): readonly number[] {
  return columns.flatMap((column) => {
    const { pieces } = followBlock(
      { sheet, area: { top: 0, left: column, bottom: MAX_ROWS - 1, right: column } },
      moves,
    );
    return pieces.filter((piece) => piece.sheet === sheet).map(({ target }) => target.left);
  });
}

function filledEnd(sheet: Sheet, columns: readonly number[] | null): number {
  if (columns === null) return sheet.extent().rows;
  return Math.max(0, ...columns.map((column) => sheet.columns[column]?.filledRows() ?? 0));
}

type AreaWatched = Exclude<WatchedCells, { readonly kind: 'end' }>;

function* compareArea(
  watched: AreaWatched,
  state: LaterState,
  isFollowed: boolean,
  found: ConflictRanges,
): Generator<void> {
  const { snapshot, moves } = state;
  const { sheet: id, area, rows, columns } = watched;
  if (rows * columns > 0) {
    const values = hashesOf(watched.values);
    const formulas = watched.formulas === '' ? null : hashesOf(watched.formulas);
    const held = { ...area, bottom: area.top + rows - 1, right: area.left + columns - 1 };
    const { pieces, lost } = followBlock({ sheet: id, area: held }, moves);
    for (const part of lost) if (someWatched(values, part, watched)) found.addLost(id, part);
    for (const { source, sheet: toSheet, target } of pieces) {
      const sheet = snapshot.sheetById(toSheet);
      if (sheet === undefined) {
        found.addLost(id, source);
        continue;
      }
      for (let row = source.top; row <= source.bottom; row++) {
        for (let column = source.left; column <= source.right; column++) {
          const at = (row - area.top) * columns + column - area.left;
          if (at % CELLS_A_STEP === CELLS_A_STEP - 1) yield;
          if (values[at] === UNWATCHED) continue;
          const place = [row + target.top - source.top, column + target.left - source.left] as const;
          if (valueHash(sheet, ...place) !== values[at] || isOtherFormula(place, sheet, formulas?.[at] ?? 0)) {
            found.addCell(toSheet, ...place);
          }
        }
        if (found.isFull) return;
      }
    }
  }
  if (watched.kind === 'all') yield* newCells(watched, state, found);

  /** The text of a formula that has followed moves or renamed sheets may differ. */
  function isOtherFormula([row, column]: readonly [number, number], sheet: Sheet, before: number): boolean {
    const now = formulaHash(snapshot, sheet, row, column);
    return isFollowed ? (now === 0) !== (before === 0) : now !== before;
  }
}

function someWatched(values: Uint32Array, part: Area, { area, columns }: AreaWatched): boolean {
  for (let row = part.top; row <= part.bottom; row++) {
    for (let column = part.left; column <= part.right; column++) {
      if (values[(row - area.top) * columns + column - area.left] !== UNWATCHED) return true;
    }
  }
  return false;
}

/** Filled cells of an area that were empty at the preview, or that were moved or inserted into it. */
function* newCells(watched: AreaWatched, state: LaterState, found: ConflictRanges): Generator<void> {
  const { sheet: id, area, rows, columns } = watched;
  const held = { ...area, bottom: area.top + rows - 1, right: area.left + columns - 1 };
  const known = rows * columns === 0 ? [] : followBlock({ sheet: id, area: held }, state.moves).pieces;
  const places = followBlock({ sheet: id, area }, state.moves).pieces;
  for (const sheetId of new Set(places.map(({ sheet }) => sheet))) {
    const sheet = state.snapshot.sheetById(sheetId);
    if (sheet === undefined) continue;
    const own = places.filter((piece) => piece.sheet === sheetId).map(({ target }) => target);
    const used = sheet.extent();
    const top = Math.min(...own.map((target) => target.top));
    const left = Math.min(...own.map((target) => target.left));
    const bottom = Math.min(used.rows - 1, Math.max(...own.map((target) => target.bottom)));
    const right = Math.min(used.columns - 1, Math.max(...own.map((target) => target.right)));
    const covered = known.filter((piece) => piece.sheet === sheetId).map(({ target }) => target);
    let cells = 0;
    for (let row = top; row <= bottom; row++) {
      for (let column = left; column <= right; column++) {
        const over = covered.find((one) => isWithin(one, row, column));
        if (over !== undefined) {
          column = over.right;
          continue;
        }
        if (++cells % CELLS_A_STEP === 0) yield;
        if (sheet.value(row, column) !== null) found.addCell(sheetId, row, column);
      }
      if (found.isFull) return;
    }
  }
}

function isWithin(area: Area, row: number, column: number): boolean {
  return row >= area.top && row <= area.bottom && column >= area.left && column <= area.right;
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
    this.add(sheet, { top: row, left: column, bottom: row, right: column });
  }

  add(sheet: number, area: Area): void {
    this.push(sheet, this.state.snapshot.sheetById(sheet)?.name ?? this.nameBefore(sheet), area);
  }

  /** Deleted cells, by their former positions and sheet names. */
  addLost(sheet: number, area: Area): void {
    this.push(sheet, this.nameBefore(sheet), area);
  }

  private nameBefore(sheet: number): string {
    return this.state.before.find(({ id }) => id === sheet)?.name ?? '';
  }

  private push(sheet: number, name: string, area: Area): void {
    const last = this.found.at(-1);
    if (last?.sheet === sheet && last.name === name && isBeside(last.area, area)) {
      last.area = { ...last.area, right: area.right };
      this.joinAbove();
    } else {
      this.found.push({ sheet, name, area });
      this.joinAbove();
    }
  }

  /** Joins the last range with the one above it if both have the same columns. */
  private joinAbove(): void {
    const [above, last] = this.found.slice(-2);
    if (above === undefined || last === undefined || above.sheet !== last.sheet || above.name !== last.name) return;
    const isSame = above.area.left === last.area.left && above.area.right === last.area.right;
    if (!isSame || above.area.bottom + 1 !== last.area.top) return;
    above.area = { ...above.area, bottom: last.area.bottom };
    this.found.pop();
  }

  ranges(): readonly string[] {
    const texts = this.found.slice(0, MAX_CONFLICTS).map(({ name, area }) => withSheet(name, areaText(area)));
    return [...new Set(texts)];
  }
}

function isBeside(left: Area, right: Area): boolean {
  return left.top === right.top && left.bottom === right.bottom && left.right + 1 === right.left;
}
