import type { Query, Statement } from '@cellwire/store';
import { auditPage, auditTokens, auditTotal, insertAudits, type NewEntry, shownOrigin } from '@cellwire/store/audit';
import type { DocumentAccess } from '../../access/access.ts';
import { type Caller, tokenOf } from '../../access/callers.ts';
import type { ServiceContext } from '../context.ts';

/** Actions of decisions §11, and those on a subscription that stand beside them. */
export type AuditAction =
  | 'update'
  | 'append'
  | 'clear'
  | 'format'
  | 'sheet.create'
  | 'sheet.rename'
  | 'sheet.delete'
  | 'structure'
  | 'records.append'
  | 'records.upsert'
  | 'records.update'
  | 'records.delete'
  | 'document.create'
  | 'document.rename'
  | 'document.share'
  | 'document.transfer'
  | 'document.convert'
  | 'document.delete'
  | 'document.restore'
  | 'document.purge'
  | 'sheet.hide'
  | 'sheet.show'
  | 'sheet.protect'
  | 'sheet.unprotect'
  | 'undo'
  | 'restore'
  | 'webhook.create'
  | 'webhook.delete'
  | 'webhook.update'
  | 'webhook.secret'
  | 'webhook.test'
  | 'webhook.redeliver'
  | 'propose'
  | 'apply'
  | 'reject'
  | 'withdraw';

/** One line of the log, without who and when. `range` is empty and `cells` 0 where no cells are involved. */
export interface AuditNote {
  readonly action: AuditAction;
  readonly range: string;
  readonly cells: number;
  readonly subscription?: AuditedSubscription;
  readonly proposal?: AuditedProposal;
}

/** The proposal that an entry is about. */
export interface AuditedProposal {
  readonly proposal: string;
  /** Of the write that waits, or waited. */
  readonly action: string;
  readonly proposedBy: { readonly id: number; readonly name: string };
}

/** The subscription that an entry is about. */
interface AuditedSubscription {
  /** Null: the one that the same unit makes. */
  readonly id: number | null;
  /** The receiver's URL, or the chat. */
  readonly address: string;
}

export interface AuditEntry {
  readonly id: number;
  readonly action: string;
  readonly origin: string;
  readonly userId: number;
  readonly userName: string;
  readonly token: string;
  /** Of the request that did it; null: it was none, or was made by an earlier version. */
  readonly requestId: string | null;
  readonly properties: {
    readonly range: string;
    readonly cells: number;
    /** Of entries about a subscription: its number and where it leads. */
    readonly webhook?: number;
    readonly address?: string;
    /** Of entries about a proposal: its id, the write that it is, and who proposed it. */
    readonly proposal?: string;
    readonly action?: string;
    readonly proposedBy?: AuditedProposal['proposedBy'];
  };
  /** ISO 8601. */
  readonly createdAt: string;
}

export interface AuditLog {
  readonly entries: readonly AuditEntry[];
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
  readonly tokens: readonly string[];
}

type AuditOrigin = 'api' | 'agent' | 'browser' | 'google' | 'mcp' | 'operator';

export function originOf({ principal, agent, via }: Caller): AuditOrigin {
  if (via !== null) return via;
  if (principal.kind === 'session') return 'browser';
  return agent ? 'agent' : 'api';
}

/** One entry for each note, in their order. */
export function auditEntries(
  { caller, documentId }: AuditActor,
  notes: readonly AuditNote[],
  at: number,
): readonly NewEntry[] {
  const origin = originOf(caller);
  const token = tokenOf(caller);
  return notes.map(({ action, range, cells, subscription, proposal }) => ({
    document_id: documentId,
    action,
    origin,
    user_id: caller.userId,
    user_name: caller.userName,
    token_id: token.id,
    token_name: token.name,
    request_id: caller.requestId,
    range,
    cells,
    at,
    subject_id: subscription?.id ?? null,
    subject_address: subscription?.address ?? null,
    proposal: proposal === undefined ? null : JSON.stringify(proposal),
  }));
}

/** The same as statements of a unit that makes no commit. */
export function auditStatements(acting: AuditActor, notes: readonly AuditNote[], at: number): readonly Statement[] {
  return insertAudits(auditEntries(acting, notes, at));
}

/** Who does something to which document. */
type AuditActor = Pick<DocumentAccess, 'caller' | 'documentId'>;

export interface AuditQuery {
  readonly offset: number;
  readonly limit: number;
}

/** Changes made through the API and integrations, newest first. */
export function getAudit(context: ServiceContext, access: DocumentAccess, query: AuditQuery): Promise<AuditLog> {
  return auditLog(context, access.documentId, query, (row) => shownAddress(access, row));
}

/** Entries as a caller may see them. */
export function entriesFor(access: DocumentAccess, rows: readonly AuditRow[]): readonly AuditEntry[] {
  return rows.map((row) => entryOf(row, shownAddress(access, row)));
}

/** Where a receiver is may be a secret between its owner and who made it; others see its host. */
function shownAddress({ caller, role }: DocumentAccess, row: AuditRow): string | null {
  return role === 'owner' || row.user_id === caller.userId ? row.subject_address : hostOf(row);
}

type AuditRow = ReturnType<typeof auditPage> extends Query<infer R> ? R : never;

/** A document's log, also of one that was deleted. `addressOf`: what is shown of a subscription's address. */
export async function auditLog(
  { database }: Pick<ServiceContext, 'database'>,
  documentId: string,
  { offset, limit }: AuditQuery,
  addressOf: (row: AuditRow) => string | null,
): Promise<AuditLog> {
  const [rows, totals, tokens] = await database.readAll([
    auditPage({ document_id: documentId, offset, limit }),
    auditTotal({ document_id: documentId }),
    auditTokens({ document_id: documentId }),
  ]);
  return {
    entries: rows.map((row) => entryOf(row, addressOf(row))),
    total: totals[0]?.total ?? 0,
    offset,
    limit,
    tokens: tokens.flatMap((row) => row.token_name ?? []),
  };
}

function entryOf(row: AuditRow, address: string | null): AuditEntry {
  const { range, cells, subject_id: webhook } = row;
  const subject = webhook === null ? {} : { webhook, ...(address === null ? {} : { address }) };
  return {
    id: row.id,
    action: row.action,
    origin: shownOrigin(row.origin),
    userId: row.user_id,
    userName: row.user_name,
    token: row.token_name ?? '',
    requestId: row.request_id,
    properties: { range, cells, ...subject, ...proposalOf(row) },
    createdAt: new Date(row.at).toISOString(),
  };
}

/** What an entry says of its proposal; nothing if it is about none. */
export function proposalOf({ proposal }: Pick<AuditRow, 'proposal'>): Partial<AuditedProposal> {
  return proposal === null ? {} : (JSON.parse(proposal) as AuditedProposal);
}

/** The host of a receiver's URL; nothing of a chat. */
function hostOf({ subject_address: address }: AuditRow): string | null {
  return URL.parse(address ?? '')?.host ?? null;
}
