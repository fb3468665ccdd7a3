import type { Statement } from '@cellwire/store';
import { userById } from '@cellwire/store/accounts';
import { COMMAND_ORIGIN, insertAudits, type NewAuditEntry } from '@cellwire/store/audit';
import type { ServiceContext } from '../context.ts';
import type { AuditAction } from '../history/audit-log.ts';

/** Builds the audit entries of a command on a document or a sheet. */
export async function buildOperatorEntries(
  { database, clock }: Pick<ServiceContext, 'database' | 'clock'>,
  { id, owner_id }: { readonly id: string; readonly owner_id: number },
  action: AuditAction,
): Promise<readonly NewAuditEntry[]> {
  const owner = await database.readOne(userById({ id: owner_id }));
  const by = buildOwnerEntry(id, { id: owner_id, name: owner?.name ?? '' }, COMMAND_ORIGIN);
  return [{ ...by, action, range: '', cells: 0, at: clock() }];
}

/** Builds statements that store the entries, for a unit without a commit. */
export async function buildOperatorAudit(
  ...what: Parameters<typeof buildOperatorEntries>
): Promise<readonly Statement[]> {
  return insertAudits(await buildOperatorEntries(...what));
}

/** Builds an audit entry of a command, recorded under the document's owner. */
export function buildOwnerEntry(
  document: string,
  owner: { readonly id: number; readonly name: string },
  origin: 'import' | 'operator' | typeof COMMAND_ORIGIN,
): Omit<NewAuditEntry, 'action' | 'range' | 'cells' | 'at'> {
  const user = { user_id: owner.id, user_name: owner.name, token_id: null, token_name: null, request_id: null };
  return { document_id: document, origin, ...user, subject_id: null, subject_address: null, proposal: null };
}
