import {
  type Area,
  type Block,
  cellCount,
  decodeOutline,
  definedEntries,
  getMovePieces,
  getPieceTarget,
  type InverseOutline,
  intersection,
  MAX_COLUMNS,
  MAX_ROWS,
  type Move,
  moveBlocks,
  nameKey,
} from '@cellwire/engine';
import type { Database, Query } from '@cellwire/store';
import { inverseOf, laterCommits } from '@cellwire/store/documents';
import { parseAreas } from '@cellwire/store/stored-forms';
import { CONFLICT_STEP, MAX_CONFLICTS } from '../../limits/history.ts';
import { MovesSince, reverseMoves } from './moves-since.ts';
import type { Conflicts, LatestSheets, NamedBlock, UndoPath } from './types.ts';

/** Height of the bands of rows in the index. */
const BAND_ROWS = 256;
/** Maximum bands of an area in the index. Every lookup checks all areas of more bands. */
const MAX_BANDS = 64;

/** Areas indexed by sheet and band of rows. The search looks up intersections for every later commit. */
export class AreaIndex {
  private readonly bands = new Map<string, Area[]>();
  private readonly tall = new Map<number, Area[]>();

  constructor(blocks: readonly Block[]) {
    for (const { sheet, area } of blocks) {
      const [first, last] = findBandRange(area);
      if (last - first >= MAX_BANDS) pushArea(this.tall, sheet, area);
      else for (let band = first; band <= last; band++) pushArea(this.bands, `${sheet}:${band}`, area);
    }
  }

  /** The intersections of an area with the indexed areas, at most `limit`. */
  findIntersections(sheet: number, area: Area, limit: number): readonly Area[] {
    const found = new Map<Area, Area>();
    const searchAreas = (list: readonly Area[] = []) => {
      for (const indexed of list) {
        if (found.size >= limit) return;
        const common = intersection(indexed, area);
        if (common !== null) found.set(indexed, common);
      }
    };
    searchAreas(this.tall.get(sheet));
    const [first, last] = findBandRange(area);
    if (last - first < MAX_BANDS)
      for (let band = first; band <= last; band++) searchAreas(this.bands.get(`${sheet}:${band}`));
    else for (const [key, list] of this.bands) if (key.startsWith(`${sheet}:`)) searchAreas(list);
    return [...found.values()];
  }
}

/** Adds an area to the list of its key. */
function pushArea<K>(lists: Map<K, Area[]>, key: K, area: Area): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [area]);
  else list.push(area);
}

/** The first and the last band of `BAND_ROWS` rows that an area touches. */
function findBandRange({ top, bottom }: Area): readonly [first: number, last: number] {
  return [Math.floor(top / BAND_ROWS), Math.floor(bottom / BAND_ROWS)];
}

/** A revision with its inverse. */
interface RevisionWithInverse {
  readonly revision: number;
  readonly inverse: InverseOutline;
}

type CommitRow = ReturnType<typeof laterCommits> extends Query<infer R> ? R : never;

/** Conflicts with the undo, and the remaining way to perform it. */
interface ConflictResult {
  readonly conflicts: Conflicts;
  /** Null: moves cannot express the undo, so only `force` can perform it. */
  readonly undoPath: UndoPath | null;
  readonly createForcedPath: () => UndoPath;
}

/**
 * Finds what later commits have written to cells of the revision, and what happened to its cells and sheets. A commit
 * that was undone, and the commit that undid it, do not count; neither do recalculated cells. `first`: see
 * `findFirstRelevant`.
 */
export async function findConflicts(
  database: Pick<Database, 'readAll'>,
  id: string,
  { revision, inverse }: RevisionWithInverse,
  { first, latest }: { readonly first: number; readonly latest: LatestSheets },
): Promise<ConflictResult> {
  const search = new ConflictSearch({ revision, inverse }, latest);
  const readInverse = async (row: CommitRow) => {
    const [[stored]] = await database.readAll([inverseOf({ id, revision: row.revision })]);
    return stored?.inverse ? decodeOutline(stored.inverse) : null;
  };
  const undoneBy = new Map<number, number>();
  for await (const row of readCommits(database, id, first - 1, latest.revision)) {
    if (row.undone_by !== null) undoneBy.set(row.revision, row.undone_by);
    if (row.revision === revision) {
      search.startTracking(row.undoes);
      continue;
    }
    const takesBack = row.undoes !== null && undoneBy.get(row.undoes) === row.revision ? row.undoes : null;
    const isUndone = row.undone_by !== null || (takesBack !== null && takesBack > revision);
    const stands = row.revision > revision && !isUndone;
    // The undo of a definition is not logged as structure.
    const mayDefine = row.undoes !== null && (stands ? search.definesNames : takesBack === null);
    // Neither is a rename caused by writing a table's header.
    const mayBeHeld = row.revision < revision && row.undone_by !== null;
    const needsAll = row.structure !== null || mayDefine || mayBeHeld || (stands && isLogTruncated(row, inverse));
    const whole = needsAll ? await readInverse(row) : null;
    search.followCommit(row, whole, takesBack);
    if (stands) search.checkCommit(row, whole);
  }
  return search.buildResult();
}

