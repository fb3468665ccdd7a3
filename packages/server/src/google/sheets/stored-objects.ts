import type { Area, Sheet, Snapshot } from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
import type { UserEmails } from '../../service/google/document-emails.ts';
import { gridRangeAnswer } from './filters.ts';
import { mayEdit, type ProtectedRange, unprotectedAreas } from './protected.ts';
import { formatRulesOf } from './rules.ts';
import { KINDS, objectsOf, type StoredObject, sheetIdOf } from './state.ts';

/** Lists of a sheet's stored objects, in the form of answers. */
export function storedObjects(
  snapshot: Snapshot,
  sheet: Sheet,
  access: DocumentAccess,
  emails: UserEmails,
): Readonly<Record<string, () => readonly unknown[]>> {
  const sheetId = sheetIdOf(sheet);
  return {
    conditionalFormats: () =>
      formatRulesOf(snapshot, sheet).map(({ value, areas }) => ({
        ranges: areas.map((area) => gridRangeAnswer(sheetId, area)),
        ...value,
      })),
    protectedRanges: () =>
      objectsOf(sheet, KINDS.protectedRange).map((stored) => {
        const unprotected = unprotectedAreas(sheet, stored.key);
        return protectedAnswer({ ...stored, unprotected }, sheetId, access, emails);
      }),
    bandedRanges: () => objectsOf(sheet, KINDS.banding).map((stored) => withRange(stored, sheetId)),
  };
}

/** A stored object with its current range. */
export function withRange({ value, areas: [area] }: StoredObject, sheetId: number): object {
  return { ...value, ...(area === undefined ? {} : { range: gridRangeAnswer(sheetId, area) }) };
}

/** `ProtectedRange` as the caller sees it. */
export function protectedAnswer(
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
    : (withRange({ ...stored, value: {} }, sheetId) as object);
  return {
    ...rest,
    ...range,
    ...(unprotected.length > 0 && { unprotectedRanges: unprotected.map((area) => gridRangeAnswer(sheetId, area)) }),
    ...(mayEdit(stored.value as ProtectedRange, access) ? { requestingUserCanEdit: true } : {}),
    editors: users.length === 0 ? {} : { users },
  };
}
