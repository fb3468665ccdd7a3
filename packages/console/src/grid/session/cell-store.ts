import { type Area, areaText, intersects, MAX_COLUMNS, MAX_ROWS, quoteSheetName } from '@cellwire/engine';
import type { Failure, Result } from '../../data/http.ts';
import type { Cell, CellStyle, ValueRange } from '../../data/types.ts';
import type { GridPosition } from '../selection/selection.ts';
import type { PositionMapping } from './position-mapping.ts';

/** Rows and columns of a block: what is fetched and kept together. */
export const BLOCK_ROWS = 128;
export const BLOCK_COLUMNS = 16;
const BLOCKS_ACROSS = MAX_COLUMNS / BLOCK_COLUMNS;
/** Blocks that are kept; those looked at least lately go first. */
const MAX_BLOCKS = 160;
/** Ranges of one request, see the API's batchGet. */
const MAX_RANGES = 20;
/** After a request that failed, the next one waits, in milliseconds. */
const RETRY_DELAY_MS = 2_000;
/** Cells that are shown empty before the service has answered that they are. */
const MAX_EMPTIED_CELLS = 10_000;

interface CellBlock {
  readonly area: Area;
  /** Undefined: not known (yet). */
  cells: readonly (readonly (Cell | null | undefined)[])[];
  styles: BlockStyles;
  /** Whether what it holds was told to be out of date, or never came. */
  isStale: boolean;
  /** The number of the request that it is the answer to. */
  request: number;
}

/** A request that is under way. */
interface BlockRequest {
  readonly number: number;
  readonly keys: readonly number[];
  /** Of these blocks the answer may be from before a change that was told of meanwhile. */
  readonly staleKeys: Set<number>;
}

/** How the cells of a block look, by row and column of the block; absent: plain. */
export type BlockStyles = readonly (readonly (CellStyle | null)[])[] | null;

export interface BlockAnswer {
  readonly ranges: readonly (ValueRange | { readonly range: string; readonly error: string })[];
  readonly styles: readonly BlockStyles[];
  /** The revision that the cells are of. */
  readonly revision: number;
}

export type BlockReader = (ranges: readonly string[]) => Promise<Result<BlockAnswer>>;

/** The cells of one sheet as far as somebody looks at them. */
export class CellStore {
  private sheet: string;
  private readonly readBlocks: BlockReader;
  private readonly onChange: () => void;
  /** Comes when everything else on the page is in the places of a revision. */
  private readonly waitForRevision: (revision: number) => Promise<void>;
  /** The last revision that changed the places of cells here: older answers are of other places. */
  mappedRevision = 0;
  private readonly blocks = new Map<number, CellBlock>();
  private readonly requests = new Set<BlockRequest>();
  private requestCount = 0;
  /** Answers to questions up to this one are not kept. */
  private ignoredUpTo = 0;
  /** What was typed and is not confirmed yet, by row and column, and by which of the writes. */
  private readonly pending = new Map<number, { readonly text: string; readonly write: number }>();
  private writeCount = 0;
  private visibleArea: Area | null = null;
  /** Where whoever looks goes on by the last that was seen; null: nowhere. */
  private nextArea: Area | null = null;
  private isLoading = false;
  /** Counts the answers that were kept. */
  answerCount = 0;
  private isClosed = false;
  /** What became of the last request; null: it was answered. */
  failure: Failure | null = null;

  constructor(
    sheet: string,
    ask: BlockReader,
    onChange: () => void,
    reached: (revision: number) => Promise<void> = async () => {},
  ) {
    this.sheet = sheet;
    this.readBlocks = ask;
    this.onChange = onChange;
    this.waitForRevision = reached;
  }

  /** The sheet has another name now. */
  rename(sheet: string): void {
    this.sheet = sheet;
  }

  /** Null: empty; undefined: not known yet. */
  cell(row: number, column: number): Cell | null | undefined {
    return this.blocks.get(blockKeyAt(row, column))?.cells[row % BLOCK_ROWS]?.[column % BLOCK_COLUMNS];
  }

  style(row: number, column: number): CellStyle | null {
    return this.blocks.get(blockKeyAt(row, column))?.styles?.[row % BLOCK_ROWS]?.[column % BLOCK_COLUMNS] ?? null;
  }

  pendingText(row: number, column: number): string | undefined {
    return this.pending.size === 0 ? undefined : this.pending.get(row * MAX_COLUMNS + column)?.text;
  }

  /** Shows what was typed until `settle` is told of the write, whose number is the answer. */
  showPending(top: number, left: number, values: readonly (readonly string[])[]): number {
    const write = ++this.writeCount;
    for (const [i, line] of values.entries()) {
      for (const [j, text] of line.entries()) this.pending.set((top + i) * MAX_COLUMNS + left + j, { text, write });
    }
    this.onChange();
    return write;
  }

