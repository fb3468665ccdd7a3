/** Multiplier of the generator that chooses pivots (Numerical Recipes, 7.1). */
const MULTIPLIER = 1_664_525;
const INCREMENT = 1_013_904_223;

/**
 * Reorders the elements of `order` from `from` to before `to`, so that no key before `middle` is greater than a key from
 * `middle` on (quickselect with Hoare's partition). Pivots are pseudo-random: no usual order of keys is slow.
 */
export function splitAtMedian(order: Uint32Array, from: number, to: number, middle: number, keys: Float64Array): void {
  let left = from;
  let right = to - 1;
  let random = 1;
  while (right > left) {
    random = (Math.imul(random, MULTIPLIER) + INCREMENT) >>> 0;
    const pivot = keys[order[left + (random % (right - left + 1))]!]!;
    let low = left;
    let high = right;
    while (low <= high) {
      while (keys[order[low]!]! < pivot) low++;
      while (keys[order[high]!]! > pivot) high--;
      if (low > high) break;
      const element = order[low]!;
      order[low++] = order[high]!;
      order[high--] = element;
    }
    if (middle <= high) right = high;
    else if (middle >= low) left = low;
    else return;
  }
}
