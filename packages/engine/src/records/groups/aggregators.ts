import { EMPTY, NUMBER, TYPE_MASK } from '../../sheet/cell-kind.ts';
import type { CellError } from '../../value/errors.ts';
import { growArray } from '../../value/grow-array.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import type { BlockReader, RecordCell, ValueNumbers } from '../block-reader.ts';
import { compareFilled } from '../compare-filled.ts';

export type Aggregation = 'sum' | 'count' | 'average' | 'min' | 'max' | 'countDistinct';

/** Some rows of a block: their positions in the block, and the numbers of their groups. */
interface GroupedRows {
  readonly block: number;
  readonly places: Uint8Array;
  readonly ids: Int32Array;
  readonly count: number;
}

/** Computes one aggregate for each group of records. */
export interface GroupAggregator {
  /** Number of distinct values that are stored. */
  readonly storedValueCount: number;
  /** Increases the number of groups. */
  setGroupCount(groups: number): void;
  add(rows: GroupedRows): void;
  readResult(group: number): RecordCell;
}

/**
 * Creates the aggregator of a kind. `source`: null to count records; a column with numbered values for `countDistinct`.
 */
export function createAggregator(kind: Aggregation, source: BlockReader | null): GroupAggregator {
  if (source === null) return new RecordCounts();
  switch (kind) {
    case 'count':
      return new CellCounts(source);
    case 'countDistinct':
      return new DistinctCounts(source as ValueNumbers);
    case 'sum':
    case 'average':
      return new GroupSums(source, kind);
    case 'min':
    case 'max':
      return new GroupExtremes(source, kind);
  }
}

function toPlainCell(value: number | null): RecordCell {
  return { scalar: value, field: value };
}

function toErrorCell(error: CellError): RecordCell {
  return { scalar: error, field: { error: error.code } };
}

/** Returns an array with an element for each group: the same one, or a longer copy. */
function growForGroups<A extends Float64Array | Uint16Array>(array: A, groups: number): A {
  return groups <= array.length ? array : growArray(array, Math.max(MIN_GROUPS, 2 * groups));
}

const MIN_GROUPS = 256;

class RecordCounts implements GroupAggregator {
  readonly storedValueCount = 0;
  private groupCount = 0;
  private counts = new Float64Array(0);

  setGroupCount(groups: number): void {
    this.groupCount = groups;
    this.counts = growForGroups(this.counts, groups);
  }

  /** Counts the rows of a block in their groups. */
  add({ ids, count }: GroupedRows): void {
    const { counts } = this;
    if (this.groupCount === 1) {
      counts[0] = counts[0]! + count;
      return;
    }
    for (let i = 0; i < count; i++) {
      const group = ids[i]!;
      counts[group] = counts[group]! + 1;
    }
  }

  /** The number of records in a group. */
  readResult(group: number): RecordCell {
    return toPlainCell(this.counts[group]!);
  }
}

class CellCounts implements GroupAggregator {
  readonly storedValueCount = 0;
  private readonly source: BlockReader;
  private counts = new Float64Array(0);

  constructor(source: BlockReader) {
    this.source = source;
  }

  setGroupCount(groups: number): void {
    this.counts = growForGroups(this.counts, groups);
  }

  /** Counts the filled cells of a block in their groups. */
  add({ block, places, ids, count }: GroupedRows): void {
    const { source, counts } = this;
    source.enterBlock(block);
    for (let i = 0; i < count; i++) {
      const group = ids[i]!;
      if (source.isFilled(places[i]!)) counts[group] = counts[group]! + 1;
    }
  }

  /** The number of filled cells in a group. */
  readResult(group: number): RecordCell {
    return toPlainCell(this.counts[group]!);
  }
}

class DistinctCounts implements GroupAggregator {
  storedValueCount = 0;
  private readonly source: ValueNumbers;
  private readonly idsByGroup: Set<number>[] = [];
  private readonly numbers = new Int32Array(256);

  constructor(source: ValueNumbers) {
    this.source = source;
  }

  setGroupCount(groups: number): void {
    while (this.idsByGroup.length < groups) this.idsByGroup.push(new Set());
  }

  /** Counts the distinct values of a block in their groups. */
  add({ block, places, ids, count }: GroupedRows): void {
    const { source, idsByGroup, numbers } = this;
    source.enterBlock(block);
    source.assignIds(places, count, numbers);
    for (let i = 0; i < count; i++) {
      const values = idsByGroup[ids[i]!] as Set<number>;
      const value = numbers[i]!;
      if (values.has(value) || !source.isFilled(places[i]!)) continue;
      values.add(value);
      this.storedValueCount++;
    }
  }

  /** The number of distinct values in a group. */
  readResult(group: number): RecordCell {
    return toPlainCell(this.idsByGroup[group]!.size);
  }
}

/** The number in a row of a block; 0 after the end of its numbers, where cells are empty. */
function readNumberOrZero(numbers: Float64Array, at: number): number {
  return at < numbers.length ? numbers[at]! : 0;
}

class GroupSums implements GroupAggregator {
  readonly storedValueCount = 0;
  private readonly source: BlockReader;
  private readonly kind: 'sum' | 'average';
  private groupCount = 0;
  private sums = new Float64Array(0);
  /** Numbers of added values, for averages. */
  private counts = new Float64Array(0);
  private readonly errors = new Map<number, CellError>();

  constructor(source: BlockReader, kind: 'sum' | 'average') {
    this.source = source;
    this.kind = kind;
  }

  setGroupCount(groups: number): void {
    this.groupCount = groups;
    this.sums = growForGroups(this.sums, groups);
    if (this.kind === 'average') this.counts = growForGroups(this.counts, groups);
  }

