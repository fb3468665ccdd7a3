import { CriteriaStatistics } from './criteria-statistics.ts';

/**
 * Sums and extremes of consecutive values, by a segment tree: node i has the children 2i and 2i + 1, and the last nodes
 * are the values. A sum has two parts: a double, and the remainder that was lost by rounding.
 */
export class StatisticsTree {
  private readonly length: number;
  private readonly sum: Float64Array;
  private readonly lost: Float64Array;
  private readonly least: Float64Array;
  private readonly greatest: Float64Array;

  constructor(values: Float64Array) {
    const nodes = () => new Float64Array(2 * values.length);
    this.length = values.length;
    this.sum = nodes();
    this.lost = nodes();
    this.least = nodes();
    this.greatest = nodes();
    this.sum.set(values, values.length);
    this.least.set(values, values.length);
    this.greatest.set(values, values.length);
    for (let node = values.length - 1; node > 0; node--) this.combineChildren(node);
  }

  /** Adds the sum, count and extremes of the values at indexes `from` to before `to` to `figures`. */
  addRange(figures: CriteriaStatistics, from: number, to: number): void {
    if (to <= from) return;
    figures.count += to - from;
    for (let low = from + this.length, high = to + this.length; low < high; low >>= 1, high >>= 1) {
      if (low & 1) this.addNode(figures, low++);
      if (high & 1) this.addNode(figures, --high);
    }
  }

  private addNode(figures: CriteriaStatistics, node: number): void {
    figures.addSum(this.sum[node]!);
    figures.addSum(this.lost[node]!);
    if (this.least[node]! < figures.least) figures.least = this.least[node]!;
    if (this.greatest[node]! > figures.greatest) figures.greatest = this.greatest[node]!;
  }

  private combineChildren(node: number): void {
    const { sum, lost, least, greatest } = this;
    const left = 2 * node;
    const right = left + 1;
    const total = new CriteriaStatistics(true);
    total.addSum(sum[left]!);
    total.addSum(sum[right]!);
    total.addSum(lost[left]!);
    total.addSum(lost[right]!);
    sum[node] = total.total;
    lost[node] = total.roundingError;
    least[node] = Math.min(least[left]!, least[right]!);
    greatest[node] = Math.max(greatest[left]!, greatest[right]!);
  }
}
