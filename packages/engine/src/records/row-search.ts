import { CHUNK_ROWS, CHUNK_SHIFT, type Chunk, EMPTY } from '../sheet/chunk.ts';
import type { Column, Snapshot } from '../sheet/snapshot.ts';
import { ColumnReader, type RecordType } from './cell-values.ts';
import { HAS_BOOLEAN, HAS_DATE, HAS_NUMBER, HAS_TEXT, kindSteps } from './column-type.ts';
import { type CellTest, type Comparison, compileTest, type Filter, indexedValues } from './conditions.ts';
import { type DocumentIndexes, FEW_ROWS } from './record-indexes.ts';
import type { Region } from './region.ts';

/** Rows that a formula holds for: a byte for each row from `top` on. */
export interface RowTruths {
  readonly top: number;
  readonly holds: Uint8Array;
}

/** Types of columns, by their place among the region's; those of the others are what their cells say. */
export type ColumnTypes = ReadonlyMap<number, RecordType>;

/** Cells that are looked at between two pauses. */
const CELLS_A_STEP = 8_192;

interface Prepared {
  readonly reader: ColumnReader;
  readonly column: Column | undefined;
  readonly test: CellTest;
}

/** The comparisons of a filter over one snapshot. */
interface Resolved {
  readonly all: readonly Prepared[];
  readonly oneOf: readonly (readonly Prepared[])[] | null;
  readonly none: readonly (readonly Prepared[])[];
  readonly columns: readonly (Column | undefined)[];
}

interface FoundBlock {
  readonly chunks: readonly (Chunk | undefined)[];
  readonly from: number;
  readonly end: number;
  readonly rows: readonly number[];
}

/**
 * The records that a filter holds for. Rows whose chunks are the same as at the last search are not looked at again, so
 * that what was found in one state is brought to the next in little time.
 */
export class RowSearch {
  private readonly filter: Filter;
  private readonly types: ColumnTypes;
  private readonly truths: RowTruths | null;
  private blocks: (FoundBlock | undefined)[] = [];

  /** `truths`: what a formula says of the rows; null: nothing. */
  constructor(filter: Filter, types: ColumnTypes, truths: RowTruths | null = null) {
    this.filter = filter;
    this.types = types;
    this.truths = truths;
  }

  /** Their rows, in order. Pauses now and then. */
  *rows(snapshot: Snapshot, region: Region, indexes: DocumentIndexes | null): Generator<void, readonly number[]> {
    const resolved = this.resolve(snapshot, region);
    const candidates = indexes && (yield* this.candidates(snapshot, region, indexes));
    if (candidates) return candidates.filter((row) => this.holds(resolved, row));
    return yield* this.through(resolved, region);
  }

  /** Rows that an equality leaves, from the column's index; null where there is none. */
  private *candidates(
    snapshot: Snapshot,
    region: Region,
    indexes: DocumentIndexes,
  ): Generator<void, readonly number[] | null> {
    if (region.end - region.header <= FEW_ROWS) return null;
    for (const { at, test } of this.filter.all) {
      if (test.op !== 'in') continue;
      const held = columnOf(snapshot, region, at);
      if (held === undefined) return [];
      const type = this.types.get(at) ?? null;
      const values = indexedValues(test.values, type, snapshot.settings.dateSystem);
      const first = region.header + 1;
      if (values === null || isConverted(type, yield* kindSteps(snapshot, held, first, region.end))) continue;
      const place = region.columns[at]?.column ?? -1;
      const index = yield* indexes.index(snapshot, region.sheet, place, held, 1);
      if (index === null) continue;
      const rows = new Set(values.flatMap((value) => index.equal(value, false)));
      return [...rows].filter((row) => row >= first && row < region.end).sort((a, b) => a - b);
    }
    return null;
  }

