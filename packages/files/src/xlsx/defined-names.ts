import { type AttachmentData, type NameData, nameKey, type SheetData } from '@cellwire/engine';
import { listAttachmentsOfKind } from './attachments-xml.ts';
import { escapeAttribute, escapeText } from './text.ts';

/** Kind of the attachment with the attributes of a sheet's defined name. Its texts are the name and the attributes. */
const NAME = 'name';

/** The attributes of a defined name, such as its comment, as an attachment. */
export function createNameAttachment(name: string, attributes: string): AttachmentData {
  return { kind: NAME, areas: [], formulas: [], texts: [name, attributes] };
}

/** Attributes of the defined names of one scope (hidden, comment), as text, by `nameKey`. */
export type NameAttributes = Readonly<Record<string, string>>;

/**
 * Writes the element of the defined names. `listed`: attributes of workbook-wide names. `sheetIndex`: returns the
 * position of a sheet among all.
 */
export function formatNamesXml(
  names: readonly NameData[],
  sheets: readonly SheetData[],
  listed: NameAttributes,
  sheetIndex: (name: string) => number,
): string {
  const bySheet = new Map(sheets.map((sheet) => [sheet.name, collectNameAttributes(sheet)]));
  const items = names.map(({ name, sheet, formula }) => {
    const scope = sheet === undefined ? '' : ` localSheetId="${sheetIndex(sheet)}"`;
    const preserved = (sheet === undefined ? listed : bySheet.get(sheet))?.[nameKey(name)] ?? '';
    const attributes = name === FILTERED_CELLS ? ' hidden="1"' : preserved;
    return `<definedName name="${escapeAttribute(name)}"${scope}${attributes}>${escapeText(formula)}</definedName>`;
  });
  return items.length === 0 ? '' : `<definedNames>${items.join('')}</definedNames>`;
}

/** Name that programs give to the range of a sheet's filter. */
const FILTERED_CELLS = '_xlnm._FilterDatabase';

/** The kept attributes of defined names, by their names. */
function collectNameAttributes(sheet: SheetData): NameAttributes {
  return Object.fromEntries(
    listAttachmentsOfKind(sheet, NAME).map(({ texts: [name = '', attributes = ''] }) => [nameKey(name), attributes]),
  );
}
