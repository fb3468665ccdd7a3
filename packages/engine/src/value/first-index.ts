/**
 * The first index from `from` to before `to` that meets a condition; `to` for none. All later indexes must meet the
 * condition, too, because the search is a bisection.
 */
export function findFirstIndex(from: number, to: number, isMet: (index: number) => boolean): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isMet(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