  private *through(resolved: Resolved, region: Region): Generator<void, readonly number[]> {
    const found: (readonly number[])[] = [];
    const first = region.header + 1;
    const cost = CHUNK_ROWS * (1 + this.filter.all.length + (this.filter.oneOf?.length ?? 0) + this.filter.none.length);
    let cells = 0;
    for (let block = first >> CHUNK_SHIFT; block << CHUNK_SHIFT < region.end; block++) {
      const from = Math.max(first, block << CHUNK_SHIFT);
      const end = Math.min(region.end, (block + 1) << CHUNK_SHIFT);
      const rows = this.block(resolved, block, from, end);
      if (rows.length > 0) found.push(rows);
      cells += cost;
      if (cells < CELLS_A_STEP) continue;
      cells = 0;
      yield;
    }
    return found.flat();
  }

  private block(resolved: Resolved, block: number, from: number, end: number): readonly number[] {
    const chunks = resolved.columns.map((column) => column?.chunks[block]);
    const held = this.blocks[block];
    const isSame = held?.from === from && held.end === end && held.chunks.every((chunk, i) => chunk === chunks[i]);
    if (held && isSame) return held.rows;
    const rows: number[] = [];
    if (chunks.some((chunk) => chunk !== undefined)) {
      for (let row = from; row < end; row++) if (this.holds(resolved, row)) rows.push(row);
    }
    this.blocks[block] = { chunks, from, end, rows };
    return rows;
  }

  private holds({ all, oneOf, none, columns }: Resolved, row: number): boolean {
    for (const one of all) if (!holdsFor(one, row)) return false;
    if (oneOf !== null && !oneOf.some((group) => group.every((one) => holdsFor(one, row)))) return false;
    if (none.some((group) => group.every((one) => holdsFor(one, row)))) return false;
    if (this.truths !== null && this.truths.holds[row - this.truths.top] !== 1) return false;
    return isFilled(columns, row);
  }

  private resolve(snapshot: Snapshot, region: Region): Resolved {
    const { caseSensitive } = this.filter;
    const how = { caseSensitive, system: snapshot.settings.dateSystem };
    const prepare = ({ at, test }: Comparison): Prepared => {
      const type = this.types.get(at) ?? null;
      const column = region.columns[at]?.column ?? -1;
      const reader = new ColumnReader(snapshot, column, type);
      return { reader, column: columnOf(snapshot, region, at), test: compileTest(test, type, how) };
    };
    return {
      all: this.filter.all.map(prepare),
      oneOf: this.filter.oneOf?.map((group) => group.map(prepare)) ?? null,
      none: this.filter.none.map((group) => group.map(prepare)),
      columns: region.columns.map((_, at) => columnOf(snapshot, region, at)),
    };
  }
}

function holdsFor({ reader, column, test }: Prepared, row: number): boolean {
  const chunk = column?.chunks[row >> CHUNK_SHIFT];
  const at = row & (CHUNK_ROWS - 1);
  if (chunk === undefined) return test.holds(null, NO);
  return test.holds(reader.scalar(chunk, at), () => reader.showsDate(chunk, at));
}

const NO = (): boolean => false;

/** Whether a row holds anything in the region's columns: else it is no record. */
function isFilled(columns: readonly (Column | undefined)[], row: number): boolean {
  const block = row >> CHUNK_SHIFT;
  const at = row & (CHUNK_ROWS - 1);
  return columns.some((column) => (column?.chunks[block]?.kind(at) ?? EMPTY) !== EMPTY);
}

export function columnOf(snapshot: Snapshot, { sheet, columns }: Region, at: number): Column | undefined {
  return snapshot.sheetById(sheet)?.columns[columns[at]?.column ?? -1];
}

/** Whether the type reads some cells of the column as what they are not: an index has them as they are. */
export function isConverted(type: RecordType | null, kinds: number): boolean {
  if (type === null) return false;
  return type === 'text' ? (kinds & (HAS_NUMBER | HAS_DATE | HAS_BOOLEAN)) !== 0 : (kinds & HAS_TEXT) !== 0;
}
