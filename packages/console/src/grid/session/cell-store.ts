import { type Area, areaText, intersects, MAX_COLUMNS, MAX_ROWS, quoteSheetName } from '@cellwire/engine';
import type { Failure, Result } from '../../data/http.ts';
import type { Cell, CellStyle, ValueRange } from '../../data/types.ts';
import type { GridPosition } from '../selection/selection.ts';
import type { PositionMapping } from './position-mapping.ts';

/** Rows and columns of a block, the unit of loading and caching. */
export const BLOCK_ROWS = 128;
const BLOCK_COLUMNS = 16;
const BLOCKS_ACROSS = MAX_COLUMNS / BLOCK_COLUMNS;
/** Maximum number of cached blocks. The oldest are dropped. */
const MAX_BLOCKS = 160;
/** Maximum ranges of a request; see batchGet of the API. */
const MAX_RANGES = 20;
/** Delay after a failed request, in milliseconds. */
const RETRY_DELAY_MS = 2_000;
/** The service's message for a range of a sheet whose values are hidden. */
const VALUES_HIDDEN = 'Sheet values are hidden';
/** Maximum cells that are shown empty before the service has confirmed it. */
const MAX_EMPTIED_CELLS = 10_000;

interface LoadedBlock {
  readonly area: Area;
  /** Cells of the block; undefined for an unknown cell. */
  cells: readonly (readonly (Cell | null | undefined)[])[];
  styles: BlockStyles;
  /** True if the content is outdated or was never loaded. */
  isStale: boolean;
  /** True if the service refused to read the block. The block is read again on demand and when it is stale. */
  isRefused: boolean;
  /** Number of the request whose answer the block holds. */
  request: number;
}

/** A running request. */
interface BlockRequest {
  readonly number: number;
  readonly keys: readonly number[];
  /** Keys of blocks that changed after the request was sent. The answer may be older than the change. */
  readonly staleKeys: Set<number>;
}

/** Styles of a block by row and column; null if all are plain. */
export type BlockStyles = readonly (readonly (CellStyle | null)[])[] | null;

export interface BlockAnswer {
  readonly ranges: readonly (ValueRange | { readonly range: string; readonly error: string })[];
  readonly styles: readonly BlockStyles[];
  /** The revision of the cells. */
  readonly revision: number;
}

export type BlockFetcher = (ranges: readonly string[]) => Promise<Result<BlockAnswer>>;

interface CellStoreOptions {
  readonly readBlocks: BlockFetcher;
  /** Called when cells are loaded or changed. */
  readonly onChange: () => void;
  /** The service refused to read blocks because the sheet's values are hidden. */
  readonly onHidden?: () => void;
  /** Resolves when the page has reached a revision. */
  readonly waitForRevision?: (revision: number) => Promise<void>;
}

/** Loaded cells of one sheet: the visible area and its surroundings. */
export class CellStore {
  private sheet: string;
  private readonly options: CellStoreOptions;
  /** Last revision that moved cells of this sheet. Older answers have other positions. */
  mappedRevision = 0;
  private readonly blocks = new Map<number, LoadedBlock>();
  private readonly requests = new Set<BlockRequest>();
  private requestCount = 0;
  /** Answers up to this request are ignored. */
  private ignoredUpTo = 0;
  /** Unconfirmed input by position, with the number of its write. */
  private readonly pending = new Map<number, { readonly text: string; readonly write: number }>();
  private writeCount = 0;
  private visibleArea: Area | null = null;
  /** Area that comes next in the direction of scrolling; null if none. */
  private nextArea: Area | null = null;
  private isLoading = false;
  /** Number of stored answers. */
  answerCount = 0;
  private isClosed = false;
  /** Failure of the last request; null if it succeeded. */
  failure: Failure | null = null;

  constructor(sheet: string, options: CellStoreOptions) {
    this.sheet = sheet;
    this.options = options;
  }

  rename(sheet: string): void {
    this.sheet = sheet;
  }

  /** Null if empty; undefined while unknown. */
  getCell(row: number, column: number): Cell | null | undefined {
    return this.blocks.get(getBlockKey(row, column))?.cells[row % BLOCK_ROWS]?.[column % BLOCK_COLUMNS];
  }

