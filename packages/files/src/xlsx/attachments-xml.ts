import { type AttachmentData, areaText, type SheetData } from '@cellwire/engine';
import { joinWithFormulas } from './xml-copy.ts';

/** Returns the elements of attachments of one kind. */
export function formatAttachmentsXml(sheet: SheetData, kind: string): readonly string[] {
  return listAttachmentsOfKind(sheet, kind).map(formatAttachmentXml);
}

export function listAttachmentsOfKind({ layout }: SheetData, kind: string): readonly AttachmentData[] {
  return (layout?.attachments ?? []).filter((attachmentData) => attachmentData.kind === kind);
}

/** True if the elements of a filter contain conditions. */
export function hasConditions(filter: string): boolean {
  return filter.includes('<filterColumn');
}

/** Attribute with the element's cells, by element. */
const CELL_ATTRIBUTES: Readonly<Record<string, string>> = {
  conditionalFormatting: 'sqref',
  dataValidation: 'sqref',
  autoFilter: 'ref',
  sortState: 'ref',
  protectedRange: 'sqref',
  ignoredError: 'sqref',
};

/** The XML of an attachment with its current formulas and cells. */
function formatAttachmentXml({ kind, areas, formulas, texts }: AttachmentData): string {
  const xml = joinWithFormulas(texts, formulas);
  const cells = areas.map(areaText).join(' ');
  const attribute = CELL_ATTRIBUTES[kind];
  if (attribute !== undefined) return xml.replace(`<${kind}`, `<${kind} ${attribute}="${cells}"`);
  if (cells === '') return xml.replace(DELETED_SPARKLINE, '');
  return xml.replace(new RegExp(`</${kind}>$`), `<xm:sqref>${cells}</xm:sqref></${kind}>`);
}

/** Matches a sparkline whose cell was deleted. */
const DELETED_SPARKLINE = /<x14:sparkline>(?:<xm:f>[^<]*<\/xm:f>)?<xm:sqref>#REF!<\/xm:sqref><\/x14:sparkline>/g;

/** Wraps elements of one kind in their list element. */
export function formatListXml(list: string, items: readonly string[], hasCount = true): string {
  if (items.length === 0) return '';
  return `<${list}${hasCount ? ` count="${items.length}"` : ''}>${items.join('')}</${list}>`;
}

/** Page breaks, at the rows or columns that follow them. */
export function formatBreaksXml(sheet: SheetData, list: 'rowBreaks' | 'colBreaks'): string {
  const lines = new Map<number, string>();
  for (const { areas, texts } of listAttachmentsOfKind(sheet, list)) {
    const [area] = areas;
    if (area) lines.set(list === 'rowBreaks' ? area.top : area.left, texts[0] ?? '');
  }
  lines.delete(0);
  const items = [...lines].sort(([a], [b]) => a - b).map(([line, marks]) => `<brk id="${line}"${marks}/>`);
  const manual = items.filter((item) => item.includes(' man=')).length;
  return items.length === 0
    ? ''
    : `<${list} count="${items.length}" manualBreakCount="${manual}">${items.join('')}</${list}>`;
}

/** Extensions of a worksheet, with the URI of each ([MS-XLSX] 2.2.4). */
const EXTENSIONS: readonly (readonly [kind: string, list: string, uri: string])[] = [
  ['x14:conditionalFormatting', 'x14:conditionalFormattings', '{78C0D931-6437-407d-A8EE-F0AAD7539E65}'],
  ['x14:dataValidation', 'x14:dataValidations', '{CCE6A557-97BC-4b89-ADB6-D9C93CAAB3DF}'],
  ['x14:sparklineGroup', 'x14:sparklineGroups', '{05C60535-1F16-4fd2-B633-F4F36F0B64E0}'],
];

/** The XML of all attachments that belong into extensions; empty if there are none. */
export function formatExtensionsXml(sheet: SheetData): string {
  const items = EXTENSIONS.map(([kind, list, uri]) => {
    const content = formatListXml(list, formatAttachmentsXml(sheet, kind), kind === 'x14:dataValidation');
    return content && `<ext uri="${uri}">${content}</ext>`;
  }).join('');
  return items && `<extLst>${items}</extLst>`;
}
