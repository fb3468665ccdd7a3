import { nameViews, type Sheet, type Snapshot } from '@cellwire/engine';
import { parseA1 } from '../a1.ts';
import { DEFAULT_FORMAT, omitEmpty } from '../format/cell-format.ts';
import { colorForms, SPREADSHEET_THEME } from '../format/color.ts';
import { gridRangeAnswer } from './filters.ts';
import { attachmentsOf, gridOf, KINDS, recordOf, sheetIdOf } from './state.ts';
import { viewOf } from './views.ts';

export const TAB = { color: 'tabColor', style: 'tabColorStyle' };

/** `SheetProperties`. */
export function sheetProperties(sheet: Sheet, index: number): Readonly<Record<string, unknown>> {
  const { rows, columns } = gridOf(sheet);
  const { frozenRows, frozenColumns, hidesGridlines, isRightToLeft } = viewOf(sheet);
  const { rowGroupControlAfter, columnGroupControlAfter } = recordOf(sheet);
  return {
    sheetId: sheetIdOf(sheet),
    title: sheet.name,
    index,
    sheetType: 'GRID',
    gridProperties: omitEmpty({
      rowCount: rows,
      columnCount: columns,
      frozenRowCount: frozenRows,
      frozenColumnCount: frozenColumns,
      hideGridlines: hidesGridlines,
      rowGroupControlAfter,
      columnGroupControlAfter,
    }),
    ...(sheet.hidden ? { hidden: true } : {}),
    ...(sheet.color === null ? {} : colorForms(sheet.color.toLowerCase(), TAB)),
    ...(isRightToLeft ? { rightToLeft: true } : {}),
  };
}

/** `SpreadsheetProperties`. */
export function spreadsheetProperties({ settings }: Snapshot, title: string): object {
  return {
    title,
    locale: settings.locale.replace('-', '_'),
    autoRecalc: 'ON_CHANGE',
    timeZone: settings.timeZone,
    defaultFormat: DEFAULT_FORMAT,
    spreadsheetTheme: SPREADSHEET_THEME,
  };
}

/** A defined name as Google clients see it. */
export interface DefinedRange {
  readonly id: string;
  /** The document's name, prefixed by its sheet if it has sheet scope. */
  readonly name: string;
  readonly sheet: Sheet;
  readonly answer: object;
}

/** Names of ranges, without names of other formulas. */
export function namedRanges(snapshot: Snapshot): readonly DefinedRange[] {
  return nameViews(snapshot).flatMap(({ name, refersTo }): readonly DefinedRange[] => {
    const parts = parseA1(refersTo.replace(/^=/, '').replaceAll('$', ''));
    if (parts?.sheet == null || parts.range === null) return [];
    const sheet = snapshot.sheetByName(parts.sheet);
    if (sheet === undefined) return [];
    const { top, left, bottom, right } = parts.range;
    const { rows, columns } = gridOf(sheet);
    const range = { top, left, bottom: bottom ?? rows - 1, right: right ?? columns - 1 };
    const id = namedRangeId(snapshot, name);
    const shown = name.slice(name.lastIndexOf('!') + 1);
    const answer = { namedRangeId: id, name: shown, range: gridRangeAnswer(sheetIdOf(sheet), range) };
    return [{ id, name, sheet, answer }];
  });
}

/** The stored id of a name, or else an id derived from the name. */
function namedRangeId({ sheets }: Snapshot, name: string): string {
  for (const sheet of sheets) {
    const attachment = attachmentsOf(sheet, KINDS.namedRange).find(
      ({ texts }) => texts[1] === JSON.stringify({ name }),
    );
    if (attachment?.texts[0] !== undefined) return attachment.texts[0];
  }
  return hashNameId(name);
}

/** FNV-1a, 32 bits. */
export function hashNameId(name: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(name.toLowerCase())) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return String(hash);
}
