import type { Caller, DocumentAccess } from '../access/access.ts';
import { auditPage, auditTokens, auditTotal, insertAudit } from '../store/audit.ts';
import type { Statement } from '../store/database.ts';
import type { ServiceContext } from './context.ts';

/** Actions of decisions §11, and those on a subscription that stand beside them. */
export type AuditAction =
  | 'update'
  | 'append'
  | 'clear'
  | 'sheet.create'
  | 'sheet.rename'
  | 'sheet.delete'
  | 'webhook.create'
  | 'webhook.delete'
  | 'webhook.update'
  | 'webhook.secret'
  | 'webhook.test'
  | 'webhook.redeliver';

/** One line of the log, without who and when. `range` is empty and `cells` 0 where no cells are involved. */
export interface AuditNote {
  readonly action: AuditAction;
  readonly range: string;
  readonly cells: number;
}

interface AuditEntry {
  readonly id: number;
  readonly action: string;
  readonly origin: string;
  readonly userId: number;
  readonly userName: string;
  readonly token: string;
  readonly properties: { readonly range: string; readonly cells: number };
  /** ISO 8601. */
  readonly createdAt: string;
}

interface AuditLog {
  readonly entries: readonly AuditEntry[];
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
  readonly tokens: readonly string[];
}

export function originOf(caller: Caller): 'api' | 'agent' {
  return caller.agent ? 'agent' : 'api';
}

export function auditStatement({ caller, documentId }: DocumentAccess, note: AuditNote, at: number): Statement {
  return insertAudit({
    document_id: documentId,
    action: note.action,
    origin: originOf(caller),
    user_id: caller.userId,
    user_name: caller.userName,
    token_id: caller.tokenId,
    token_name: caller.tokenName,
    range: note.range,
    cells: note.cells,
    at,
  });
}

/** Changes made through the API and integrations, newest first. */
export async function getAudit(
  context: ServiceContext,
  { documentId }: DocumentAccess,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<AuditLog> {
  const [rows, totals, tokens] = await context.database.readAll([
    auditPage({ document_id: documentId, offset, limit }),
    auditTotal({ document_id: documentId }),
    auditTokens({ document_id: documentId }),
  ]);
  return {
    entries: rows.map((row) => ({
      id: row.id,
      action: row.action,
      origin: row.origin,
      userId: row.user_id,
      userName: row.user_name,
      token: row.token_name ?? '',
      properties: { range: row.range, cells: row.cells },
      createdAt: new Date(row.at).toISOString(),
    })),
    total: totals[0]?.total ?? 0,
    offset,
    limit,
    tokens: tokens.flatMap((row) => row.token_name ?? []),
  };
}
