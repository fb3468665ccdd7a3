import { type CellError, NUM } from '../../value/errors.ts';
import type { OrderedNumbers } from './ordered-numbers.ts';

/** The element with an index; `#NUM!` if there is none. */
export function getElementAt(ascending: OrderedNumbers, index: number): number | CellError {
  return index >= 0 && index < ascending.length ? ascending.at(index) : NUM;
}

/** Returns the value at a fractional position, linear between neighbours. */
function interpolateAt(ascending: OrderedNumbers, position: number): number | CellError {
  if (!(position >= 0 && position <= ascending.length - 1)) return NUM;
  const below = Math.floor(position);
  const part = position - below;
  const low = ascending.at(below);
  return part === 0 ? low : low + part * (ascending.at(below + 1) - low);
}

/** PERCENTILE.INC: linear between the least value (k = 0) and the greatest (k = 1). */
export function percentileInclusive(ascending: OrderedNumbers, k: number): number | CellError {
  return k >= 0 && k <= 1 ? interpolateAt(ascending, k * (ascending.length - 1)) : NUM;
}

/** PERCENTILE.EXC: k between 1/(n + 1) and n/(n + 1). */
export function percentileExclusive(ascending: OrderedNumbers, k: number): number | CellError {
  return k > 0 && k < 1 ? interpolateAt(ascending, k * (ascending.length + 1) - 1) : NUM;
}