  /** Adds the numbers of a block to their groups. */
  add(rows: GroupedRows): void {
    const { source } = this;
    source.enterBlock(rows.block);
    if (source.hasPlainNumbers && source.chunk?.isAllNumbers === true) return this.addNumbers(rows);
    const { places, ids, count } = rows;
    const { kinds, numbers, hasPlainNumbers } = source;
    for (let i = 0; i < count; i++) {
      const at = places[i]!;
      const type = kinds[at]! & TYPE_MASK;
      if (type === NUMBER && hasPlainNumbers) this.addNumber(ids[i]!, numbers[at]!);
      else if (type !== EMPTY) this.addNonPlainValue(ids[i]!, source.readScalar(at));
    }
  }

  /** Adds the cells of a block of plain numbers to their groups. */
  private addNumbers({ places, ids, count }: GroupedRows): void {
    const { sums, counts } = this;
    const { numbers } = this.source;
    if (this.groupCount === 1) {
      // A local variable saves waiting for the memory of the sum before each addition.
      let sum = sums[0]!;
      for (let i = 0; i < count; i++) sum += readNumberOrZero(numbers, places[i]!);
      sums[0] = sum;
    } else
      for (let i = 0; i < count; i++) {
        const group = ids[i]!;
        sums[group] = sums[group]! + readNumberOrZero(numbers, places[i]!);
      }
    if (this.kind === 'sum') return;
    for (let i = 0; i < count; i++) {
      const group = ids[i]!;
      counts[group] = counts[group]! + Number(places[i]! < numbers.length);
    }
  }

  private addNumber(group: number, number: number): void {
    this.sums[group] = this.sums[group]! + number;
    if (this.kind === 'average') this.counts[group] = this.counts[group]! + 1;
  }

  /** Adds a converted value to a group: a number, or an error. Other values do not count. */
  private addNonPlainValue(group: number, value: Scalar): void {
    if (isError(value) && !this.errors.has(group)) this.errors.set(group, value);
    if (typeof value === 'number') this.addNumber(group, value);
  }

  /** The sum or average of a group; its first error if it has one. */
  readResult(group: number): RecordCell {
    const error = this.errors.get(group);
    if (error !== undefined) return toErrorCell(error);
    const sum = this.sums[group]!;
    if (this.kind === 'sum') return toPlainCell(sum);
    const count = this.counts[group]!;
    return toPlainCell(count === 0 ? null : sum / count);
  }
}

class GroupExtremes implements GroupAggregator {
  readonly storedValueCount = 0;
  private readonly source: BlockReader;
  private readonly kind: 'min' | 'max';
  /** The smallest or greatest number of each group so far; NaN for a group without one, or with another value. */
  private numbers = new Float64Array(0);
  /** The smallest or greatest value of groups in which it is not a number. */
  private readonly others = new Map<number, Scalar>();
  /** Formats of the cells with these values. */
  private formats = new Uint16Array(0);
  private readonly errors = new Map<number, CellError>();

  constructor(source: BlockReader, kind: 'min' | 'max') {
    this.source = source;
    this.kind = kind;
  }

  setGroupCount(groups: number): void {
    const { length } = this.numbers;
    if (groups <= length) return;
    this.numbers = growForGroups(this.numbers, groups).fill(Number.NaN, length);
    this.formats = growForGroups(this.formats, groups);
  }

  /** Compares the values of a block with the extremes of their groups. */
  add({ block, places, ids, count }: GroupedRows): void {
    const { source, numbers } = this;
    source.enterBlock(block);
    const { kinds, hasPlainNumbers } = source;
    const cells = source.numbers;
    const sign = this.kind === 'min' ? 1 : -1;
    for (let i = 0; i < count; i++) {
      const at = places[i]!;
      const group = ids[i]!;
      if (hasPlainNumbers && (kinds[at]! & TYPE_MASK) === NUMBER) {
        // Most numbers are not better than the best of many before them. The comparison is false for NaN.
        if (sign * cells[at]! >= sign * numbers[group]!) continue;
        this.addValue(group, cells[at]!, at);
      } else if (source.readCellType(at) !== EMPTY) this.addValue(group, source.readScalar(at), at);
    }
  }

  /** Compares a value with the extreme of its group. */
  private addValue(group: number, value: Scalar, blockRow: number): void {
    if (isError(value)) {
      if (!this.errors.has(group)) this.errors.set(group, value);
      return;
    }
    if (value === null || !this.isBetter(value, this.readValue(group))) return;
    this.formats[group] = this.source.chunk?.format(blockRow) ?? 0;
    if (typeof value === 'number') {
      this.numbers[group] = value;
      this.others.delete(group);
    } else {
      this.numbers[group] = Number.NaN;
      this.others.set(group, value);
    }
  }

  /** The smallest or greatest value of a group so far; null if it has none. */
  private readValue(group: number): Scalar {
    const number = this.numbers[group]!;
    return Number.isNaN(number) ? (this.others.get(group) ?? null) : number;
  }

  /**
   * Numbers are less than texts, and texts less than booleans. The exception: the greatest of texts and numbers is the
   * greatest number.
   */
  private isBetter(value: Scalar, existing: Scalar): boolean {
    if (existing === null) return true;
    if (typeof value === 'number' && typeof existing === 'number')
      return this.kind === 'min' ? value < existing : value > existing;
    const order = compareFilled(value, existing, false, this.source.reader.locale);
    if (typeof value !== typeof existing) return order <= 0;
    return this.kind === 'min' ? order < 0 : order > 0;
  }

  /** The least or greatest value of a group; its first error if it has one. */
  readResult(group: number): RecordCell {
    const error = this.errors.get(group);
    if (error !== undefined) return toErrorCell(error);
    const scalar = this.readValue(group);
    return { scalar, field: this.source.reader.toField(scalar, this.formats[group]!) };
  }
}