/** A long log is read in pages, so that other work gets its turn. */
async function* readCommits(database: Pick<Database, 'readAll'>, id: string, firstRevision: number, to: number) {
  for (let after = firstRevision; after < to; ) {
    const [rows] = await database.readAll([laterCommits({ id, after, to, limit: CONFLICT_STEP })]);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield* rows;
    after = last.revision;
    await new Promise(setImmediate);
  }
}

/** Scans commits from oldest to newest, and tracks where the revision's cells are after each. */
class ConflictSearch {
  private readonly revision: number;
  private readonly inverse: InverseOutline;
  private readonly latest: LatestSheets;
  private readonly moves: MovesSince;
  /** Current positions of the cells that the undo would write or lose. */
  private blocks: readonly Block[] = [];
  private index = new AreaIndex([]);
  /** Blocks that a commit deleted or overwrote, by its revision, for commits that were undone later. */
  private readonly lostBlocks = new Map<number, readonly Block[]>();
  /** Current positions of conflicting cells; lost cells at their last position. */
  private conflictBlocks: readonly Block[] = [];
  /** Names and tables that the revision created, removed or redefined. */
  private readonly definedNames: ReadonlyMap<string, string>;
  /** Names of `definedNames` that later commits redefined. */
  private readonly redefined = new Set<string>();
  /** Names of deleted sheets. */
  private readonly gone = new Map<number, string>();

  constructor({ revision, inverse }: RevisionWithInverse, latest: LatestSheets) {
    this.revision = revision;
    this.inverse = inverse;
    this.latest = latest;
    this.moves = new MovesSince(revision);
    this.definedNames = definedEntries(inverse);
  }

  get definesNames(): boolean {
    return this.definedNames.size > 0;
  }

  /** Starts to track the cells of the revision, after the commits before it were processed. */
  startTracking(undoes: number | null): void {
    const { revision, inverse } = this;
    this.moves.addCommit({
      revision,
      moves: listForwardMoves(inverse),
      undoes,
      changesFormulas: changesFormulas(inverse),
    });
    this.rebuildIndex();
  }

  /**
   * Applies a commit's moves to the tracked cells. `undoneRevision`: the revision that this commit undid; neither of
   * the two then counts as having moved or lost anything.
   */
  followCommit(row: CommitRow, outline: InverseOutline | null, undoneRevision: number | null): void {
    for (const { id, name } of outline?.head.came ?? []) this.gone.set(id, name);
    const moves = listForwardMoves(outline);
    for (const move of moves) this.conflictBlocks = this.conflictBlocks.flatMap((block) => moveIfAffected(move, block));
    if (undoneRevision !== null && this.moves.recordUndo(undoneRevision, moves)) return this.rebuildIndex();
    // A commit that was undone only after the revision is still part of the revision's states.
    const isHeld = row.revision < this.revision && row.undone_by !== null && row.undone_by > this.revision;
    const changes = outline !== null && changesFormulas(outline);
    const isOwn = row.undone_by === this.revision;
    if (moves.length === 0 && !changes && !isHeld && !isOwn) return;
    const lost = moves.flatMap((move) => this.moveTrackedBlocks(move));
    this.moves.addCommit({ revision: row.revision, moves, undoes: row.undoes, changesFormulas: changes });
    if (row.undone_by !== null) this.lostBlocks.set(row.revision, lost);
    else
      for (const { sheet, area } of [...lost, ...(this.lostBlocks.get(undoneRevision ?? -1) ?? [])])
        this.addConflict(sheet, area);
  }