  getStyle(row: number, column: number): CellStyle | null {
    return this.blocks.get(getBlockKey(row, column))?.styles?.[row % BLOCK_ROWS]?.[column % BLOCK_COLUMNS] ?? null;
  }

  getPendingText(row: number, column: number): string | undefined {
    return this.pending.size === 0 ? undefined : this.pending.get(row * MAX_COLUMNS + column)?.text;
  }

  /** Shows typed texts until `endPendingWrite` is called with the returned number. */
  showPending(top: number, left: number, values: readonly (readonly string[])[]): number {
    const write = ++this.writeCount;
    for (const [i, line] of values.entries()) {
      for (const [j, text] of line.entries()) this.pending.set((top + i) * MAX_COLUMNS + left + j, { text, write });
    }
    this.options.onChange();
    return write;
  }

  /** Shows cells as empty until the write is settled; returns null if there are too many. */
  showPendingEmpty({ top, left, bottom, right }: Area): number | null {
    const [height, width] = [bottom - top + 1, right - left + 1];
    if (height * width > MAX_EMPTIED_CELLS) return null;
    return this.showPending(
      top,
      left,
      Array.from({ length: height }, () => Array.from({ length: width }, () => '')),
    );
  }

  /**
   * Moves the loaded cells to their positions after a revision, and loads all of them again. `id` is the sheet's id.
   */
  applyMapping(id: number, mapping: PositionMapping): void {
    const { steps, revision } = mapping;
    if (steps !== null && !steps.some((step) => step.sheet === id || (step.kind === 'carry' && step.toSheet === id)))
      return;
    this.mappedRevision = revision;
    const blocks = new Map(this.blocks);
    const getLoadedCell = ({ row, column }: GridPosition) =>
      blocks.get(getBlockKey(row, column))?.cells[row % BLOCK_ROWS]?.[column % BLOCK_COLUMNS];
    const getLoadedStyle = ({ row, column }: GridPosition) =>
      blocks.get(getBlockKey(row, column))?.styles?.[row % BLOCK_ROWS]?.[column % BLOCK_COLUMNS] ?? null;
    for (const [key, block] of blocks) {
      const isSeen = this.visibleArea !== null && intersects(block.area, this.visibleArea);
      // Blocks outside the visible area are loaded again on demand.
      if (!isSeen) this.blocks.delete(key);
      else if (steps === null) block.isStale = true;
      else
        this.blocks.set(key, {
          ...block,
          ...mapBlock(block.area, mapping, id, getLoadedCell, getLoadedStyle),
          isStale: true,
        });
    }
    const pending = [...this.pending];
    this.pending.clear();
    for (const [key, expected] of pending) {
      const [row, column] = [Math.floor(key / MAX_COLUMNS), key % MAX_COLUMNS];
      const position = steps === null ? null : mapping.mapCell({ sheet: this.sheet, row, column });
      if (position?.sheet === this.sheet) this.pending.set(position.row * MAX_COLUMNS + position.column, expected);
    }
    this.options.onChange();
  }

  /** Loads the visible blocks that the service refused to read, because the person's rights have changed. */
  reloadRefused(): void {
    for (const block of this.blocks.values()) if (block.isRefused) block.isStale = true;
    void this.loadMissing();
  }

  /** Drops all cells, because the person may no longer see them. */
  clear(): void {
    this.blocks.clear();
    this.pending.clear();
    // Answers to running requests are ignored, and nothing is loaded until the grid is shown again.
    this.ignoredUpTo = this.requestCount;
    this.visibleArea = null;
    this.options.onChange();
  }

  /** Ends the pending texts of a write. Newer input over them stays. */
  async endPendingWrite(area: Area, write: number | null = null): Promise<void> {
    const areas = this.listPendingAreas(write) ?? [area];
    this.markStale(areas);
    await this.ensureAllLoaded(areas);
    for (const [key, expected] of this.pending) {
      if (expected.write === write) this.pending.delete(key);
    }
    this.options.onChange();
  }

  /** Current cells of a write; null if nothing is pending. */
  private listPendingAreas(write: number | null): readonly Area[] | null {
    const areas: Area[] = [];
    for (const [key, expected] of this.pending) {
      if (expected.write !== write) continue;
      const [row, column] = [Math.floor(key / MAX_COLUMNS), key % MAX_COLUMNS];
      areas.push({ top: row, bottom: row, left: column, right: column });
    }
    return areas.length === 0 ? null : areas;
  }

