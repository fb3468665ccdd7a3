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

const COMPATIBILITY = 'http://schemas.openxmlformats.org/markup-compatibility/2006';

/**
 * An element that leads to parts, as Excel writes it: controls with properties only for programs that know these.
 * LibreOffice shows no form controls that stand outside of such a choice.
 */
export function linkedXml(element: string): string {
  if (!element.includes('<controlPr')) return element;
  return `<mc:AlternateContent xmlns:mc="${COMPATIBILITY}"><mc:Choice Requires="x14">${element}</mc:Choice></mc:AlternateContent>`;
}
