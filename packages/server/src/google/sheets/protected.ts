import { type Area, intersects, isWithin, type Sheet, type Snapshot } from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
import type { ServiceContext } from '../../service/context.ts';
import { emailsOfDocument, type UserEmails } from '../../service/google/document-emails.ts';
import { invalid, PROTECTED_CELL } from '../problem.ts';
import { attachmentsOf, KINDS, objectsOf } from './state.ts';

/** The stored part of a protected range that answers do not show. */
export interface ProtectedRange {
  /** Users who may edit, in addition to the owner. */
  readonly userIds?: readonly number[];
  readonly warningOnly?: boolean;
}

/** The addresses of the editors of a document's protected ranges. */
export function editorEmails(
  context: ServiceContext,
  access: DocumentAccess,
  { sheets }: Snapshot,
): Promise<UserEmails> {
  const ranges = sheets.flatMap((sheet) => objectsOf(sheet, KINDS.protectedRange));
  const editors = new Set(ranges.flatMap(({ value }) => (value as ProtectedRange).userIds ?? []));
  return editors.size === 0 ? Promise.resolve(new Map()) : emailsOfDocument(context, access);
}

/** Areas inside a protected range that all users may edit. They are stored apart, so that they follow their cells. */
export function unprotectedAreas(sheet: Sheet, key: string): readonly Area[] {
  const attachments = attachmentsOf(sheet, KINDS.unprotectedRange);
  return attachments.flatMap(({ areas, texts }) => (texts[0] === key ? areas : []));
}

export function mayEdit({ userIds = [], warningOnly = false }: ProtectedRange, access: DocumentAccess): boolean {
  return warningOnly || access.role === 'owner' || userIds.includes(access.caller.userId);
}

/** Throws if an area intersects a range that the caller may not edit. */
export function refuseProtected(sheet: Sheet, area: Area, access: DocumentAccess): void {
  if (access.lockedSheets.has(sheet.id)) throw invalid(PROTECTED_CELL);
  if (access.role === 'owner') return;
  for (const { key, value, areas } of objectsOf(sheet, KINDS.protectedRange)) {
    const range = value as ProtectedRange;
    if (mayEdit(range, access)) continue;
    const isFree = unprotectedAreas(sheet, key).some((free) => isWithin(area, free));
    if (!isFree && areas.some((one) => intersects(one, area))) throw invalid(PROTECTED_CELL);
  }
}