  /** Adds the conflicts of a later commit: tracked cells that it wrote and names that it defined again. */
  checkCommit(row: CommitRow, outline: InverseOutline | null): void {
    const others = outline === null ? NO_NAMES : definedEntries(outline);
    for (const [key, name] of this.definedNames) if (others.has(key)) this.redefined.add(name);
    // The inverse also contains formulas that only followed moved cells and that no user wrote.
    const isLogComplete = outline === null || !isLogTruncated(row, this.inverse);
    for (const { sheet, area } of isLogComplete ? listWrittenBlocks(row) : listCellsUndoWrites(outline)) {
      const room = MAX_CONFLICTS - this.conflictBlocks.length;
      const isNew = this.inverse.head.gone?.includes(sheet) ?? false;
      for (const common of isNew ? [area] : this.index.findIntersections(sheet, area, room))
        this.addConflict(sheet, common);
    }
  }

  /** Moves the tracked blocks. Returns the blocks that lost cells. */
  private moveTrackedBlocks(move: Move): readonly Block[] {
    const { blocks } = this;
    const places = blocks.map((block) => moveBlocks(move, block));
    this.setTrackedBlocks(places.flat());
    return blocks.filter(({ area }, i) => countCells(places[i] ?? []) < cellCount(area));
  }

  /** Tracks the cells that the undo writes, at their places after all moves so far. */
  private rebuildIndex(): void {
    this.setTrackedBlocks(moveAllBlocks(listCellsUndoWrites(this.inverse), this.moves.movesSinceRevision));
  }

  /** Replaces the blocks in which writes are conflicts. */
  private setTrackedBlocks(blocks: readonly Block[]): void {
    this.blocks = blocks;
    this.index = new AreaIndex(blocks);
  }

  private addConflict(sheet: number, area: Area): void {
    if (this.conflictBlocks.length < MAX_CONFLICTS) this.conflictBlocks = [...this.conflictBlocks, { sheet, area }];
  }

  /** The block with the name of its sheet, also of a sheet that was deleted later. */
  private nameBlock({ sheet, area }: Block): NamedBlock {
    const sheetEntry = this.latest.sheets.find(({ id }) => id === sheet);
    return { sheet, area, sheetName: sheetEntry?.name ?? this.gone.get(sheet) ?? '' };
  }

  /** Current positions of the cells that the revision moved. */
  private listMovedPositions(): readonly Block[] {
    const inverseMoves = listForwardMoves(this.inverse);
    const places = inverseMoves.flatMap((move, i) =>
      moveAllBlocks(
        getMovePieces(move).pieces.map((piece) => getPieceTarget(piece)),
        inverseMoves.slice(i + 1),
      ),
    );
    return moveAllBlocks(places, this.moves.movesSinceRevision);
  }

  buildResult(): ConflictResult {
    const sheets = [...findChangedSheets(this.inverse, this.latest), ...listNameCollisions(this.inverse, this.latest)];
    for (const sheet of sheets) this.addConflict(sheet, WHOLE_GRID);
    const undoPath = this.moves.findUndoPath();
    const unreachable = undoPath === null ? [...this.listMovedPositions(), ...this.blocks].slice(0, MAX_CONFLICTS) : [];
    const conflicts = {
      changed: this.conflictBlocks.map((block) => this.nameBlock(block)),
      redefined: [...this.redefined],
      unreachable: unreachable.map((block) => this.nameBlock(block)),
    };
    return { conflicts, undoPath, createForcedPath: () => this.moves.findForcedUndoPath() };
  }
}

