import { deleteProtection, protectionsOf, setProtection } from '@cellwire/store/documents';
import { parseStoredList } from '@cellwire/store/stored-forms';
import type { DocumentAccess } from '../../access/access.ts';
import type { SharingInputs } from '../../documents/rights.ts';
import { type AccessAction, keepActionReply, withAccessRetry } from '../access-retry.ts';
import type { ServiceContext } from '../context.ts';
import { buildAuditStatements } from '../history/audit-log.ts';
import { openTable } from '../open-table.ts';
import { findUser } from '../operator/find-user.ts';
import { invalidRequest, isRefusal, type Refusal, SHEET_NOT_FOUND } from '../refusal.ts';
import type { WriteReply } from '../reply.ts';
import { type SharingChange, tryChangeSharing } from './change-sharing.ts';

/** The protection of a sheet; without `hideValues` and `lock` it is not protected. */
export interface SheetProtection {
  /** The sheet's name. */
  readonly sheet: string;
  /** Only the owner and the users in `allow` see the sheet's values. */
  readonly hideValues: boolean;
  /** Only the owner and the users in `allow` may edit, rename and delete the sheet. */
  readonly lock: boolean;
  /** Ids of users. */
  readonly allow: readonly number[];
}

export interface RequestedProtection {
  readonly hideValues: boolean;
  readonly lock: boolean;
  /** Ids or e-mail addresses of the users. */
  readonly allow: readonly string[];
}

const NO_PROTECTION = { hideValues: false, lock: false, allow: [] };

/** Resolves the requested protection of a sheet to user ids. */
export async function resolveProtection(
  context: Pick<ServiceContext, 'database'>,
  { hideValues, lock, allow }: RequestedProtection,
): Promise<Omit<SheetProtection, 'sheet'> | Refusal> {
  if (!hideValues && !lock) return invalidRequest('lock', 'Choose what to protect: hidden values, editing or both');
  const found = new Set<number>();
  for (const text of allow) {
    const user = await findUser(context, text);
    if (isRefusal(user)) return user.reason === 'invalidRequest' ? { ...user, field: 'allow' } : user;
    found.add(user.id);
  }
  return { hideValues, lock, allow: [...found] };
}

/** Replaces a sheet's protection; null: removes it. */
export async function protectSheet(
  context: ServiceContext,
  action: AccessAction<DocumentAccess>,
  name: string,
  request: RequestedProtection | null,
): Promise<WriteReply | Refusal> {
  const protection = request === null ? NO_PROTECTION : await resolveProtection(context, request);
  if (isRefusal(protection)) return protection;
  return withAccessRetry(context, action, async (access) => {
    const sheet = await findSheet(context, access, name);
    if (isRefusal(sheet)) return sheet;
    const { documentId, epoch } = access;
    const at = context.clock();
    const body = { protection: { sheet: sheet.name, ...protection } };
    const note = { action: request === null ? 'sheet.unprotect' : 'sheet.protect', range: '', cells: 0 } as const;
    const extraStatements = [
      ...buildAuditStatements(access, [note], at),
      ...keepActionReply(context, action.keyed, body, at),
    ];
    const change = createProtectionChange(documentId, sheet.id, request === null ? null : protection);
    const refusal = await tryChangeSharing(context, documentId, { ...change, extraStatements }, epoch);
    return refusal ?? { kind: 'done', body };
  });
}

/** A sheet's protection. Callers other than the owner see only themselves in `allow`. */
export async function readProtection(
  context: ServiceContext,
  access: DocumentAccess,
  name: string,
): Promise<SheetProtection | Refusal> {
  const sheet = await findSheet(context, access, name);
  if (isRefusal(sheet)) return sheet;
  const rows = await context.database.read(protectionsOf({ document_id: access.documentId }));
  const row = rows.find(({ sheet_id }) => sheet_id === sheet.id);
  if (row === undefined) return { sheet: sheet.name, ...NO_PROTECTION };
  const allowed = parseStoredList<number>(row.allowed, 'The users of a protected sheet');
  const { role, caller } = access;
  const allow = role === 'owner' ? allowed : allowed.filter((user) => user === caller.userId);
  return { sheet: sheet.name, hideValues: row.hide_values === 1, lock: row.locked === 1, allow };
}

/** The protected sheets of a document with their protection, for every user who may open it. */
export async function listProtectedSheets(
  context: ServiceContext,
  access: DocumentAccess,
): Promise<readonly Omit<SheetProtection, 'allow'>[] | Refusal> {
  const snapshot = await openTable(context, access);
  if (isRefusal(snapshot)) return snapshot;
  const rows = await context.database.read(protectionsOf({ document_id: access.documentId }));
  return rows.flatMap(({ sheet_id, hide_values, locked }) => {
    const sheet = snapshot.sheetById(sheet_id)?.name;
    return sheet === undefined ? [] : [{ sheet, hideValues: hide_values === 1, lock: locked === 1 }];
  });
}

/** Creates the sharing change that protects a sheet; null: removes the protection. */
export function createProtectionChange(
  document: string,
  sheet: number,
  protection: Omit<SheetProtection, 'sheet'> | null,
): SharingChange {
  const filterOtherSheets = ({ protections }: SharingInputs) => protections.filter((other) => other.sheet !== sheet);
  if (protection === null) {
    return {
      statements: [deleteProtection({ document_id: document, sheet_id: sheet })],
      sharing: (before) => ({ ...before, protections: filterOtherSheets(before) }),
    };
  }
  const { hideValues, lock, allow } = protection;
  const row = {
    document_id: document,
    sheet_id: sheet,
    hide_values: hideValues ? 1 : 0,
    locked: lock ? 1 : 0,
    allowed: JSON.stringify(allow),
  };
  return {
    statements: [setProtection(row)],
    sharing: (before) => ({
      ...before,
      protections: [...filterOtherSheets(before), { sheet, hideValues, allowed: allow }],
    }),
  };
}

/** The sheet with this name; refused if it or the table does not exist. */
async function findSheet(context: ServiceContext, access: DocumentAccess, name: string) {
  const snapshot = await openTable(context, access);
  return isRefusal(snapshot) ? snapshot : (snapshot.sheetByName(name) ?? SHEET_NOT_FOUND);
}
