/**
 * The length of the longest list; 0 if there is none. `Math.max` takes its values as arguments, and the rows of a large
 * request exceed their limit.
 */
export function measureLongest(lists: readonly { readonly length: number }[]): number {
  return lists.reduce((longest, { length }) => Math.max(longest, length), 0);
}
