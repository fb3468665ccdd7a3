import type { DateSystem, SheetData } from '@cellwire/engine';
import { escapeAttribute } from './text.ts';
import { escapeAttributeValue } from './xml-copy.ts';

export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
export const MAIN_NAMESPACE = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
export const OFFICE_NAMESPACE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE_NAMESPACE = 'http://schemas.openxmlformats.org/package/2006/relationships';
const TYPES_NAMESPACE = 'http://schemas.openxmlformats.org/package/2006/content-types';
const SPREADSHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

export const SHEET_START =
  `${XML_DECLARATION}<worksheet xmlns="${MAIN_NAMESPACE}" xmlns:r="${OFFICE_NAMESPACE}" ` +
  'xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" ' +
  'xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main" ' +
  'xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main">';
export const STYLES_START = `${XML_DECLARATION}<styleSheet xmlns="${MAIN_NAMESPACE}">`;
export const STRINGS_START = `${XML_DECLARATION}<sst xmlns="${MAIN_NAMESPACE}">`;

/** A relationship to write. */
export interface OutputRelationship {
  readonly id: string;
  /** Full type URI. */
  readonly type: string;
  readonly target: string;
  readonly isExternal: boolean;
}

/** The relationships of a part, in order of creation. */
export class RelationshipList {
  readonly list: OutputRelationship[] = [];
  private readonly taken = new Set<string>();

  /** Adds a relationship of a standard kind, and returns its id. */
  addRelationship(kind: string, target: string, isExternal = false): string {
    return this.addRelationshipOfType(`${OFFICE_NAMESPACE}/${kind}`, target, isExternal);
  }

  /** Adds a relationship. Returns its id, which is unique in the list. */
  addRelationshipOfType(type: string, target: string, isExternal = false): string {
    let n = this.list.length + 1;
    while (this.taken.has(`rId${n}`)) n++;
    this.addExistingRelationship({ id: `rId${n}`, type, target, isExternal });
    return `rId${n}`;
  }

  /** Adds a relationship whose id is already used in an element. */
  addExistingRelationship(link: OutputRelationship): void {
    this.taken.add(link.id);
    this.list.push(link);
  }
}

export function formatRelationshipsXml(links: readonly OutputRelationship[]): string {
  const items = links.map(({ id, type, target, isExternal }) => {
    const mode = isExternal ? ' TargetMode="External"' : '';
    return `<Relationship Id="${escapeAttributeValue(id)}" Type="${escapeAttributeValue(type)}" Target="${escapeAttributeValue(target)}"${mode}/>`;
  });
  return `${XML_DECLARATION}<Relationships xmlns="${PACKAGE_NAMESPACE}">${items.join('')}</Relationships>`;
}

/** Content types of standard parts, by relationship kind. */
const PART_TYPES: Readonly<Record<string, string>> = {
  officeDocument: `${SPREADSHEET}.sheet.main+xml`,
  worksheet: `${SPREADSHEET}.worksheet+xml`,
  table: `${SPREADSHEET}.table+xml`,
  styles: `${SPREADSHEET}.styles+xml`,
  sharedStrings: `${SPREADSHEET}.sharedStrings+xml`,
  sheetMetadata: `${SPREADSHEET}.sheetMetadata+xml`,
  comments: `${SPREADSHEET}.comments+xml`,
  theme: 'application/vnd.openxmlformats-officedocument.theme+xml',
  vmlDrawing: 'application/vnd.openxmlformats-officedocument.vmlDrawing',
  'extended-properties': 'application/vnd.openxmlformats-officedocument.extended-properties+xml',
};

/** Path of a part from the root of the package, and its content type. */
interface TypedPart {
  readonly name: string;
  readonly type: string;
}

/** A part with the content type of its kind. */
export function toTypedPart(name: string, kind: string): TypedPart {
  return { name, type: PART_TYPES[kind] ?? 'application/xml' };
}

