import {
  type Area,
  areaText,
  type Block,
  cellCount,
  decodeInverse,
  type Inverse,
  MAX_COLUMNS,
  MAX_ROWS,
  type Move,
  movedBlocks,
  piecesOf,
  reversed,
} from '@cellwire/engine';
import type { Reading } from '../documents/types.ts';
import { CONFLICT_STEP, MAX_CONFLICTS } from '../limits/limits.ts';
import { parseAreas } from '../store/commits.ts';
import type { Query } from '../store/database.ts';
import { inverseOf, laterCommits } from '../store/revisions.ts';
import type { ServiceContext } from './context.ts';
import { withSheet } from './ranges.ts';

/** Rows of a band by which areas are found. */
const BAND_ROWS = 256;
/** An area over more bands than this is looked at for every question. */
const MOST_BANDS = 64;

/** Areas by sheet and band of rows: which of many an area meets is asked for every commit since. */
export class AreaIndex {
  private readonly bands = new Map<string, Area[]>();
  private readonly tall = new Map<number, Area[]>();

  constructor(blocks: readonly Block[]) {
    for (const { sheet, area } of blocks) {
      const [first, last] = bandsOf(area);
      if (last - first >= MOST_BANDS) push(this.tall, sheet, area);
      else for (let band = first; band <= last; band++) push(this.bands, `${sheet}:${band}`, area);
    }
  }

  /** What an area has in common with these, `limit` areas of it at most. */
  meeting(sheet: number, area: Area, limit: number): readonly Area[] {
    const found = new Map<Area, Area>();
    const look = (list: readonly Area[] = []) => {
      for (const held of list) {
        if (found.size >= limit) return;
        const common = commonArea(held, area);
        if (common !== null) found.set(held, common);
      }
    };
    look(this.tall.get(sheet));
    const [first, last] = bandsOf(area);
    if (last - first < MOST_BANDS)
      for (let band = first; band <= last; band++) look(this.bands.get(`${sheet}:${band}`));
    else for (const [key, list] of this.bands) if (key.startsWith(`${sheet}:`)) look(list);
    return [...found.values()];
  }
}

function push<K>(lists: Map<K, Area[]>, key: K, area: Area): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [area]);
  else list.push(area);
}

function bandsOf({ top, bottom }: Area): readonly [first: number, last: number] {
  return [Math.floor(top / BAND_ROWS), Math.floor(bottom / BAND_ROWS)];
}

function commonArea(a: Area, b: Area): Area | null {
  const top = Math.max(a.top, b.top);
  const left = Math.max(a.left, b.left);
  const bottom = Math.min(a.bottom, b.bottom);
  const right = Math.min(a.right, b.right);
  return top > bottom || left > right ? null : { top, left, bottom, right };
}

/** A revision with what takes it back. */
export interface Reversible {
  readonly revision: number;
  readonly inverse: Inverse;
}

type Row = ReturnType<typeof laterCommits> extends Query<infer R> ? R : never;

/** What stands in the way of taking a revision back, and how its cells have moved since. */
export interface Conflicts {
  /** Ranges with their sheets' names, `MAX_CONFLICTS` at most. */
  readonly ranges: readonly string[];
  readonly moves: readonly Move[];
  /** Where the cells are by now that taking it back would write or lose. */
  readonly blocks: readonly Block[];
  /** It moved cells itself, and so did others on the same sheets since: what it moved cannot be told apart any more. */
  readonly isTangled: boolean;
}

/**
 * What later commits have written of that which a revision wrote, and what became of its cells and sheets. A commit that
 * was taken back, and the one that took it back, do not count; nor does what was only recalculated.
 */
