import { DamagedRowError } from '@cellwire/store';
import {
  countProposals,
  listedProposals,
  type ProposalRow,
  type ProposalState,
  proposalById,
} from '@cellwire/store/proposals';
import type { DocumentAccess } from '../../access/access.ts';
import { DEFAULT_PROPOSALS_PAGE, MAX_PROPOSALS_PAGE } from '../../limits/proposals.ts';
import type { ServiceContext } from '../context.ts';
import { openReading } from '../open-table.ts';
import { parseRange } from '../ranges.ts';
import { invalidRequest, isRefusal, PROPOSAL_NOT_FOUND, type Refusal } from '../refusal.ts';
import { decodeContent, type ProposalContent } from './content.ts';
import { type CurrentState, computeCurrentChanges, computeCurrentState } from './current-changes.ts';
import { transfersHiddenCells } from './hidden-writes.ts';
import {
  computeStateAt,
  type ProposalListEntry,
  type ProposalView,
  parseListedCounts,
  parseStoredChanges,
  toListEntry,
  toProposalView,
  withholdChanges,
} from './view.ts';

const STATES: readonly ProposalState[] = ['open', 'applied', 'rejected', 'withdrawn', 'expired'];
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A proposal of a document by the id in a path. Throws `DamagedRowError`. */
export async function findProposal(
  { database }: Pick<ServiceContext, 'database'>,
  document: string,
  id: string,
): Promise<ProposalRow | Refusal> {
  if (!ID.test(id)) return PROPOSAL_NOT_FOUND;
  const row = await database.readOne(proposalById({ document_id: document, id }));
  const [damage] = row?.damage ?? [];
  if (damage !== undefined) throw new DamagedRowError(damage);
  return row ?? PROPOSAL_NOT_FOUND;
}

/** A proposal with its changes, as its reader may see it. */
export async function showProposal(
  context: ServiceContext,
  access: DocumentAccess,
  row: ProposalRow,
): Promise<ProposalView | Refusal> {
  const now = context.clock();
  const state = computeStateAt(row, now);
  const isWithheld =
    state !== 'applied' &&
    access.hiddenSheets.size > 0 &&
    transfersHiddenCells(await decodeContent(row.content), access);
  const withhold = (view: ProposalView) => (isWithheld ? withholdChanges(view) : view);
  if (state !== 'open') return withhold(toProposalView(row, parseStoredChanges(row), { conflicts: [], now }, access));
  const reading = await openReading(context, access);
  if (isRefusal(reading)) return reading;
  const content = await decodeContent(row.content);
  const present = await computeCurrentChanges(context, access, row, { content, reading });
  const conflicts = filterConflicts(present, content, access);
  return withhold(toProposalView(row, present.changes, { conflicts, now }, access));
}

/** Conflicts without conflicts on sheets that are hidden from the reader. */
function filterConflicts(
  { conflicts, reading }: CurrentState,
  { sheets }: ProposalContent,
  { hiddenSheets }: Pick<DocumentAccess, 'hiddenSheets'>,
): readonly string[] {
  if (hiddenSheets.size === 0) return conflicts;
  const hidden = new Set(
    [...reading.snapshot.sheets, ...sheets].filter(({ id }) => hiddenSheets.has(id)).map(({ name }) => name),
  );
  return conflicts.filter((text) => {
    const range = parseRange(text);
    return isRefusal(range) || range.sheet === null || !hidden.has(range.sheet);
  });
}

export interface ProposalQuery {
  readonly state?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly offset?: number | undefined;
}

export interface ProposalPage {
  readonly entries: readonly ProposalListEntry[];
  readonly nextCursor: string | null;
}

/** Proposals of a document, the newest first. */
export async function listProposals(
  context: ServiceContext,
  access: DocumentAccess,
  { state, limit: requested = DEFAULT_PROPOSALS_PAGE, cursor: text, offset = 0 }: ProposalQuery,
): Promise<ProposalPage | Refusal> {
  const knownState = state === undefined ? null : STATES.find((one) => one === state);
  if (knownState === undefined) return invalidRequest('state', `state must be one of ${STATES.join(', ')}`);
  if (requested < 1 || requested > MAX_PROPOSALS_PAGE) {
    return invalidRequest('limit', `limit must be from 1 to ${MAX_PROPOSALS_PAGE}`);
  }
  const after = text === undefined ? null : parseCursor(text);
  if (isRefusal(after)) return after;
  const now = context.clock();
  const list = { document: access.documentId, state: knownState, now, after, offset, limit: requested + 1 };
  const rows = await context.database.read(listedProposals(list));
  const page = rows.slice(0, requested);
  const last = page.at(-1);
  const nextCursor = rows.length > requested && last !== undefined ? encodeListCursor(last) : null;
  return { entries: await buildListEntries(context, access, page, now), nextCursor };
}

export async function countProposalsInState(
  { database, clock }: Pick<ServiceContext, 'database' | 'clock'>,
  { documentId }: DocumentAccess,
  state: ProposalState | null,
): Promise<number> {
  return (await database.readOne(countProposals(documentId, state, clock())))?.total ?? 0;
}

/** Proposals as entries of the list, with the current conflicts of open ones. */
async function buildListEntries(
  context: ServiceContext,
  access: DocumentAccess,
  rows: readonly ProposalRow[],
  now: number,
): Promise<readonly ProposalListEntry[]> {
  const isOpen = (row: ProposalRow) => computeStateAt(row, now) === 'open';
  const reading = rows.some(isOpen) ? await openReading(context, access) : null;
  const entries: ProposalListEntry[] = [];
  for (const row of rows) {
    const counts = parseListedCounts(row);
    let conflicts: readonly string[] = [];
    if (isOpen(row) && row.damage.length === 0 && reading !== null && !isRefusal(reading)) {
      const content = await decodeContent(row.content);
      const present = await computeCurrentState(context, access.documentId, row, content, reading);
      conflicts = filterConflicts(present, content, access);
    }
    entries.push(toListEntry(row, { counts, conflicts, now }, access));
  }
  return entries;
}

const CURSOR = /^(\d{1,16}) ([0-9a-f-]{36})$/;

function encodeListCursor({ created_at, id }: ProposalRow): string {
  return Buffer.from(`${created_at} ${id}`).toString('base64url');
}

function parseCursor(text: string): { readonly createdAt: number; readonly id: string } | Refusal {
  const [, createdAt, id] = CURSOR.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (id === undefined) return invalidRequest('cursor', 'cursor must be the nextCursor of a page of the same list');
  return { createdAt: Number(createdAt), id };
}
