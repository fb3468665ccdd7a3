/** Index of the first element that is at least `target` in an ascending list. */
export function findFirstAtLeast(list: ArrayLike<number>, target: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle]! < target) low = middle + 1;
    else high = middle;
  }
  return low;
}
