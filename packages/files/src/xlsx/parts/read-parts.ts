import type { AttachmentData } from '@cellwire/engine';
import { MAX_FOLLOWED_LENGTH } from '../../limits/limits.ts';
import type { LeftOut, LeftOutKind } from '../../outcome/left-out.ts';
import type { AttachmentList } from '../attachment-list.ts';
import type { Relationship } from '../relationships.ts';
import { contentOf } from './carried-part.ts';
import { isLinked } from './links.ts';
import type { PartCollector } from './part-collector.ts';
import { hasReferences, visitReferences } from './part-references.ts';

/** The kind of an attachment that holds the references in a part; its text: the part's name. */
export const PART = 'part';
/** Where a layout carries what its sheet leads to, as JSON. */
export const LINKS = 'links';

/** Elements of a worksheet that lead to parts, and what they are where these are left out; null: told otherwise. */
export const LINKED_ELEMENTS: ReadonlyMap<string, readonly [element: string, kind: LeftOutKind] | null> = new Map([
  ['drawing', null],
  ['legacyDrawing', null],
  ['legacyDrawingHF', null],
  ['picture', ['picture', 'pictures']],
  ['oleObjects', ['oleObject', 'embeddedObjects']],
  ['controls', ['control', 'formControls']],
]);

/** Kinds of relationships of a sheet to parts that are carried. */
const OF_SHEETS = new Set([
  'drawing',
  'vmlDrawing',
  'pivotTable',
  'threadedComment',
  'ctrlProp',
  'image',
  'oleObject',
  'package',
  'control',
]);

/** Carries what a sheet leads to, with the references in it, and what of its layout names these parts. */
export async function carrySheetParts(
  relationships: readonly Relationship[],
  carried: Readonly<Record<string, string>>,
  collector: PartCollector,
  list: AttachmentList,
  leftOut: LeftOut,
): Promise<Readonly<Record<string, string>>> {
  const links = await carryAll(relationships, OF_SHEETS, collector);
  const kept: Record<string, string> = { ...carried };
  for (const [name, counted] of LINKED_ELEMENTS) {
    const element = carried[name];
    if (element === undefined || isLinked(element, links)) continue;
    delete kept[name];
    if (counted !== null)
      leftOut.add(counted[1], element.split(`<${counted[0]}`).length - 1 - Number(name !== counted[0]));
  }
  for (const held of referencesOf(links, collector)) list.add(held);
  return links.length === 0 ? kept : { ...kept, [LINKS]: JSON.stringify(links) };
}

/** The relationships of some kinds whose parts are carried. */
export async function carryAll(
  relationships: readonly Relationship[],
  kinds: ReadonlySet<string>,
  collector: PartCollector,
): Promise<readonly Relationship[]> {
  const links: Relationship[] = [];
  for (const one of relationships) {
    if (kinds.has(one.kind) && !one.isExternal && (await collector.carry(one.target))) links.push(one);
  }
  return links;
}

/** References to cells in parts and in those that these lead to. What a pivot table is made of is the workbook's. */
export function referencesOf(links: readonly Relationship[], collector: PartCollector): readonly AttachmentData[] {
  const found = new Map<string, AttachmentData | null>();
  const open = [...links];
  for (let link = open.pop(); link !== undefined; link = open.pop()) {
    const part = link.isExternal ? undefined : collector.get(link.target);
    if (part === undefined || found.has(part.name)) continue;
    const formulas: string[] = [];
    const content = hasReferences(part.type) ? contentOf(part) : Buffer.alloc(0);
    if (content.length > 0 && content.length <= MAX_FOLLOWED_LENGTH) {
      visitReferences(part.type, content.toString(), (reference) => {
        formulas.push(reference);
        return null;
      });
    }
    found.set(part.name, formulas.length === 0 ? null : { kind: PART, areas: [], formulas, texts: [part.name] });
    open.push(...part.relationships.filter(({ kind }) => kind !== 'pivotCacheDefinition'));
  }
  return [...found.values()].filter((held) => held !== null);
}
