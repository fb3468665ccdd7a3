import { elementAt } from '../../../../test/elements.ts';

/** Returns an integer from 0 to below `count`. */
export type Draw = (count: number) => number;

/** Creates a generator of integers from a seed. fast-check would shrink hundreds of rows too slowly. */
export function createDraw(seed: number): Draw {
  let state = seed >>> 0;
  return (count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}

export function drawElement<T>(draw: Draw, list: readonly T[]): T {
  return elementAt(list, draw(list.length));
}