  /** Loads the missing blocks of the visible area, then the area ahead. */
  setVisibleArea(area: Area): void {
    const { visibleArea } = this;
    if (visibleArea !== null && visibleArea.bottom !== area.bottom)
      this.nextArea = findAreaAhead(area, visibleArea.bottom < area.bottom);
    this.visibleArea = area;
    void this.loadMissing();
  }

  /** Marks changed cells as stale; null means any cell. They stay visible until the new content arrives. */
  markStale(areas: readonly Area[] | null): void {
    const isAffected = (block: Area) => areas === null || areas.some((area) => intersects(area, block));
    for (const block of this.blocks.values()) {
      if (isAffected(block.area)) block.isStale = true;
    }
    for (const { keys, staleKeys } of this.requests) {
      for (const key of keys) if (isAffected(getBlockArea(key))) staleKeys.add(key);
    }
    void this.loadMissing();
  }

  /**
   * Resolves to true when the cells of an area are loaded; false on failure or if the area has more blocks than the
   * cache.
   */
  async ensureLoaded(area: Area): Promise<boolean> {
    const missing = this.listMissingBlocks(area);
    return missing.length <= MAX_BLOCKS && this.loadInParts(missing);
  }

  /** Like `ensureLoaded`, for several areas. */
  async ensureAllLoaded(areas: readonly Area[]): Promise<boolean> {
    const keys = new Set<number>();
    for (const area of areas) {
      for (const key of listBlockKeys(area)) {
        if (keys.add(key).size > MAX_BLOCKS) return false;
      }
    }
    return this.loadInParts([...keys].filter((key) => !this.isLoaded(key)));
  }

  /** Loads blocks with one request after another. Resolves to false on failure. */
  private async loadInParts(keys: readonly number[]): Promise<boolean> {
    for (let i = 0; i < keys.length; i += MAX_RANGES) {
      if (!(await this.loadBlocks(keys.slice(i, i + MAX_RANGES)))) return false;
    }
    return true;
  }

  close(): void {
    this.isClosed = true;
  }

  private isLoaded(key: number): boolean {
    const block = this.blocks.get(key);
    return block !== undefined && !block.isStale && !block.isRefused;
  }

  /** Lists the blocks of an area that are not loaded, are stale, or were refused. */
  private listMissingBlocks(area: Area): readonly number[] {
    return [...listBlockKeys(area)].filter((key) => !this.isLoaded(key));
  }

  /** The blocks of an area whose content is unknown or outdated, without blocks that the service refused to read. */
  private listStaleBlocks(area: Area): readonly number[] {
    return [...listBlockKeys(area)].filter((key) => this.blocks.get(key)?.isStale !== false);
  }

  /** Sends one request at a time. Each request loads the blocks that are missing when it is sent. */
  private async loadMissing(): Promise<void> {
    if (this.isLoading || this.visibleArea === null || this.isClosed) return;
    const visibleBlocks = this.listStaleBlocks(this.visibleArea);
    const missing =
      visibleBlocks.length > 0 || this.nextArea === null ? visibleBlocks : this.listStaleBlocks(this.nextArea);
    if (missing.length === 0) return;
    this.isLoading = true;
    await this.loadBlocks(missing.slice(0, MAX_RANGES));
    if (this.failure !== null) await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
    this.isLoading = false;
    void this.loadMissing();
  }

  private async loadBlocks(keys: readonly number[]): Promise<boolean> {
    const request = { number: ++this.requestCount, keys, staleKeys: new Set<number>() };
    const prefix = quoteSheetName(this.sheet);
    this.requests.add(request);
    const answer = await this.options.readBlocks(keys.map((key) => `${prefix}!${areaText(getBlockArea(key))}`));
    if (answer.ok) await this.options.waitForRevision?.(answer.value.revision);
    this.requests.delete(request);
    if (this.isClosed) return false;
    const isHidden = !answer.ok && answer.status === 403;
    if (isHidden) this.blocks.clear();
    this.failure = answer.ok ? null : answer;
    if (!answer.ok) {
      this.options.onChange();
      return false;
    }
    if (request.number <= this.ignoredUpTo) return false;
    // Cells with positions of an earlier revision are requested again.
    if (answer.value.revision < this.mappedRevision) return this.loadBlocks(keys);
    this.storeAnswer(request, answer.value);
    this.evictOldest();
    this.options.onChange();
    const { ranges } = answer.value;
    if (ranges.some((range) => !hasCells(range) && range.error === VALUES_HIDDEN)) this.options.onHidden?.();
    return ranges.every(hasCells);
  }

