import { findSheetByName } from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
import type { ProposalHead, SheetEntry } from '../../documents/types.ts';
import type { AuditAction, AuditNote } from '../../service/history/audit-log.ts';
import { type Refusal, SHEET_NOT_FOUND, SHEET_PROTECTED } from '../../service/refusal.ts';
import { type SheetView, toSheetView } from '../../service/structure/sheets.ts';

/** Finds a sheet and checks that the caller may change it. */
export function findEditableSheet(head: ProposalHead, access: DocumentAccess, name: string): SheetEntry | Refusal {
  const sheet = findSheetByName(head.sheets, name);
  if (sheet === undefined) return SHEET_NOT_FOUND;
  return access.lockedSheets.has(sheet.id) ? SHEET_PROTECTED : sheet;
}

/** Returns the view of one of `sheets`. Throws if none of them has this id. */
export function findSheetView(sheets: readonly SheetEntry[], id: number): SheetView {
  const order = sheets.findIndex((sheet) => sheet.id === id);
  const sheet = sheets[order];
  if (sheet === undefined) throw new Error(`no sheet ${id}`);
  return toSheetView(sheet, order);
}

/** An entry of the audit log about a sheet as a whole. */
export function toSheetNote(action: AuditAction): AuditNote {
  return { action, range: '', cells: 0 };
}
