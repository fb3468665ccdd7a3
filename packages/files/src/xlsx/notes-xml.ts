import { type AttachmentData, areaText, type SheetData } from '@cellwire/engine';
import { readXmlText, type XmlHandler } from '../archive/xml.ts';
import { listAttachmentsOfKind } from './attachments-xml.ts';
import { NOTE } from './notes-handler.ts';
import { escapeText } from './text.ts';
import { MAIN_NAMESPACE, OFFICE_NAMESPACE, XML_DECLARATION } from './workbook-xml.ts';
import { escapeAttributeValue, XmlCopy } from './xml-copy.ts';

export function listSheetNotes(sheet: SheetData): readonly AttachmentData[] {
  return listAttachmentsOfKind(sheet, NOTE);
}

/** Writes `xl/commentsN.xml`: the notes of a sheet. */
export function formatNotesXml(notes: readonly AttachmentData[]): string {
  const authors = [...new Set(notes.map(({ texts }) => texts[0] ?? ''))];
  const items = notes.map(({ areas, texts: [author = '', text = '', , uid = ''] }) => {
    const id = uid === '' ? '' : ` xr:uid="${escapeAttributeValue(uid)}"`;
    return `<comment ref="${areas.map(areaText).join(' ')}" authorId="${authors.indexOf(author)}" shapeId="0"${id}>${text}</comment>`;
  });
  return (
    `${XML_DECLARATION}<comments xmlns="${MAIN_NAMESPACE}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" ` +
    'mc:Ignorable="xr" xmlns:xr="http://schemas.microsoft.com/office/spreadsheetml/2014/revision">' +
    `<authors>${authors.map((author) => `<author>${escapeText(author)}</author>`).join('')}</authors>` +
    `<commentList>${items.join('')}</commentList></comments>`
  );
}

const SHAPE_TYPE =
  '<v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe">' +
  '<v:stroke joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>';

/** Namespace prefixes in stored and exported shapes. */
const PREFIXES = {
  v: 'urn:schemas-microsoft-com:vml',
  o: 'urn:schemas-microsoft-com:office:office',
  x: 'urn:schemas-microsoft-com:office:excel',
};
const PREFIX_DECLARATIONS = Object.entries(PREFIXES).map(([prefix, namespace]) => ` xmlns:${prefix}="${namespace}"`);
const ROOT = `<xml${PREFIX_DECLARATIONS.join('')} xmlns:r="${OFFICE_NAMESPACE}">`;

const SHAPES_START =
  `${ROOT}<o:shapelayout v:ext="edit"><o:idmap v:ext="edit" data="1"/>` + `</o:shapelayout>${SHAPE_TYPE}`;

/** First id of generated shapes; programs assign much lower ids. */
const FIRST_SHAPE_ID = 50_000;

const END = '</xml>';
const SHAPE = /<v:shape\b(?:(?!<\/v:shape>)[\s\S]){0,65536}?<\/v:shape>/g;
const NOTE_CLIENT_DATA = /<x:ClientData\b[^<>]*\bObjectType=["']Note["']/;
const NOTE_SHAPE_TYPE = /<v:shapetype\b[^<>]*\bid=["']_x0000_t202["']/;

/**
 * Writes `xl/drawings/vmlDrawingN.vml`: the shapes of a sheet's notes, together with other preserved shapes (form
 * controls, pictures).
 */
export function formatNoteShapesXml(notes: readonly AttachmentData[], part?: string): string {
  const shapes = formatNoteShapes(notes);
  const carried = part === undefined || hasPrefixes(part) ? part : rewritePrefixes(part);
  const end = carried?.lastIndexOf(END) ?? -1;
  if (carried === undefined || end < 0) return SHAPES_START + shapes + END;
  const others = carried.slice(0, end).replaceAll(SHAPE, (shape) => (NOTE_CLIENT_DATA.test(shape) ? '' : shape));
  const type = shapes === '' || NOTE_SHAPE_TYPE.test(others) ? '' : SHAPE_TYPE;
  return others + type + shapes + carried.slice(end);
}

/** True if the root of a part declares all prefixes. */
function hasPrefixes(part: string): boolean {
  const root = /<xml\b[^<>]*>/.exec(part)?.[0].replaceAll("'", '"') ?? '';
  return PREFIX_DECLARATIONS.every((declaration) => root.includes(declaration));
}

/** Rewrites shapes that use other prefixes; malformed ones stay unchanged. */
function rewritePrefixes(part: string): string {
  const copy = new XmlCopy(Number.POSITIVE_INFINITY, {
    extensions: true,
    prefixes: [...Object.keys(PREFIXES), 'r'],
    blanks: true,
  });
  const handler: XmlHandler = {
    openElement: (name, attributes) => copy.openElement(name, attributes),
    closeElement: (name) => copy.closeElement(name),
    addText: (text) => copy.addCharacters(text),
  };
  return readXmlText(part, handler) ? copy.text.replace(/^<xml\b[^<>]*>/, ROOT) : part;
}

function formatNoteShapes(notes: readonly AttachmentData[]): string {
  const shapes = notes.map(({ areas: [cell], texts: [, , shape = ''] }, i) => {
    const { top = 0, left = 0 } = cell ?? {};
    return shape === '' ? formatDefaultShape(FIRST_SHAPE_ID + i, top, left) : moveShape(shape, top, left);
  });
  return shapes.join('');
}

const ROW = /<x:Row>\s*(\d+)\s*<\/x:Row>/;
const COLUMN = /<x:Column>\s*(\d+)\s*<\/x:Column>/;
const ANCHOR = /<x:Anchor>\s*([-\d\s,]+?)\s*<\/x:Anchor>/;

/** Moves a shape with its cell, keeping their distance. */
function moveShape(shape: string, row: number, column: number): string {
  const down = row - Number(ROW.exec(shape)?.[1] ?? row);
  const right = column - Number(COLUMN.exec(shape)?.[1] ?? column);
  return shape
    .replace(ROW, `<x:Row>${row}</x:Row>`)
    .replace(COLUMN, `<x:Column>${column}</x:Column>`)
    .replace(ANCHOR, (_, anchor: string) => `<x:Anchor>${moveAnchor(anchor, down, right)}</x:Anchor>`);
}

/**
 * Moves an anchor. It consists of column, offset, row and offset of the upper left corner, and the same of the lower
 * right corner.
 */
function moveAnchor(anchor: string, down: number, right: number): string {
  const by = [right, 0, down, 0];
  return anchor
    .split(',')
    .map((figure, i) => Math.max(0, Number(figure) + (by[i % 4] as number)))
    .join(', ');
}

/** The VML shape of a note that is drawn as Excel does by default. */
function formatDefaultShape(id: number, row: number, column: number): string {
  const anchor = [column + 1, 15, Math.max(0, row - 1), 10, column + 3, 15, row + 3, 4].join(', ');
  return (
    `<v:shape id="_x0000_s${id}" type="#_x0000_t202" style="position:absolute;visibility:hidden" ` +
    'fillcolor="#ffffe1" o:insetmode="auto"><v:fill color2="#ffffe1"/><v:shadow on="t" color="black" obscured="t"/>' +
    '<v:path o:connecttype="none"/><v:textbox style="mso-direction-alt:auto"><div style="text-align:left"></div>' +
    `</v:textbox><x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/><x:Anchor>${anchor}</x:Anchor>` +
    `<x:AutoFill>False</x:AutoFill><x:Row>${row}</x:Row><x:Column>${column}</x:Column></x:ClientData></v:shape>`
  );
}