  /**
   * Stores the cells and styles of an answer, except for blocks that hold the answer of a later request. Blocks that
   * changed after the request are stale.
   */
  private storeAnswer({ number, keys, staleKeys }: BlockRequest, { ranges, styles }: BlockAnswer): void {
    this.answerCount++;
    for (const [i, key] of keys.entries()) {
      const range = ranges[i];
      // The block already holds the answer of a later request.
      if (range === undefined || (this.blocks.get(key)?.request ?? 0) > number) continue;
      this.blocks.delete(key);
      this.blocks.set(key, {
        area: getBlockArea(key),
        cells: hasCells(range) ? range.cells : [],
        styles: styles[i] ?? null,
        isStale: staleKeys.has(key),
        isRefused: !hasCells(range),
        request: number,
      });
    }
  }

  /** The map keeps insertion order, so the oldest blocks come first. */
  private evictOldest(): void {
    const shown = this.visibleArea;
    for (const [key, { area }] of this.blocks) {
      if (this.blocks.size <= MAX_BLOCKS) return;
      if (shown === null || !intersects(area, shown)) this.blocks.delete(key);
    }
  }
}

/** True if the service returned cells for a range, and not an error. */
function hasCells(range: BlockAnswer['ranges'][number]): range is ValueRange {
  return 'cells' in range;
}

/** Content of a block after cells moved. Cells whose source is not loaded are unknown. */
function mapBlock(
  { top, left }: Area,
  mapping: PositionMapping,
  id: number,
  getCell: (position: GridPosition) => Cell | null | undefined,
  getStyle: (position: GridPosition) => CellStyle | null,
): Pick<LoadedBlock, 'cells' | 'styles'> {
  const cells: (Cell | null | undefined)[][] = [];
  const styles: (CellStyle | null)[][] = [];
  for (let row = top; row < top + BLOCK_ROWS; row++) {
    const line: (Cell | null | undefined)[] = [];
    const styleLine: (CellStyle | null)[] = [];
    for (let column = left; column < left + BLOCK_COLUMNS; column++) {
      const from = mapping.findPreviousCell(id, { row, column });
      line.push(from === null ? undefined : getCell(from));
      styleLine.push(from === null ? null : getStyle(from));
    }
    cells.push(line);
    styles.push(styleLine);
  }
  return { cells, styles };
}

/** The area of one block's height above or below. */
function findAreaAhead({ top, left, bottom, right }: Area, isDown: boolean): Area | null {
  if (isDown) return { top: bottom + 1, left, bottom: bottom + BLOCK_ROWS, right };
  return top === 0 ? null : { top: Math.max(0, top - BLOCK_ROWS), left, bottom: top - 1, right };
}

/** Returns the number of the block that contains a cell. */
function getBlockKey(row: number, column: number): number {
  return Math.floor(row / BLOCK_ROWS) * BLOCKS_ACROSS + Math.floor(column / BLOCK_COLUMNS);
}

function getBlockArea(key: number): Area {
  const top = Math.floor(key / BLOCKS_ACROSS) * BLOCK_ROWS;
  const left = (key % BLOCKS_ACROSS) * BLOCK_COLUMNS;
  return { top, left, bottom: top + BLOCK_ROWS - 1, right: left + BLOCK_COLUMNS - 1 };
}

function* listBlockKeys({ top, left, bottom, right }: Area): Iterable<number> {
  const lastRow = Math.min(bottom, MAX_ROWS - 1);
  const lastColumn = Math.min(right, MAX_COLUMNS - 1);
  for (let row = top - (top % BLOCK_ROWS); row <= lastRow; row += BLOCK_ROWS) {
    for (let column = left - (left % BLOCK_COLUMNS); column <= lastColumn; column += BLOCK_COLUMNS) {
      yield getBlockKey(row, column);
    }
  }
}
