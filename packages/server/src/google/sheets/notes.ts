import type { Sheet } from '@cellwire/engine';
import { NOTE, parseNoteText } from '@cellwire/files';
import { listAttachments } from './state.ts';

/** The notes of a sheet by cell: `row:column`. */
export function readNotes(sheet: Sheet): ReadonlyMap<string, string> {
  return new Map(
    listAttachments(sheet, NOTE).flatMap(({ areas: [cell], texts: [, xml = ''] }) =>
      cell === undefined ? [] : [[`${cell.top}:${cell.left}`, parseNoteText(xml)] as const],
    ),
  );
}

const MARKS: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;' };
// Characters that XML cannot contain are escaped as in .xlsx files.
const UNSAFE = /[\u0000-\u0008\u000b\u000c\u000d\u000e-\u001f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g;

/** The texts of the attachment that stores a note, in the form of files. */
export function toNoteTexts(text: string): readonly string[] {
  const escaped = text
    .toWellFormed()
    .replaceAll(UNSAFE, (mark) => `_x${mark.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}_`)
    .replaceAll(/[<>&]/g, (mark) => MARKS[mark] ?? mark);
  return ['', `<text><r><t xml:space="preserve">${escaped}</t></r></text>`, '', ''];
}
