import type { Relationship } from '../relationships.ts';

/** Ids of relationships that an element names. */
export function linksIn(element: string): readonly string[] {
  return [...element.matchAll(/ r:id="([^"]*)"/g)].map(([, id]) => id as string);
}

/** Whether an element leads to parts, and all of these are there. */
export function isLinked(element: string, links: readonly Pick<Relationship, 'id'>[]): boolean {
  const ids = linksIn(element);
  return ids.length > 0 && ids.every((id) => links.some((link) => link.id === id));
}
