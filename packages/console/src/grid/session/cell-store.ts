import { type Area, areaText, intersects, MAX_COLUMNS, MAX_ROWS, quoteSheetName } from '@cellwire/engine';
import type { Failure, Result } from '../../data/http.ts';
import type { Cell, Look, ValueRange } from '../../data/types.ts';
import type { Place } from '../selection/selection.ts';
import type { Arrangement } from './position-mapping.ts';

/** Rows and columns of a block: what is fetched and kept together. */
export const BLOCK_ROWS = 128;
export const BLOCK_COLUMNS = 16;
const BLOCKS_ACROSS = MAX_COLUMNS / BLOCK_COLUMNS;
/** Blocks that are kept; those looked at least lately go first. */
const MOST_BLOCKS = 160;
/** Ranges of one request, see the API's batchGet. */
const MOST_RANGES = 20;
/** After a request that failed, the next one waits, in milliseconds. */
const RETRY_MS = 2_000;
/** Cells that are shown empty before the service has answered that they are. */
const MOST_EMPTIED = 10_000;

interface Block {
  readonly area: Area;
  /** Undefined: not known (yet). */
  cells: readonly (readonly (Cell | null | undefined)[])[];
  looks: Looks;
  /** Whether what it holds was told to be out of date, or never came. */
  isStale: boolean;
  /** The number of the question that it is the answer to. */
  question: number;
}

/** A request that is under way. */
interface Question {
  readonly number: number;
  readonly keys: readonly number[];
  /** Of these blocks the answer may be from before a change that was told of meanwhile. */
  readonly outdated: Set<number>;
}

/** How the cells of a block look, by row and column of the block; absent: plain. */
export type Looks = readonly (readonly (Look | null)[])[] | null;

export interface BlockAnswer {
  readonly ranges: readonly (ValueRange | { readonly range: string; readonly error: string })[];
  readonly looks: readonly Looks[];
  /** The revision that the cells are of. */
  readonly revision: number;
}

export type AskBlocks = (ranges: readonly string[]) => Promise<Result<BlockAnswer>>;

/** The cells of one sheet as far as somebody looks at them. */
export class CellStore {
  private sheet: string;
  private readonly ask: AskBlocks;
  private readonly onChange: () => void;
  /** Comes when everything else on the page is in the places of a revision. */
  private readonly reached: (revision: number) => Promise<void>;
  /** The last revision that changed the places of cells here: older answers are of other places. */
  arrangedAt = 0;
  private readonly blocks = new Map<number, Block>();
  private readonly questions = new Set<Question>();
  private asked = 0;
  /** Answers to questions up to this one are not kept. */
  private forgottenAt = 0;
  /** What was typed and is not confirmed yet, by row and column, and by which of the writes. */
  private readonly pending = new Map<number, { readonly text: string; readonly write: number }>();
  private writes = 0;
  private wanted: Area | null = null;
  /** Where whoever looks goes on by the last that was seen; null: nowhere. */
  private ahead: Area | null = null;
  private isAsking = false;
  /** Counts the answers that were kept. */
  answers = 0;
  private isOver = false;
  /** What became of the last request; null: it was answered. */
  failure: Failure | null = null;

  constructor(
    sheet: string,
    ask: AskBlocks,
    onChange: () => void,
    reached: (revision: number) => Promise<void> = async () => {},
  ) {
    this.sheet = sheet;
    this.ask = ask;
    this.onChange = onChange;
    this.reached = reached;
  }

  /** The sheet has another name now. */
  rename(sheet: string): void {
    this.sheet = sheet;
  }

  /** Null: empty; undefined: not known yet. */
  cell(row: number, column: number): Cell | null | undefined {
    return this.blocks.get(keyOf(row, column))?.cells[row % BLOCK_ROWS]?.[column % BLOCK_COLUMNS];
  }

  look(row: number, column: number): Look | null {
    return this.blocks.get(keyOf(row, column))?.looks?.[row % BLOCK_ROWS]?.[column % BLOCK_COLUMNS] ?? null;
  }

  pendingText(row: number, column: number): string | undefined {
    return this.pending.size === 0 ? undefined : this.pending.get(row * MAX_COLUMNS + column)?.text;
  }

  /** Shows what was typed until `settle` is told of the write, whose number is the answer. */
  expect(top: number, left: number, values: readonly (readonly string[])[]): number {
    const write = ++this.writes;
    for (const [i, line] of values.entries()) {
      for (const [j, text] of line.entries()) this.pending.set((top + i) * MAX_COLUMNS + left + j, { text, write });
    }
    this.onChange();
    return write;
  }

  /** The same for cells that are to be empty; null where they are too many for that. */
  expectEmpty({ top, left, bottom, right }: Area): number | null {
    const [height, width] = [bottom - top + 1, right - left + 1];
    if (height * width > MOST_EMPTIED) return null;
    return this.expect(
      top,
      left,
      Array.from({ length: height }, () => Array.from({ length: width }, () => '')),
    );
  }

