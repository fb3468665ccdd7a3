/** Maps elements one after another. Pauses as `map` does. */
export function* mapInSteps<A, B>(
  elements: readonly A[],
  map: (element: A) => Generator<void, B>,
): Generator<void, readonly B[]> {
  const mapped: B[] = [];
  for (const element of elements) mapped.push(yield* map(element));
  return mapped;
}
