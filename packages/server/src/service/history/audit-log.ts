import type { Query, Statement } from '@cellwire/store';
import {
  auditPage,
  auditTokens,
  auditTotal,
  insertAudits,
  type NewAuditEntry,
  toShownOrigin,
} from '@cellwire/store/audit';
import { parseStoredJson } from '@cellwire/store/stored-forms';
import type { DocumentAccess } from '../../access/access.ts';
import { type Caller, describeToken } from '../../access/callers.ts';
import type { ServiceContext } from '../context.ts';

/** The actions that the audit log of a document lists. */
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

/** One entry of the log, without author and time. `range` is empty and `cells` is 0 if no cells are involved. */
export interface AuditNote {
  readonly action: AuditAction;
  readonly range: string;
  readonly cells: number;
  readonly subscription?: AuditedSubscription;
  readonly proposal?: AuditedProposal;
}

/** The proposal that an entry concerns. */
export interface AuditedProposal {
  readonly proposal: string;
  /** Action of the proposed write. */
  readonly action: string;
  readonly proposedBy: { readonly id: number; readonly name: string };
}

/** The subscription that an entry concerns. */
interface AuditedSubscription {
  /** Null: the subscription that the same unit creates. */
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
  /** Id of the request; null: there was no request, or an earlier version wrote the entry. */
  readonly requestId: string | null;
  readonly properties: {
    readonly range: string;
    readonly cells: number;
    /** Number of the subscription and its receiver; only in entries about subscriptions. */
    readonly webhook?: number;
    readonly address?: string;
    /** Id of the proposal, the action, and the proposer; only in entries about proposals. */
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

/** Through what the caller acts, for the audit log: the browser, the API, an agent or an adapter. */
export function toAuditOrigin({ principal, agent, via }: Caller): AuditOrigin {
  if (via !== null) return via;
  if (principal.kind === 'session') return 'browser';
  return agent ? 'agent' : 'api';
}

/** One entry for each note, in order. */
export function createAuditEntries(
  { caller, documentId }: AuditActor,
  notes: readonly AuditNote[],
  time: number,
): readonly NewAuditEntry[] {
  const origin = toAuditOrigin(caller);
  const token = describeToken(caller);
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
    at: time,
    subject_id: subscription?.id ?? null,
    subject_address: subscription?.address ?? null,
    proposal: proposal === undefined ? null : JSON.stringify(proposal),
  }));
}

/** Builds statements that store the entries, for a unit without a commit. */
export function buildAuditStatements(
  actor: AuditActor,
  notes: readonly AuditNote[],
  time: number,
): readonly Statement[] {
  return insertAudits(createAuditEntries(actor, notes, time));
}

/** The user and the document of an action. */
type AuditActor = Pick<DocumentAccess, 'caller' | 'documentId'>;

export interface AuditQuery {
  readonly offset: number;
  readonly limit: number;
}

/** Changes through the API and integrations, newest first. */
export function getAudit(context: ServiceContext, access: DocumentAccess, query: AuditQuery): Promise<AuditLog> {
  return readAuditLog(context, access.documentId, query, (row) => chooseShownAddress(access, row));
}

/** The entries as the caller may see them. */
export function toVisibleEntries(access: DocumentAccess, rows: readonly AuditRow[]): readonly AuditEntry[] {
  return rows.map((row) => toAuditEntry(row, chooseShownAddress(access, row)));
}

/**
 * The receiver's address as the caller may see it. It may be a secret between the document's owner and its creator;
 * others see the host only.
 */
function chooseShownAddress({ caller, role }: DocumentAccess, row: AuditRow): string | null {
  return role === 'owner' || row.user_id === caller.userId ? row.subject_address : parseReceiverHost(row);
}

type AuditRow = ReturnType<typeof auditPage> extends Query<infer R> ? R : never;

/** A document's log, also of a deleted document. `formatAddress`: returns the visible form of a subscription's address. */
export async function readAuditLog(
  { database }: Pick<ServiceContext, 'database'>,
  documentId: string,
  { offset, limit }: AuditQuery,
  formatAddress: (row: AuditRow) => string | null,
): Promise<AuditLog> {
  const [rows, totals, tokens] = await database.readAll([
    auditPage({ document_id: documentId, offset, limit }),
    auditTotal({ document_id: documentId }),
    auditTokens({ document_id: documentId }),
  ]);
  return {
    entries: rows.map((row) => toAuditEntry(row, formatAddress(row))),
    total: totals[0]?.total ?? 0,
    offset,
    limit,
    tokens: tokens.flatMap((row) => row.token_name ?? []),
  };
}

function toAuditEntry(row: AuditRow, address: string | null): AuditEntry {
  const { range, cells, subject_id: webhook } = row;
  const subject = webhook === null ? {} : { webhook, ...(address === null ? {} : { address }) };
  return {
    id: row.id,
    action: row.action,
    origin: toShownOrigin(row.origin),
    userId: row.user_id,
    userName: row.user_name,
    token: row.token_name ?? '',
    requestId: row.request_id,
    properties: { range, cells, ...subject, ...parseAuditedProposal(row) },
    createdAt: new Date(row.at).toISOString(),
  };
}

/** The members of an audit entry that describe its proposal; empty if the entry is about no proposal. */
export function parseAuditedProposal({ proposal }: Pick<AuditRow, 'proposal'>): Partial<AuditedProposal> {
  return proposal === null ? {} : parseStoredJson<AuditedProposal>(proposal, 'The details of an audit entry');
}

/** The host of a receiver's URL; null for a chat. */
function parseReceiverHost({ subject_address: address }: AuditRow): string | null {
  return URL.parse(address ?? '')?.host ?? null;
}
