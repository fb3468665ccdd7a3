/** The stretches of a list that are all true, by their first and last place. */
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
