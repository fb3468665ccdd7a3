import { areaText, parseArea } from '@cellwire/engine';
import { escapeAttributeValue } from '../xml-copy.ts';

/** Receives each cell reference in a part, in the file grammar. Returns the replacement, or null to keep it. */
type ReferenceVisitor = (reference: string) => string | null;

/** Visits the cell references in a part of a known content type. Returns the text with the replacements. */
export function visitReferences(type: string, xml: string, visit: ReferenceVisitor): string {
  const visitor = VISITORS.find(([pattern]) => pattern.test(type))?.[1];
  return visitor === undefined ? xml : visitor(xml, visit);
}

/** True if parts of this type, such as charts, contain references to cells. */
export function hasReferences(type: string): boolean {
  return VISITORS.some(([pattern]) => pattern.test(type));
}

const VISITORS: readonly (readonly [type: RegExp, visitor: (xml: string, visit: ReferenceVisitor) => string])[] = [
  [/drawingml\.chart\+xml$|chartex\+xml$/, visitFormulas],
  [/officedocument\.drawing\+xml$/, visitDrawing],
  [/pivotCacheDefinition\+xml$/, visitPivotSource],
  [/pivotTable\+xml$/, (xml, visit) => visitAttributes(xml, 'location', ['ref'], visit)],
  [/controlproperties\+xml$/, (xml, visit) => visitAttributes(xml, 'formControlPr', CONTROL_FORMULAS, visit)],
  [/threadedcomments\+xml$/, visitCommentThreads],
];

/** Prefix in formulas of files that means the same workbook. */
const OWN_BOOK = '[0]!';
const CONTROL_FORMULAS = ['fmlaGroup', 'fmlaLink', 'fmlaRange', 'fmlaTxbx'];

/**
 * Visits formulas such as `<c:f>Data!$A$1:$A$9</c:f>`. Before defined names they need the number of the workbook
 * (`[0]!Prices`).
 */
function visitFormulas(xml: string, visit: ReferenceVisitor): string {
  return xml.replace(
    /(<(?:\w+:)?f(?: [^<>]*)?>)([^<]+)(<\/(?:\w+:)?f>)/g,
    (whole, start: string, text: string, end: string) => {
      const was = decodeEntities(text);
      const next = visit(was);
      if (next === null) return whole;
      const book = was.startsWith(OWN_BOOK) && !next.includes('!') ? OWN_BOOK : '';
      return start + escapeAttributeValue(book + next) + end;
    },
  );
}

/** Visits the attributes of all elements with a name. Returns the XML with the texts that the visitor returned. */
function visitAttributes(xml: string, element: string, names: readonly string[], visit: ReferenceVisitor): string {
  return xml.replace(new RegExp(`<(?:\\w+:)?${element}(?=[ \\t\\r\\n])[^<>]*>`, 'g'), (tag) =>
    names.reduce((changed, name) => visitAttribute(changed, name, visit), tag),
  );
}

/** Visits one attribute of a tag. The visitor returns its new text, or null to keep it. */
function visitAttribute(tag: string, name: string, visit: ReferenceVisitor): string {
  return tag.replace(new RegExp(`( ${name}=)("[^"]*"|'[^']*')`), (whole, start: string, quoted: string) => {
    const next = visit(decodeEntities(quoted.slice(1, -1)));
    return next === null ? whole : `${start}"${escapeAttributeValue(next)}"`;
  });
}

const ANCHOR =
  /<(\w+:)?(?:twoCellAnchor|oneCellAnchor)\b[^<>]*>\s*<(?:\w+:)?from>[\s\S]{0,2000}?<\/(?:\w+:)?from>(?:\s*<(?:\w+:)?to>[\s\S]{0,2000}?<\/(?:\w+:)?to>)?/g;
const CORNER = /(<(?:\w+:)?col>\s*)(\d+)(\s*<\/(?:\w+:)?col>[\s\S]*?<(?:\w+:)?row>\s*)(\d+)(\s*<)/g;

/** Visits anchors, as areas, and the cells whose text is shown in shapes. */
function visitDrawing(xml: string, visit: ReferenceVisitor): string {
  const anchored = xml.replace(ANCHOR, (anchor) => {
    const corners = [...anchor.matchAll(CORNER)].map(([, , column, , row]) => [Number(row), Number(column)] as const);
    const [from, to = from] = corners;
    if (from === undefined || to === undefined) return anchor;
    const isMovedOnly = corners.length === 1 || / editAs=["']oneCell/.test(anchor);
    const covered = {
      top: from[0],
      left: from[1],
      bottom: isMovedOnly ? from[0] : to[0],
      right: isMovedOnly ? from[1] : to[1],
    };
    if (covered.bottom < covered.top || covered.right < covered.left || / editAs=["']absolute/.test(anchor))
      return anchor;
    const moved = parseArea(visit(areaText(covered)) ?? '');
    if (moved === null) return anchor;
    const [down, right] = [moved.top - from[0], moved.left - from[1]];
    const end = isMovedOnly ? [to[0] + down, to[1] + right] : [moved.bottom, moved.right];
    let corner = 0;
    return anchor.replace(CORNER, (_, a: string, _column, b: string, _row, c: string) => {
      const [row, column] = corner++ === 0 ? [moved.top, moved.left] : end;
      return `${a}${column}${b}${row}${c}`;
    });
  });
  return visitAttributes(anchored, 'sp', ['textlink'], visit);
}

/** Visits the source of a pivot table: `ref` and `sheet`. If it is a defined name, it needs no update. */
function visitPivotSource(xml: string, visit: ReferenceVisitor): string {
  return xml.replace(/<(?:\w+:)?worksheetSource(?=\s)[^<>]*>/, (tag) => {
    const ref = / ref="([^"]*)"/.exec(tag)?.[1];
    const sheet = / sheet="([^"]*)"/.exec(tag)?.[1];
    if (ref === undefined || sheet === undefined || tag.includes(':id=')) return tag;
    const next = visit(`'${decodeEntities(sheet).replaceAll("'", "''")}'!${decodeEntities(ref)}`);
    const match = /^(?:'((?:[^']|'')*)'|([^'!]+))!([^!]+)$/.exec(next ?? '');
    if (match === null || match[3]?.includes('#REF!')) return tag;
    const name = match[1]?.replaceAll("''", "'") ?? match[2] ?? '';
    return tag
      .replace(/ ref="[^"]*"/, () => ` ref="${match[3]}"`)
      .replace(/ sheet="[^"]*"/, () => ` sheet="${escapeAttributeValue(name)}"`);
  });
}

/** Visits the cells of comment threads. A thread is removed if its cell was deleted. */
function visitCommentThreads(xml: string, visit: ReferenceVisitor): string {
  const changed = visitAttributes(xml, 'threadedComment', ['ref'], visit);
  return changed.replace(/<(\w+:)?threadedComment [^<>]*ref="#REF!"[\s\S]{0,4000}?<\/(\w+:)?threadedComment>/g, '');
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Decodes the entities of a text. */
function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-fA-F]{1,6})|#([0-9]{1,7})|(amp|lt|gt|quot|apos));/g,
    (whole, hex, decimal, name) => {
      if (name !== undefined) return ENTITIES[name as string] ?? whole;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex as string, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
