import type { AttachmentData } from '@cellwire/engine';
import { MAX_FOLLOWED_LENGTH } from '../../limits/limits.ts';
import type { LeftOut, LeftOutKind } from '../../outcome/left-out.ts';
import type { AttachmentList } from '../attachment-list.ts';
import type { Relationship } from '../relationships.ts';
import type { PartCollector } from './part-collector.ts';
import { hasAllParts } from './part-links.ts';
import { hasReferences, visitReferences } from './part-references.ts';
import { decompressPart } from './preserved-part.ts';

/** Kind of attachments with the cell references of a part. Its text is the name of the part. */
export const PART_REFERENCES = 'part';
/** Key of a layout's `carried` for the relationships of its sheet, as JSON. */
export const SHEET_RELATIONSHIPS = 'links';

/**
 * Elements of a worksheet that reference parts, with the descendant that is counted and its kind in the report; null if
 * they are counted elsewhere.
 */
export const PART_ELEMENTS: ReadonlyMap<string, readonly [element: string, kind: LeftOutKind] | null> = new Map([
  ['drawing', null],
  ['legacyDrawing', null],
  ['legacyDrawingHF', null],
  ['picture', ['picture', 'pictures']],
  ['oleObjects', ['oleObject', 'embeddedObjects']],
  ['controls', ['control', 'formControls']],
]);

/** Kinds of a sheet's relationships to preserved parts. */
const SHEET_PART_KINDS = new Set([
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

/**
 * Collects the parts of a sheet and their cell references. Returns the layout's preserved elements, except elements
 * that reference missing parts.
 */
export async function collectSheetParts(
  relationships: readonly Relationship[],
  carried: Readonly<Record<string, string>>,
  collector: PartCollector,
  list: AttachmentList,
  leftOut: LeftOut,
): Promise<Readonly<Record<string, string>>> {
  const links = await collectParts(relationships, SHEET_PART_KINDS, collector);
  const kept: Record<string, string> = { ...carried };
  for (const [name, counted] of PART_ELEMENTS) {
    const element = carried[name];
    if (element === undefined || hasAllParts(element, links)) continue;
    delete kept[name];
    if (counted !== null)
      leftOut.addItem(counted[1], element.split(`<${counted[0]}`).length - 1 - Number(name !== counted[0]));
  }
  for (const attachment of collectReferences(links, collector)) list.addAttachment(attachment);
  return links.length === 0 ? kept : { ...kept, [SHEET_RELATIONSHIPS]: JSON.stringify(links) };
}

/** Collects the parts of relationships of the given kinds, and returns the collected relationships. */
export async function collectParts(
  relationships: readonly Relationship[],
  kinds: ReadonlySet<string>,
  collector: PartCollector,
): Promise<readonly Relationship[]> {
  const links: Relationship[] = [];
  for (const one of relationships) {
    if (kinds.has(one.kind) && !one.isExternal && (await collector.collectPart(one.target))) links.push(one);
  }
  return links;
}

/**
 * Returns the cell references in the given parts and in everything that they reference. Sources of pivot tables belong
 * to the workbook and are skipped.
 */
export function collectReferences(links: readonly Relationship[], collector: PartCollector): readonly AttachmentData[] {
  const attachmentByKey = new Map<string, AttachmentData | null>();
  const open = [...links];
  for (let link = open.pop(); link !== undefined; link = open.pop()) {
    const part = link.isExternal ? undefined : collector.get(link.target);
    if (part === undefined || attachmentByKey.has(part.name)) continue;
    const formulas: string[] = [];
    const content = hasReferences(part.type) ? decompressPart(part) : Buffer.alloc(0);
    if (content.length > 0 && content.length <= MAX_FOLLOWED_LENGTH) {
      visitReferences(part.type, content.toString(), (reference) => {
        formulas.push(reference);
        return null;
      });
    }
    attachmentByKey.set(
      part.name,
      formulas.length === 0 ? null : { kind: PART_REFERENCES, areas: [], formulas, texts: [part.name] },
    );
    open.push(...part.relationships.filter(({ kind }) => kind !== 'pivotCacheDefinition'));
  }
  return [...attachmentByKey.values()].filter((attachmentData) => attachmentData !== null);
}