export function formatContentTypesXml(parts: readonly TypedPart[]): string {
  const overrides = parts.map(
    ({ name, type }) =>
      `<Override PartName="/${escapeAttributeValue(name)}" ContentType="${escapeAttributeValue(type)}"/>`,
  );
  return (
    `${XML_DECLARATION}<Types xmlns="${TYPES_NAMESPACE}">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    `<Default Extension="xml" ContentType="application/xml"/>${overrides.join('')}</Types>`
  );
}

/** Key of a layout's `carried` that marks the sheet which the file shows first. */
export const SHOWN_FIRST = 'active';

/** Key of a layout's `carried` for the attributes of the sheet's properties, as text. */
export const SHEET_PROPERTIES = 'sheetPr';

/** Returns the position of the sheet that is shown first. */
export function findFirstShownSheet(sheets: readonly Pick<SheetData, 'hidden' | 'layout'>[]): number {
  const wanted = sheets.findIndex(({ hidden, layout }) => !hidden && layout?.carried[SHOWN_FIRST] !== undefined);
  const visible = sheets.findIndex((sheet) => !sheet.hidden);
  return wanted >= 0 ? wanted : Math.max(0, visible);
}

interface WorkbookXmlSheet {
  readonly name: string;
  readonly hidden: boolean;
  /** True if the sheet is shown first. */
  readonly isActive: boolean;
  /** Relationship id. */
  readonly id: string;
}

/** Content of the workbook part other than its sheets. */
interface WorkbookXmlRest {
  readonly dateSystem: DateSystem;
  /** Element of the defined names. */
  readonly names: string;
  /** Preserved elements, by name. */
  readonly elements: Readonly<Record<string, string>>;
  /** Preserved attributes of other elements, as text, by element name. */
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * Writes the workbook part. Formulas have stored results, but the part makes Excel recalculate on opening, to fill the
 * spill ranges of dynamic arrays, which the file does not contain.
 */
export function formatWorkbookXml(
  sheets: readonly WorkbookXmlSheet[],
  { dateSystem, names, elements, attributes }: WorkbookXmlRest,
): string {
  const active = sheets.findIndex(({ isActive }) => isActive);
  const entries = sheets.map(({ name, hidden, isActive, id }, i) => {
    const state = hidden && !isActive ? ' state="hidden"' : '';
    return `<sheet name="${escapeAttribute(name)}" sheetId="${i + 1}"${state} r:id="${id}"/>`;
  });
  const writeAttributes = (name: string): string => attributes[name] ?? '';
  return (
    `${XML_DECLARATION}<workbook xmlns="${MAIN_NAMESPACE}" xmlns:r="${OFFICE_NAMESPACE}">` +
    `<workbookPr${dateSystem === '1904' ? ' date1904="1"' : ''}${writeAttributes('workbookPr')}/>` +
    `${elements['workbookProtection'] ?? ''}<bookViews><workbookView activeTab="${active}"${writeAttributes('workbookView')}/></bookViews>` +
    `<sheets>${entries.join('')}</sheets>${elements['externalReferences'] ?? ''}${names}` +
    `<calcPr calcId="191029"${writeAttributes('calcPr')} fullCalcOnLoad="1"/>${elements['pivotCaches'] ?? ''}</workbook>`
  );
}

/** Metadata that marks cells with `cm="1"` as dynamic arrays ([MS-XLSX] 2.2.4.9, 2.6.110). */
export const METADATA_XML =
  `${XML_DECLARATION}<metadata xmlns="${MAIN_NAMESPACE}" xmlns:xda="http://schemas.microsoft.com/office/spreadsheetml/2017/dynamicarray">` +
  '<metadataTypes count="1"><metadataType name="XLDAPR" minSupportedVersion="120000" copy="1" pasteAll="1" ' +
  'pasteValues="1" merge="1" splitFirst="1" rowColShift="1" clearFormats="1" clearComments="1" assign="1" coerce="1" ' +
  'cellMeta="1"/></metadataTypes><futureMetadata name="XLDAPR" count="1"><bk><extLst>' +
  '<ext uri="{bdbb8cdc-fa1e-496e-a857-3c3f30c029c3}">' +
  '<xda:dynamicArrayProperties fDynamic="1" fCollapsed="0"/></ext></extLst></bk></futureMetadata>' +
  '<cellMetadata count="1"><bk><rc t="1" v="0"/></bk></cellMetadata></metadata>';