export async function conflictsOf(
  { database }: Pick<ServiceContext, 'database'>,
  id: string,
  { revision, inverse }: Reversible,
  latest: Reading,
): Promise<Conflicts> {
  const to = latest.snapshot.revision;
  const search = new ConflictSearch(inverse, latest);
  const readInverse = async (row: Row) => {
    const bytes = (await database.readOne(inverseOf({ id, revision: row.revision })))?.inverse ?? null;
    return bytes === null ? null : decodeInverse(bytes);
  };
  const undoneBy = new Map<number, number>();
  for (let after = revision; after < to; ) {
    const rows = await database.read(laterCommits({ id, after, to, limit: CONFLICT_STEP }));
    const last = rows.at(-1);
    if (last === undefined) break;
    for (const row of rows) {
      if (row.undone_by !== null) undoneBy.set(row.revision, row.undone_by);
      const takesBack = row.undoes !== null && undoneBy.get(row.undoes) === row.revision ? row.undoes : null;
      const stands = row.undone_by === null && takesBack === null;
      const needsAll = row.structure !== null || (stands && isCut(row, inverse));
      const whole = needsAll ? await readInverse(row) : null;
      search.follow(row, whole, takesBack);
      if (stands) search.look(row, whole);
    }
    after = last.revision;
    // A long log is looked through in turns with everything else.
    await new Promise(setImmediate);
  }
  return search.result();
}

interface Undone {
  readonly blocks: readonly Block[];
  readonly moves: readonly Move[];
  /** Moves until after it. */
  readonly end: number;
  readonly lost: readonly Block[];
}

/** Goes through later commits, the oldest first; knows where the revision's cells are after each. */
class ConflictSearch {
  private readonly inverse: Inverse;
  private readonly latest: Reading;
  private blocks: readonly Block[];
  private index: AreaIndex;
  private moves: readonly Move[] = [];
  /** By commits that were taken back: what there was before them, and what they lost. */
  private readonly undone = new Map<number, Undone>();
  /** Where they are by now; lost ones where they were. */
  private found: readonly Block[] = [];
  /** Names of sheets that are gone. */
  private readonly gone = new Map<number, string>();
  constructor(inverse: Inverse, latest: Reading) {
    this.inverse = inverse;
    this.latest = latest;
    this.blocks = cellsAfter(inverse);
    this.index = new AreaIndex(this.blocks);
  }

  /**
   * Cells go where a commit moved them. One that was taken back with nothing moved in between has moved nothing, and lost
   * nothing; `takesBack`: the revision that this commit took back. `whole`: all of what takes it back, where its row does
   * not tell enough.
   */
  follow(row: Row, whole: Inverse | null, takesBack: number | null): void {
    for (const { id, name } of whole?.head.came ?? []) this.gone.set(id, name);
    const moves = forward(whole);
    if (moves.length === 0) return;
    for (const move of moves) this.found = this.found.flatMap((block) => movedOrLost(move, block));
    const undone = this.undone.get(takesBack ?? -1);
    if (undone !== undefined && undone.end === this.moves.length) {
      this.moves = undone.moves;
      this.place(undone.blocks);
      return;
    }
    const { blocks, moves: before } = this;
    const lost = moves.flatMap((move) => this.move(move));
    if (row.undone_by === null) for (const { sheet, area } of [...lost, ...(undone?.lost ?? [])]) this.add(sheet, area);
    else this.undone.set(row.revision, { blocks, moves: before, end: this.moves.length, lost });
  }

  look(row: Row, whole: Inverse | null): void {
    for (const { sheet, area } of whole === null || whole.blocks.length === 0 ? written(row) : cellsAfter(whole)) {
      const room = MAX_CONFLICTS - this.found.length;
      const isNew = this.inverse.head.gone?.includes(sheet) ?? false;
      for (const common of isNew ? [area] : this.index.meeting(sheet, area, room)) this.add(sheet, common);
    }
  }

  /** The blocks of which something is lost. */
  private move(move: Move): readonly Block[] {
    const { blocks } = this;
    const places = blocks.map((block) => movedBlocks(move, block));
    this.moves = [...this.moves, move];
    this.place(places.flat());
    return blocks.filter(({ area }, i) => cellsIn(places[i] ?? []) < cellCount(area));
  }

  private place(blocks: readonly Block[]): void {
    this.blocks = blocks;
    this.index = new AreaIndex(blocks);
  }

  /** Whether the revision moved cells of sheets on which others have done so since. */
  private get isTangled(): boolean {
    const own = new Set((this.inverse.head.moves ?? []).flatMap(sheetsOf));
    return this.moves.some((move) => sheetsOf(move).some((sheet) => own.has(sheet)));
  }

  private add(sheet: number, area: Area): void {
    if (this.found.length < MAX_CONFLICTS) this.found = [...this.found, { sheet, area }];
  }

  private nameOf(sheet: number): string {
    return this.latest.snapshot.sheetById(sheet)?.name ?? this.gone.get(sheet) ?? '';
  }

