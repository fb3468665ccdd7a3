import type { Area, Sheet, Snapshot } from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
import type { UserEmails } from '../../service/google/document-emails.ts';
import { toGridRange } from './filters.ts';
import { canEditProtectedRange, type ProtectedRange, readUnprotectedAreas } from './protected-ranges.ts';
import { readFormatRules } from './rules.ts';
import { KINDS, readSheetId, readStoredObjects, type StoredObject } from './state.ts';

/** Lists of a sheet's stored objects, in the form of answers. */
export function describeStoredObjects(
  snapshot: Snapshot,
  sheet: Sheet,
  access: DocumentAccess,
  emails: UserEmails,
): Readonly<Record<string, () => readonly unknown[]>> {
  const sheetId = readSheetId(sheet);
  return {
    conditionalFormats: () =>
      readFormatRules(snapshot, sheet).map(({ value, areas }) => ({
        ranges: areas.map((area) => toGridRange(sheetId, area)),
        ...value,
      })),
    protectedRanges: () =>
      readStoredObjects(sheet, KINDS.protectedRange).map((stored) => {
        const unprotected = readUnprotectedAreas(sheet, stored.key);
        return describeProtectedRange({ ...stored, unprotected }, sheetId, access, emails);
      }),
    bandedRanges: () => readStoredObjects(sheet, KINDS.banding).map((stored) => addRange(stored, sheetId)),
  };
}

/** A stored object with its current range. */
export function addRange({ value, areas: [area] }: StoredObject, sheetId: number): object {
  return { ...value, ...(area === undefined ? {} : { range: toGridRange(sheetId, area) }) };
}

/** `ProtectedRange` as the caller sees it. */
export function describeProtectedRange(
  { unprotected, ...stored }: StoredObject & { readonly unprotected: readonly Area[] },
  sheetId: number,
  access: DocumentAccess,
  emails: UserEmails,
): object {
  const {
    userIds = [],
    isSheet,
    editors = {},
    ...rest
  } = stored.value as ProtectedRange & {
    readonly isSheet?: boolean;
    readonly editors?: { readonly users?: readonly string[] };
  };
  const users = [...new Set([...userIds.flatMap((id) => emails.get(id) ?? []), ...(editors.users ?? [])])];
  const range = isSheet
    ? { range: sheetId === 0 ? {} : { sheetId } }
    : (addRange({ ...stored, value: {} }, sheetId) as object);
  return {
    ...rest,
    ...range,
    ...(unprotected.length > 0 && { unprotectedRanges: unprotected.map((area) => toGridRange(sheetId, area)) }),
    ...(canEditProtectedRange(stored.value as ProtectedRange, access) ? { requestingUserCanEdit: true } : {}),
    editors: users.length === 0 ? {} : { users },
  };
}