  /** The same for cells that are to be empty; null where they are too many for that. */
  showPendingEmpty({ top, left, bottom, right }: Area): number | null {
    const [height, width] = [bottom - top + 1, right - left + 1];
    if (height * width > MAX_EMPTIED_CELLS) return null;
    return this.showPending(
      top,
      left,
      Array.from({ length: height }, () => Array.from({ length: width }, () => '')),
    );
  }

  /** Puts what is known into the places after a revision; all of it is asked for again. `id`: the sheet's. */
  applyMapping(id: number, mapping: PositionMapping): void {
    const { steps, revision } = mapping;
    if (steps !== null && !steps.some((step) => step.sheet === id || (step.kind === 'carry' && step.toSheet === id)))
      return;
    this.mappedRevision = revision;
    const known = new Map(this.blocks);
    const cellAt = ({ row, column }: GridPosition) =>
      known.get(blockKeyAt(row, column))?.cells[row % BLOCK_ROWS]?.[column % BLOCK_COLUMNS];
    const styleAt = ({ row, column }: GridPosition) =>
      known.get(blockKeyAt(row, column))?.styles?.[row % BLOCK_ROWS]?.[column % BLOCK_COLUMNS] ?? null;
    for (const [key, block] of known) {
      const isSeen = this.visibleArea !== null && intersects(block.area, this.visibleArea);
      // What nobody looks at is asked for when somebody does.
      if (!isSeen) this.blocks.delete(key);
      else if (steps === null) block.isStale = true;
      else this.blocks.set(key, { ...block, ...mapBlock(block.area, mapping, id, cellAt, styleAt), isStale: true });
    }
    const pending = [...this.pending];
    this.pending.clear();
    for (const [key, expected] of pending) {
      const [row, column] = [Math.floor(key / MAX_COLUMNS), key % MAX_COLUMNS];
      const place = steps === null ? null : mapping.cell({ sheet: this.sheet, row, column });
      if (place?.sheet === this.sheet) this.pending.set(place.row * MAX_COLUMNS + place.column, expected);
    }
    this.onChange();
  }

  /** Forgets all cells: they may not be seen any more. */
  clear(): void {
    this.blocks.clear();
    this.pending.clear();
    // What was asked before may bring them once more.
    this.ignoredUpTo = this.requestCount;
    this.onChange();
  }