  result(): Conflicts {
    for (const sheet of changedSheets(this.inverse, this.latest)) this.add(sheet, WHOLE);
    const ranges = this.found.map(({ sheet, area }) => withSheet(this.nameOf(sheet), areaText(area)));
    return { ranges: [...new Set(ranges)], moves: this.moves, blocks: this.blocks, isTangled: this.isTangled };
  }
}

function movedOrLost(move: Move, block: Block): readonly Block[] {
  const moved = movedBlocks(move, block);
  return moved.length === 0 ? [block] : moved;
}

const WHOLE: Area = { top: 0, left: 0, bottom: MAX_ROWS - 1, right: MAX_COLUMNS - 1 };

/** How a batch moved cells; its inverse has the way back. */
function forward(inverse: Inverse | null): readonly Move[] {
  return (inverse?.head.moves ?? []).map(reversed).reverse();
}

/** The cells that taking a batch back would write or lose, by where they are after it. */
function cellsAfter(inverse: Inverse): readonly Block[] {
  const there = forward(inverse);
  const changed = inverse.blocks.flatMap((block) =>
    there.reduce<readonly Block[]>((held, move) => held.flatMap((one) => movedBlocks(move, one)), [block]),
  );
  const lost = (inverse.head.moves ?? []).flatMap((move, i, moves) =>
    piecesOf(move).gone.flatMap((block) =>
      moves
        .slice(0, i)
        .reverse()
        .reduce<readonly Block[]>((held, one) => held.flatMap((part) => movedBlocks(reversed(one), part)), [block]),
    ),
  );
  return [...changed, ...lost];
}

function sheetsOf(move: Move): readonly number[] {
  return move.kind === 'carry' ? [move.sheet, move.toSheet] : [move.sheet];
}

function cellsIn(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { area }) => sum + cellCount(area), 0);
}

/** Whether the log does not tell all that a commit wrote to sheets of the other. */
function isCut({ areas }: Row, inverse: Inverse): boolean {
  const { rest = [], isCut: cut } = parseAreas(areas);
  return cut || rest.some(([sheet]) => inverse.blocks.some((block) => block.sheet === sheet));
}

function written({ areas }: Row): readonly Block[] {
  return parseAreas(areas).written.map(([sheet, top, left, bottom, right]) => ({
    sheet,
    area: { top, left, bottom, right },
  }));
}

/**
 * Taking back an insertion of whole lines is deleting them, wherever they are by now. The moves that do so, the last
 * lines first; null where a revision did anything else, or the lines are whole no more.
 */
export function deletionOfInserted({ head, blocks }: Inverse, now: readonly Block[]): readonly Move[] | null {
  const { moves = [], ...others } = head;
  const [move] = moves;
  const isAll = moves.length === 1 && blocks.length === 0 && Object.keys(others).length === 0;
  if (!isAll || move?.kind !== 'delete' || move.across !== undefined) return null;
  const { sheet, axis } = move;
  const isRows = axis === 'rows';
  const isWhole = ({ sheet: on, area: { top, left, bottom, right } }: Block) =>
    on === sheet && (isRows ? left === 0 && right === MAX_COLUMNS - 1 : top === 0 && bottom === MAX_ROWS - 1);
  if (!now.every(isWhole)) return null;
  return now
    .map(({ area: { top, left, bottom, right } }): Move => {
      const [at, last] = isRows ? [top, bottom] : [left, right];
      return { kind: 'delete', sheet, axis, at, count: last - at + 1 };
    })
    .sort((a, b) => ('at' in a && 'at' in b ? b.at - a.at : 0));
}

/** Sheets that are not there any more, or have been renamed, hidden or coloured otherwise since. */
function changedSheets(inverse: Inverse, { snapshot }: Reading): readonly number[] {
  const { gone = [], fields = [] } = inverse.head;
  const missing = [...inverse.blocks.map(({ sheet }) => sheet), ...gone].filter((id) => !snapshot.hasSheet(id));
  const other = fields.filter(({ id, after }) => {
    const sheet = snapshot.sheetById(id);
    return sheet?.name !== after.name || sheet.hidden !== after.hidden || sheet.color !== after.color;
  });
  return [...new Set([...missing, ...other.map(({ id }) => id)])];
}
