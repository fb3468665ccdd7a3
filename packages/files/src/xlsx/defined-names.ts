import { type AttachmentData, type NameData, nameKey, type SheetData } from '@cellwire/engine';
import { ofKind } from './attachments-xml.ts';
import { escapeAttribute, escapeText } from './text.ts';

/** The kind of an attachment that says how a sheet's own name is listed; its texts: the name, attributes as text. */
const NAME = 'name';

export function listedName(name: string, attributes: string): AttachmentData {
  return { kind: NAME, areas: [], formulas: [], texts: [name, attributes] };
}

/** Attributes of the names of one scope (hidden, commented), as text, by `nameKey`. */
export type ListedNames = Readonly<Record<string, string>>;

/** `listed`: the names of the whole workbook. `sheetIndex`: the place of a sheet among all. */
export function namesXml(
  names: readonly NameData[],
  sheets: readonly SheetData[],
  listed: ListedNames,
  sheetIndex: (name: string) => number,
): string {
  const bySheet = new Map(sheets.map((sheet) => [sheet.name, listedIn(sheet)]));
  const items = names.map(({ name, sheet, formula }) => {
    const scope = sheet === undefined ? '' : ` localSheetId="${sheetIndex(sheet)}"`;
    const held = (sheet === undefined ? listed : bySheet.get(sheet))?.[nameKey(name)] ?? '';
    const attributes = name === FILTERED_CELLS ? ' hidden="1"' : held;
    return `<definedName name="${escapeAttribute(name)}"${scope}${attributes}>${escapeText(formula)}</definedName>`;
  });
  return items.length === 0 ? '' : `<definedNames>${items.join('')}</definedNames>`;
}

/** What programs call the cells that a sheet's filter looks at. */
const FILTERED_CELLS = '_xlnm._FilterDatabase';

function listedIn(sheet: SheetData): ListedNames {
  return Object.fromEntries(ofKind(sheet, NAME).map(({ texts: [name = '', held = ''] }) => [nameKey(name), held]));
}