  /** Puts what is known into the places after a revision; all of it is asked for again. `id`: the sheet's. */
  rearrange(id: number, arrangement: Arrangement): void {
    const { steps, revision } = arrangement;
    if (steps !== null && !steps.some((step) => step.sheet === id || (step.kind === 'carry' && step.toSheet === id)))
      return;
    this.arrangedAt = revision;
    const known = new Map(this.blocks);
    const cellAt = ({ row, column }: Place) =>
      known.get(keyOf(row, column))?.cells[row % BLOCK_ROWS]?.[column % BLOCK_COLUMNS];
    const lookAt = ({ row, column }: Place) =>
      known.get(keyOf(row, column))?.looks?.[row % BLOCK_ROWS]?.[column % BLOCK_COLUMNS] ?? null;
    for (const [key, block] of known) {
      const isSeen = this.wanted !== null && intersects(block.area, this.wanted);
      // What nobody looks at is asked for when somebody does.
      if (!isSeen) this.blocks.delete(key);
      else if (steps === null) block.isStale = true;
      else
        this.blocks.set(key, { ...block, ...rearranged(block.area, arrangement, id, cellAt, lookAt), isStale: true });
    }
    const pending = [...this.pending];
    this.pending.clear();
    for (const [key, expected] of pending) {
      const [row, column] = [Math.floor(key / MAX_COLUMNS), key % MAX_COLUMNS];
      const place = steps === null ? null : arrangement.cell({ sheet: this.sheet, row, column });
      if (place?.sheet === this.sheet) this.pending.set(place.row * MAX_COLUMNS + place.column, expected);
    }
    this.onChange();
  }

  /** Forgets all cells: they may not be seen any more. */
  forget(): void {
    this.blocks.clear();
    this.pending.clear();
    // What was asked before may bring them once more.
    this.forgottenAt = this.asked;
    this.onChange();
  }

  /** What was expected of a write has come true, or will not; what was typed over it since is shown on. */
  async settle(area: Area, write: number | null = null): Promise<void> {
    const areas = this.pendingAreas(write) ?? [area];
    this.outdate(areas);
    await this.fetchedAll(areas);
    for (const [key, expected] of this.pending) {
      if (expected.write === write) this.pending.delete(key);
    }
    this.onChange();
  }

  /** Where the cells of a write are by now; null: nothing is expected of it. */
  private pendingAreas(write: number | null): readonly Area[] | null {
    const areas: Area[] = [];
    for (const [key, expected] of this.pending) {
      if (expected.write !== write) continue;
      const [row, column] = [Math.floor(key / MAX_COLUMNS), key % MAX_COLUMNS];
      areas.push({ top: row, bottom: row, left: column, right: column });
    }
    return areas.length === 0 ? null : areas;
  }

  /** What is looked at now; what of it is missing is asked for, and then what comes next in the same direction. */
  want(area: Area): void {
    const { wanted } = this;
    if (wanted !== null && wanted.bottom !== area.bottom) this.ahead = aheadOf(area, wanted.bottom < area.bottom);
    this.wanted = area;
    void this.askForMissing();
  }

  /** Cells that have changed; null: perhaps all of them. What is known of them is shown until they come anew. */
  outdate(areas: readonly Area[] | null): void {
    const concerns = (block: Area) => areas === null || areas.some((area) => intersects(area, block));
    for (const block of this.blocks.values()) {
      if (concerns(block.area)) block.isStale = true;
    }
    for (const { keys, outdated } of this.questions) {
      for (const key of keys) if (concerns(areaOfBlock(key))) outdated.add(key);
    }
    void this.askForMissing();
  }

  /** Comes when the cells of an area are known; null where they cannot be had. At most so many blocks as are kept. */
  async fetched(area: Area): Promise<boolean> {
    const missing = this.missing(area);
    return missing.length <= MOST_BLOCKS && this.fetchInParts(missing);
  }

  /** The same of several areas; false also where they are in more blocks than are kept. */
  async fetchedAll(areas: readonly Area[]): Promise<boolean> {
    const keys = new Set<number>();
    for (const area of areas) {
      for (const key of blocksOf(area)) {
        if (keys.add(key).size > MOST_BLOCKS) return false;
      }
    }
    return this.fetchInParts([...keys].filter((key) => this.blocks.get(key)?.isStale !== false));
  }

  private async fetchInParts(keys: readonly number[]): Promise<boolean> {
    for (let i = 0; i < keys.length; i += MOST_RANGES) {
      if (!(await this.fetch(keys.slice(i, i + MOST_RANGES)))) return false;
    }
    return true;
  }

  end(): void {
    this.isOver = true;
  }

  private missing(area: Area): readonly number[] {
    return [...blocksOf(area)].filter((key) => this.blocks.get(key)?.isStale !== false);
  }