/** Where the move puts the block, in pieces; the block at its old position if the move deletes all of it. */
function moveIfAffected(move: Move, block: Block): readonly Block[] {
  const moved = moveBlocks(move, block);
  return moved.length === 0 ? [block] : moved;
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();
const WHOLE_GRID: Area = { top: 0, left: 0, bottom: MAX_ROWS - 1, right: MAX_COLUMNS - 1 };

/**
 * Whether a batch changed the meaning or text of unmoved formulas by changing names, tables, table headers or sheets.
 */
function changesFormulas(inverse: InverseOutline): boolean {
  const { names, runs } = inverse.head;
  return definedEntries(inverse).size > 0 || names !== undefined || runs !== undefined;
}

/** How a batch moved cells. Its inverse stores the opposite moves. */
function listForwardMoves(inverse: InverseOutline | null): readonly Move[] {
  return reverseMoves(inverse?.head.moves ?? []);
}

/** Where the moves, in their order, put the blocks. Deleted cells disappear. */
function moveAllBlocks(blocks: readonly Block[], moves: readonly Move[]): readonly Block[] {
  return moves.reduce((moved, move) => moved.flatMap((one) => moveBlocks(move, one)), blocks);
}

/**
 * The cells that the undo of a batch would write or lose, by their position after the batch. Lines at the grid's end
 * that reinserted lines would push off are not included: the undo is refused while they are filled.
 */
function listCellsUndoWrites({ head: { moves = [] }, blocks }: InverseOutline): readonly Block[] {
  const back = reverseMoves(moves);
  let lost: readonly Block[] = [];
  for (const [i, undone] of back.entries()) {
    const move = moves[moves.length - 1 - i] as Move;
    const deleted = move.kind === 'insert' ? [] : getMovePieces(move).lost;
    lost = mergeBlocks([...moveAllBlocks(lost, [undone]), ...deleted]);
  }
  return [...moveAllBlocks(blocks, back), ...lost];
}

/** With more blocks, following each of them through a thousand moves takes too long. */
const MAX_TRACKED_BLOCKS = 64;

/** The same cells in fewer blocks: if there are many, vertically or horizontally adjacent blocks are merged. */
export function mergeBlocks(blocks: readonly Block[]): readonly Block[] {
  if (blocks.length <= MAX_TRACKED_BLOCKS) return blocks;
  return mergeAdjacentBlocks(mergeAdjacentBlocks(blocks, 'top', 'bottom', ['left', 'right']), 'left', 'right', [
    'top',
    'bottom',
  ]);
}

type AreaSide = keyof Area;

/** Merges blocks if one starts on side `from` where another one with the same two `others` ends. */
function mergeAdjacentBlocks(
  blocks: readonly Block[],
  from: AreaSide,
  to: AreaSide,
  others: readonly [AreaSide, AreaSide],
): readonly Block[] {
  const keys: readonly AreaSide[] = [...others, from];
  const ordered = [...blocks].sort(
    (a, b) => a.sheet - b.sheet || keys.reduce((order, side) => order || a.area[side] - b.area[side], 0),
  );
  const result: Block[] = [];
  for (const block of ordered) {
    const last = result.at(-1);
    const isNext =
      last?.sheet === block.sheet &&
      others.every((side) => last.area[side] === block.area[side]) &&
      last.area[to] + 1 === block.area[from];
    if (isNext) result[result.length - 1] = { ...last, area: { ...last.area, [to]: block.area[to] } };
    else result.push(block);
  }
  return result;
}

function countCells(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { area }) => sum + cellCount(area), 0);
}

/** Whether the log omits some of the cells that a commit wrote to sheets of the other commit. */
function isLogTruncated({ areas }: CommitRow, inverse: InverseOutline): boolean {
  const { rest = [], isCut: cut } = parseAreas(areas);
  return cut || rest.some(([sheet]) => inverse.blocks.some((block) => block.sheet === sheet));
}

/** The areas of a commit that users wrote, without calculated cells. */
function listWrittenBlocks({ areas }: CommitRow): readonly Block[] {
  return parseAreas(areas).written.map(([sheet, top, left, bottom, right]) => ({
    sheet,
    area: { top, left, bottom, right },
  }));
}

/** Sheets that were deleted, renamed, hidden or recoloured since. */
function findChangedSheets(inverse: InverseOutline, { sheets }: LatestSheets): readonly number[] {
  const { gone = [], fields = [] } = inverse.head;
  const byId = new Map(sheets.map((sheet) => [sheet.id, sheet]));
  const missing = new Set([...inverse.blocks.map(({ sheet }) => sheet), ...gone].filter((id) => !byId.has(id)));
  const other = fields.filter(({ id, after }) => {
    const sheet = byId.get(id);
    return sheet?.name !== after.name || sheet.hidden !== after.hidden || sheet.color !== after.color;
  });
  return [...new Set([...missing, ...other.map(({ id }) => id)])];
}

/** Sheets that now have the name of a sheet that the undo would restore or rename back. */
function listNameCollisions(
  { head: { came = [], fields = [] } }: InverseOutline,
  { sheets }: LatestSheets,
): readonly number[] {
  const restoredNames = new Set(
    [...came.map(({ name }) => name), ...fields.map(({ before }) => before.name)].map(nameKey),
  );
  const own = new Set([...came, ...fields].map(({ id }) => id));
  return sheets.filter(({ id, name }) => !own.has(id) && restoredNames.has(nameKey(name))).map(({ id }) => id);
}
