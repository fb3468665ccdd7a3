import type { PackageParts } from '../archive/package-parts.ts';
import { readXml, type XmlHandler } from '../archive/xml.ts';
import type { LeftOut, LeftOutKind } from '../outcome/left-out.ts';
import type { FileRefusal } from '../outcome/refusal.ts';
import type { Relationship } from './relationships.ts';

/**
 * Kind of the target of a relationship in the report; null if nothing is lost, because the target is read, derived or
 * counted elsewhere.
 */
const TARGET_KINDS: ReadonlyMap<string, LeftOutKind | null> = toMap<LeftOutKind | null>({
  officeDocument: null,
  worksheet: null,
  chartsheet: null,
  dialogsheet: null,
  xlMacrosheet: null,
  xlIntlMacrosheet: null,
  styles: null,
  sharedStrings: null,
  sheetMetadata: null,
  table: null,
  calcChain: null,
  thumbnail: null,
  printerSettings: null,
  vmlDrawing: null,
  comments: null,
  ctrlProp: null,
  hyperlink: null,
  oleObject: null,
  control: null,
  package: null,
  image: null,
  person: null,
  pivotCacheDefinition: null,
  slicerCache: null,
  timelineCache: null,
  tableSingleCells: 'customParts',
  xmlMaps: 'customParts',
  customXml: 'customParts',
  customProperty: 'customParts',
  ui: 'customParts',
  extensibility: 'customParts',
  theme: null,
  vbaProject: 'macros',
  wsSortMap: 'other',
  externalLink: 'externalLinks',
  connections: 'connections',
  queryTable: 'connections',
  pivotTable: 'pivotTables',
  slicer: 'slicers',
  timeline: 'slicers',
  'core-properties': 'properties',
  'extended-properties': null,
  'custom-properties': 'properties',
  rdRichValue: null,
  rdRichValueStructure: null,
  rdRichValueTypes: null,
  rdArray: null,
  rdSupportingPropertyBag: null,
  rdSupportingPropertyBagStructure: null,
  richValueRel: null,
  richStyles: null,
  volatileDependencies: null,
});

/** Parts whose elements are counted: by relationship kind, the kind of each element in the report. */
type ElementKinds = ReadonlyMap<string, LeftOutKind>;

const COUNTED_ELEMENTS: ReadonlyMap<string, ElementKinds> = toMap<ElementKinds>({
  drawing: toMap<LeftOutKind>({
    pic: 'pictures',
    sp: 'shapes',
    cxnSp: 'shapes',
    'c:chart': 'charts',
    'cx:chart': 'charts',
  }),
  threadedComment: toMap<LeftOutKind>({ threadedComment: 'threadedComments' }),
});

function toMap<V>(entries: Readonly<Record<string, V>>): ReadonlyMap<string, V> {
  return new Map(Object.entries(entries));
}

/** Counts the content of the parts that a part references and that are left out. */
export async function countLeftOutParts(
  parts: PackageParts,
  relationships: readonly Relationship[],
  leftOut: LeftOut,
  isCarried: (part: string) => boolean,
): Promise<FileRefusal | null> {
  for (const { kind, target, isExternal } of relationships) {
    if (isExternal || !parts.has(target) || isCarried(target)) continue;
    const elements = COUNTED_ELEMENTS.get(kind);
    if (elements !== undefined) {
      const refusal = await readXml(target, await parts.read(target), new ElementCounter(elements, leftOut));
      if (refusal) return refusal;
      continue;
    }
    const what = TARGET_KINDS.get(kind);
    if (what !== null) leftOut.addItem(what ?? 'other');
  }
  return null;
}

class ElementCounter implements XmlHandler {
  private readonly elements: ElementKinds;
  private readonly leftOut: LeftOut;

  constructor(elements: ElementKinds, leftOut: LeftOut) {
    this.elements = elements;
    this.leftOut = leftOut;
  }

  openElement(name: string): void {
    const kind = this.elements.get(name);
    if (kind !== undefined) this.leftOut.addItem(kind);
  }

  closeElement(): void {}
}