  /** One request at a time; what is wanted meanwhile follows it. */
  private async askForMissing(): Promise<void> {
    if (this.isAsking || this.wanted === null || this.isOver) return;
    const seen = this.missing(this.wanted);
    const missing = seen.length > 0 || this.ahead === null ? seen : this.missing(this.ahead);
    if (missing.length === 0) return;
    this.isAsking = true;
    const isDone = await this.fetch(missing.slice(0, MOST_RANGES));
    if (!isDone) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    this.isAsking = false;
    void this.askForMissing();
  }

  private async fetch(keys: readonly number[]): Promise<boolean> {
    const question = { number: ++this.asked, keys, outdated: new Set<number>() };
    const prefix = quoteSheetName(this.sheet);
    this.questions.add(question);
    const answer = await this.ask(keys.map((key) => `${prefix}!${areaText(areaOfBlock(key))}`));
    if (answer.ok) await this.reached(answer.value.revision);
    this.questions.delete(question);
    if (this.isOver) return false;
    const isHidden = !answer.ok && answer.status === 403;
    if (isHidden) this.blocks.clear();
    this.failure = answer.ok ? null : answer;
    if (!answer.ok) {
      this.onChange();
      return false;
    }
    if (question.number <= this.forgottenAt) return false;
    // Cells in the places of an earlier revision are asked for again.
    if (answer.value.revision < this.arrangedAt) return this.fetch(keys);
    this.keep(question, answer.value);
    this.dropOldest();
    this.onChange();
    return true;
  }

  private keep({ number, keys, outdated }: Question, { ranges, looks }: BlockAnswer): void {
    this.answers++;
    for (const [i, key] of keys.entries()) {
      const range = ranges[i];
      // What was asked for later and answered sooner is newer.
      if (range === undefined || (this.blocks.get(key)?.question ?? 0) > number) continue;
      this.blocks.delete(key);
      this.blocks.set(key, {
        area: areaOfBlock(key),
        cells: 'cells' in range ? range.cells : [],
        looks: looks[i] ?? null,
        isStale: outdated.has(key),
        question: number,
      });
    }
  }

  /** The map keeps the order in which blocks came. */
  private dropOldest(): void {
    const shown = this.wanted;
    for (const [key, { area }] of this.blocks) {
      if (this.blocks.size <= MOST_BLOCKS) return;
      if (shown === null || !intersects(area, shown)) this.blocks.delete(key);
    }
  }
}

/** What a block holds after cells have changed places: each cell from where it was, unknown if that was not known. */
function rearranged(
  { top, left }: Area,
  arrangement: Arrangement,
  id: number,
  cellAt: (place: Place) => Cell | null | undefined,
  lookAt: (place: Place) => Look | null,
): Pick<Block, 'cells' | 'looks'> {
  const cells: (Cell | null | undefined)[][] = [];
  const looks: (Look | null)[][] = [];
  for (let row = top; row < top + BLOCK_ROWS; row++) {
    const line: (Cell | null | undefined)[] = [];
    const lookLine: (Look | null)[] = [];
    for (let column = left; column < left + BLOCK_COLUMNS; column++) {
      const from = arrangement.before(id, { row, column });
      line.push(from === null ? undefined : cellAt(from));
      lookLine.push(from === null ? null : lookAt(from));
    }
    cells.push(line);
    looks.push(lookLine);
  }
  return { cells, looks };
}

/** As many rows as a block has, below or above an area. */
function aheadOf({ top, left, bottom, right }: Area, isDown: boolean): Area | null {
  if (isDown) return { top: bottom + 1, left, bottom: bottom + BLOCK_ROWS, right };
  return top === 0 ? null : { top: Math.max(0, top - BLOCK_ROWS), left, bottom: top - 1, right };
}

function keyOf(row: number, column: number): number {
  return Math.floor(row / BLOCK_ROWS) * BLOCKS_ACROSS + Math.floor(column / BLOCK_COLUMNS);
}

function areaOfBlock(key: number): Area {
  const top = Math.floor(key / BLOCKS_ACROSS) * BLOCK_ROWS;
  const left = (key % BLOCKS_ACROSS) * BLOCK_COLUMNS;
  return { top, left, bottom: top + BLOCK_ROWS - 1, right: left + BLOCK_COLUMNS - 1 };
}

function* blocksOf({ top, left, bottom, right }: Area): Iterable<number> {
  const lastRow = Math.min(bottom, MAX_ROWS - 1);
  const lastColumn = Math.min(right, MAX_COLUMNS - 1);
  for (let row = top - (top % BLOCK_ROWS); row <= lastRow; row += BLOCK_ROWS) {
    for (let column = left - (left % BLOCK_COLUMNS); column <= lastColumn; column += BLOCK_COLUMNS) {
      yield keyOf(row, column);
    }
  }
}