  /** What was expected of a write has come true, or will not; what was typed over it since is shown on. */
  async settleWrite(area: Area, write: number | null = null): Promise<void> {
    const areas = this.pendingAreas(write) ?? [area];
    this.markStale(areas);
    await this.ensureAllLoaded(areas);
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
  setVisibleArea(area: Area): void {
    const { visibleArea } = this;
    if (visibleArea !== null && visibleArea.bottom !== area.bottom)
      this.nextArea = areaAhead(area, visibleArea.bottom < area.bottom);
    this.visibleArea = area;
    void this.loadMissing();
  }

  /** Cells that have changed; null: perhaps all of them. What is known of them is shown until they come anew. */
  markStale(areas: readonly Area[] | null): void {
    const concerns = (block: Area) => areas === null || areas.some((area) => intersects(area, block));
    for (const block of this.blocks.values()) {
      if (concerns(block.area)) block.isStale = true;
    }
    for (const { keys, staleKeys } of this.requests) {
      for (const key of keys) if (concerns(blockArea(key))) staleKeys.add(key);
    }
    void this.loadMissing();
  }

  /** Comes when the cells of an area are known; null where they cannot be had. At most so many blocks as are kept. */
  async ensureLoaded(area: Area): Promise<boolean> {
    const missing = this.missingBlocks(area);
    return missing.length <= MAX_BLOCKS && this.loadInParts(missing);
  }

  /** The same of several areas; false also where they are in more blocks than are kept. */
  async ensureAllLoaded(areas: readonly Area[]): Promise<boolean> {
    const keys = new Set<number>();
    for (const area of areas) {
      for (const key of blockKeysIn(area)) {
        if (keys.add(key).size > MAX_BLOCKS) return false;
      }
    }
    return this.loadInParts([...keys].filter((key) => this.blocks.get(key)?.isStale !== false));
  }

  private async loadInParts(keys: readonly number[]): Promise<boolean> {
    for (let i = 0; i < keys.length; i += MAX_RANGES) {
      if (!(await this.loadBlocks(keys.slice(i, i + MAX_RANGES)))) return false;
    }
    return true;
  }

  close(): void {
    this.isClosed = true;
  }

  private missingBlocks(area: Area): readonly number[] {
    return [...blockKeysIn(area)].filter((key) => this.blocks.get(key)?.isStale !== false);
  }

  /** One request at a time; what is wanted meanwhile follows it. */
  private async loadMissing(): Promise<void> {
    if (this.isLoading || this.visibleArea === null || this.isClosed) return;
    const seen = this.missingBlocks(this.visibleArea);
    const missing = seen.length > 0 || this.nextArea === null ? seen : this.missingBlocks(this.nextArea);
    if (missing.length === 0) return;
    this.isLoading = true;
    const isDone = await this.loadBlocks(missing.slice(0, MAX_RANGES));
    if (!isDone) await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
    this.isLoading = false;
    void this.loadMissing();
  }

  private async loadBlocks(keys: readonly number[]): Promise<boolean> {
    const request = { number: ++this.requestCount, keys, staleKeys: new Set<number>() };
    const prefix = quoteSheetName(this.sheet);
    this.requests.add(request);
    const answer = await this.readBlocks(keys.map((key) => `${prefix}!${areaText(blockArea(key))}`));
    if (answer.ok) await this.waitForRevision(answer.value.revision);
    this.requests.delete(request);
    if (this.isClosed) return false;
    const isHidden = !answer.ok && answer.status === 403;
    if (isHidden) this.blocks.clear();
    this.failure = answer.ok ? null : answer;
    if (!answer.ok) {
      this.onChange();
      return false;
    }
    if (request.number <= this.ignoredUpTo) return false;
    // Cells in the places of an earlier revision are asked for again.
    if (answer.value.revision < this.mappedRevision) return this.loadBlocks(keys);
    this.storeAnswer(request, answer.value);
    this.evictOldest();
    this.onChange();
    return true;
  }

  private storeAnswer({ number, keys, staleKeys }: BlockRequest, { ranges, styles }: BlockAnswer): void {
    this.answerCount++;
    for (const [i, key] of keys.entries()) {
      const range = ranges[i];
      // What was asked for later and answered sooner is newer.
      if (range === undefined || (this.blocks.get(key)?.request ?? 0) > number) continue;
      this.blocks.delete(key);
      this.blocks.set(key, {
        area: blockArea(key),
        cells: 'cells' in range ? range.cells : [],
        styles: styles[i] ?? null,
        isStale: staleKeys.has(key),
        request: number,
      });
    }
  }

  /** The map keeps the order in which blocks came. */
  private evictOldest(): void {
    const shown = this.visibleArea;
    for (const [key, { area }] of this.blocks) {
      if (this.blocks.size <= MAX_BLOCKS) return;
      if (shown === null || !intersects(area, shown)) this.blocks.delete(key);
    }
  }
}

/** What a block holds after cells have changed places: each cell from where it was, unknown if that was not known. */
function mapBlock(
  { top, left }: Area,
  mapping: PositionMapping,
  id: number,
  cellAt: (place: GridPosition) => Cell | null | undefined,
  styleAt: (place: GridPosition) => CellStyle | null,
): Pick<CellBlock, 'cells' | 'styles'> {
  const cells: (Cell | null | undefined)[][] = [];
  const styles: (CellStyle | null)[][] = [];
  for (let row = top; row < top + BLOCK_ROWS; row++) {
    const line: (Cell | null | undefined)[] = [];
    const styleLine: (CellStyle | null)[] = [];
    for (let column = left; column < left + BLOCK_COLUMNS; column++) {
      const from = mapping.previousCell(id, { row, column });
      line.push(from === null ? undefined : cellAt(from));
      styleLine.push(from === null ? null : styleAt(from));
    }
    cells.push(line);
    styles.push(styleLine);
  }
  return { cells, styles };
}

/** As many rows as a block has, below or above an area. */
function areaAhead({ top, left, bottom, right }: Area, isDown: boolean): Area | null {
  if (isDown) return { top: bottom + 1, left, bottom: bottom + BLOCK_ROWS, right };
  return top === 0 ? null : { top: Math.max(0, top - BLOCK_ROWS), left, bottom: top - 1, right };
}

function blockKeyAt(row: number, column: number): number {
  return Math.floor(row / BLOCK_ROWS) * BLOCKS_ACROSS + Math.floor(column / BLOCK_COLUMNS);
}

function blockArea(key: number): Area {
  const top = Math.floor(key / BLOCKS_ACROSS) * BLOCK_ROWS;
  const left = (key % BLOCKS_ACROSS) * BLOCK_COLUMNS;
  return { top, left, bottom: top + BLOCK_ROWS - 1, right: left + BLOCK_COLUMNS - 1 };
}

function* blockKeysIn({ top, left, bottom, right }: Area): Iterable<number> {
  const lastRow = Math.min(bottom, MAX_ROWS - 1);
  const lastColumn = Math.min(right, MAX_COLUMNS - 1);
  for (let row = top - (top % BLOCK_ROWS); row <= lastRow; row += BLOCK_ROWS) {
    for (let column = left - (left % BLOCK_COLUMNS); column <= lastColumn; column += BLOCK_COLUMNS) {
      yield blockKeyAt(row, column);
    }
  }
}
