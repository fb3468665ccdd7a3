import { CHUNK_ROWS } from './chunk-rows.ts';
import {
  type ChunkCells,
  type ChunkExtremes,
  type ChunkTotals,
  computeChunkTotals,
  findExtremes,
} from './chunk-totals.ts';
import { computeRowStatistics, type NumberStatistics } from './number-statistics.ts';

/** Figures of a chunk's numbers. Each is computed when it is first needed. */
export class ChunkFigures {
  private readonly chunk: ChunkCells;
  private totalsCache: ChunkTotals | null = null;
  private extremesCache: ChunkExtremes | null = null;
  private statisticsCache: NumberStatistics | null = null;

  constructor(chunk: ChunkCells) {
    this.chunk = chunk;
  }

  get totals(): ChunkTotals {
    this.totalsCache ??= computeChunkTotals(this.chunk);
    return this.totalsCache;
  }

  get extremes(): ChunkExtremes {
    const { kinds, numbers, isAllNumbers } = this.chunk;
    this.extremesCache ??= findExtremes(kinds, numbers, isAllNumbers, 0, numbers.length - 1);
    return this.extremesCache;
  }

  get statistics(): NumberStatistics {
    this.statisticsCache ??= computeRowStatistics(this.chunk, 0, CHUNK_ROWS - 1);
    return this.statisticsCache;
  }
}
