import { type Area, intersects, isWithin, type Sheet, type Snapshot } from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
import type { ServiceContext } from '../../service/context.ts';
import { readDocumentEmails, type UserEmails } from '../../service/google/document-emails.ts';
import { createInvalidProblem, PROTECTED_CELL } from '../problem.ts';
import { KINDS, listAttachments, readStoredObjects } from './state.ts';

/** The stored part of a protected range that answers do not show. */
export interface ProtectedRange {
  /** Users who may edit, in addition to the owner. */
  readonly userIds?: readonly number[];
  readonly warningOnly?: boolean;
}

/** The addresses of the editors of a document's protected ranges. */
export function readEditorEmails(
  context: ServiceContext,
  access: DocumentAccess,
  { sheets }: Snapshot,
): Promise<UserEmails> {
  const ranges = sheets.flatMap((sheet) => readStoredObjects(sheet, KINDS.protectedRange));
  const editors = new Set(ranges.flatMap(({ value }) => (value as ProtectedRange).userIds ?? []));
  return editors.size === 0 ? Promise.resolve(new Map()) : readDocumentEmails(context, access);
}

/** Areas inside a protected range that all users may edit. They are stored apart, so that they follow their cells. */
export function readUnprotectedAreas(sheet: Sheet, key: string): readonly Area[] {
  const attachments = listAttachments(sheet, KINDS.unprotectedRange);
  return attachments.flatMap(({ areas, texts }) => (texts[0] === key ? areas : []));
}

export function canEditProtectedRange(
  { userIds = [], warningOnly = false }: ProtectedRange,
  access: DocumentAccess,
): boolean {
  return warningOnly || access.role === 'owner' || userIds.includes(access.caller.userId);
}

/** Throws if an area intersects a range that the caller may not edit. */
export function refuseProtectedArea(sheet: Sheet, area: Area, access: DocumentAccess): void {
  if (access.lockedSheets.has(sheet.id)) throw createInvalidProblem(PROTECTED_CELL);
  if (access.role === 'owner') return;
  for (const { key, value, areas } of readStoredObjects(sheet, KINDS.protectedRange)) {
    const range = value as ProtectedRange;
    if (canEditProtectedRange(range, access)) continue;
    const isFree = readUnprotectedAreas(sheet, key).some((free) => isWithin(area, free));
    if (!isFree && areas.some((one) => intersects(one, area))) throw createInvalidProblem(PROTECTED_CELL);
  }
}
