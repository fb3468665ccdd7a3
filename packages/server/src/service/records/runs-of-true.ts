/** The runs of `true` in a list, each with its first and last index. */
export function runsOfTrue(list: readonly boolean[]): readonly (readonly [first: number, last: number])[] {
  const found: [number, number][] = [];
  for (const [i, is] of list.entries()) {
    if (!is) continue;
    const held = found.at(-1);
    if (held?.[1] === i - 1) held[1] = i;
    else found.push([i, i]);
  }
  return found;
}
