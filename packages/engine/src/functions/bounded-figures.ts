import { type NumberBound, placesWithin } from './criteria.ts';
import { SelectedFigures } from './selected-figures.ts';

/** Rows that are searched one by one before they are sorted in. */
const MAX_UNSORTED = 1024;

/** Numbers of which the sum is kept in two parts: a double and what it lost by rounding. */
interface Node {
  readonly sum: Float64Array;
  readonly lost: Float64Array;
  readonly least: Float64Array;
  readonly greatest: Float64Array;
}

/**
 * Numbers by the number beside them (the key), for sums, counts and extremes of those whose keys lie between bounds: a
 * segment tree over the keys in order. Sums are exact to about 32 digits, so that their order does not matter.
 */
class BoundedFigures {
  private keys = new Float64Array(0);
  private values = new Float64Array(0);
  /** Node i has the children 2i and 2i + 1; the values are the nodes from `keys.length` on. */
  private tree: Node = createNodes(0);
  private readonly newKeys: number[] = [];
  private readonly newValues: number[] = [];

  add(key: number, value: number): void {
    this.newKeys.push(key);
    this.newValues.push(value);
  }

  /** The figures of the numbers whose keys are within all bounds. `pass`: announces work. */
  within(bounds: readonly NumberBound[], pass: (work: number) => void): SelectedFigures {
    if (this.newKeys.length > MAX_UNSORTED) this.sortIn(pass);
    const figures = new SelectedFigures(true);
    const { length } = this.keys;
    const { from, to } = placesWithin(
      bounds,
      length,
      (number) => firstPlace(this.keys, number, false),
      (number) => firstPlace(this.keys, number, true),
    );
    figures.count = Math.max(0, to - from);
    for (let low = from + length, high = to + length; low < high; low >>= 1, high >>= 1) {
      if (low & 1) this.include(figures, low++);
      if (high & 1) this.include(figures, --high);
    }
    pass(this.newKeys.length >> 2);
    for (const [i, key] of this.newKeys.entries()) {
      if (bounds.every((bound) => isWithin(bound, key))) figures.add(this.newValues[i]!, 0);
    }
    return figures;
  }

  private include(figures: SelectedFigures, node: number): void {
    const { sum, lost, least, greatest } = this.tree;
    figures.addSum(sum[node]!);
    figures.addSum(lost[node]!);
    if (least[node]! < figures.least) figures.least = least[node]!;
    if (greatest[node]! > figures.greatest) figures.greatest = greatest[node]!;
  }

  private sortIn(pass: (work: number) => void): void {
    const { newKeys, newValues } = this;
    pass(newKeys.length * 4 + this.keys.length);
    const order = Uint32Array.from(newKeys, (_, i) => i).sort((a, b) => newKeys[a]! - newKeys[b]! || a - b);
    const length = this.keys.length + order.length;
    const keys = new Float64Array(length);
    const values = new Float64Array(length);
    let old = 0;
    let next = 0;
    for (let at = 0; at < length; at++) {
      const takesOld = next === order.length || (old < this.keys.length && this.keys[old]! <= newKeys[order[next]!]!);
      keys[at] = takesOld ? this.keys[old]! : newKeys[order[next]!]!;
      values[at] = takesOld ? this.values[old++]! : newValues[order[next++]!]!;
    }
    this.keys = keys;
    this.values = values;
    newKeys.length = 0;
    newValues.length = 0;
    this.tree = buildTree(values);
  }
}

/** The numbers of one range by those of another, in rows that meet some criteria, in the first rows. */
export class SelectedBounds {
  rows = 0;
  /** How often it was requested. Its first request is answered without it. */
  requests = 0;
  /** True if an error is among the cells: then the rows must be read in order. */
  hasErrors = false;
  readonly figures = new BoundedFigures();
}

function createNodes(values: number): Node {
  const nodes = () => new Float64Array(2 * values);
  return { sum: nodes(), lost: nodes(), least: nodes(), greatest: nodes() };
}

function buildTree(values: Float64Array): Node {
  const tree = createNodes(values.length);
  const { sum, lost, least, greatest } = tree;
  sum.set(values, values.length);
  least.set(values, values.length);
  greatest.set(values, values.length);
  for (let node = values.length - 1; node > 0; node--) {
    const left = 2 * node;
    const right = left + 1;
    const total = new SelectedFigures(true);
    total.addSum(sum[left]!);
    total.addSum(sum[right]!);
    total.addSum(lost[left]!);
    total.addSum(lost[right]!);
    sum[node] = total.total;
    lost[node] = total.rest;
    least[node] = Math.min(least[left]!, least[right]!);
    greatest[node] = Math.max(greatest[left]!, greatest[right]!);
  }
  return tree;
}

/** The first place whose key is at least the number, or (`after`) greater. */
function firstPlace(keys: Float64Array, number: number, after: boolean): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (after ? keys[middle]! <= number : keys[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isWithin({ operator, number }: NumberBound, key: number): boolean {
  switch (operator) {
    case '<':
      return key < number;
    case '<=':
      return key <= number;
    case '>':
      return key > number;
    default:
      return key >= number;
  }
}
