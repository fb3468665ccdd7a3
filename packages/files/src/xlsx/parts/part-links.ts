import type { Relationship } from '../relationships.ts';

/** Returns the relationship ids in an element. */
export function findRelationshipIds(element: string): readonly string[] {
  return [...element.matchAll(/ r:id="([^"]*)"/g)].map(([, id]) => id as string);
}

/** True if an element references parts and all of them exist. */
export function hasAllParts(element: string, links: readonly Pick<Relationship, 'id'>[]): boolean {
  const ids = findRelationshipIds(element);
  return ids.length > 0 && ids.every((id) => links.some((link) => link.id === id));
}

const COMPATIBILITY = 'http://schemas.openxmlformats.org/markup-compatibility/2006';

/**
 * Writes an element that references parts in the same way as Excel: controls with properties are inside a choice for
 * programs that support these. LibreOffice shows form controls only inside such a choice.
 */
export function formatPartReferenceXml(element: string): string {
  if (!element.includes('<controlPr')) return element;
  return `<mc:AlternateContent xmlns:mc="${COMPATIBILITY}"><mc:Choice Requires="x14">${element}</mc:Choice></mc:AlternateContent>`;
}
