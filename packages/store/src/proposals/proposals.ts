import { expressionBuilder, sql as raw } from 'kysely';
import { addToSum } from '../database/added-sum.ts';
import { compileCheckedQuery, prepareCheckedQuery } from '../database/checked-query.ts';
import { withSealing } from '../database/checksum.ts';
import { compileQuery, prepareQuery, prepareStatement, type Query, type Statement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import type { ProposalSums, ProposalsTable } from '../database/proposal-tables.ts';
import type { Schema } from '../database/schema.ts';
import { deleteProposalEvents } from './proposal-events.ts';

/** Conflict: the proposal was decided, rebased or has expired since it was read. */
export const PROPOSAL_CHANGED = 'proposal changed';
/** Conflict: the document has the maximum number of open proposals. */
export const PROPOSALS_FULL = 'proposal limit';

/** Stored states. */
export type ProposalState = ProposalsTable['state'];

const PROPOSAL_TABLES = ['proposals'] as const;

const PROPOSAL_COLUMNS = [
  'proposals.document_id',
  'proposals.id',
  'proposals.title',
  'proposals.note',
  'proposals.state',
  'proposals.action',
  'proposals.user_id',
  'proposals.token_id',
  'proposals.token_name',
  'proposals.origin',
  'proposals.created_at',
  'proposals.expires_at',
  'proposals.base_revision',
  'proposals.counts',
  'proposals.preview',
  'proposals.content',
  'proposals.version',
  'proposals.decided_by',
  'proposals.decided_at',
  'proposals.reason',
  'proposals.revision',
  'proposer.name as user_name',
  'decider.name as decided_by_name',
] as const;

function selectProposals() {
  return sql
    .selectFrom('proposals')
    .leftJoin('users as proposer', 'proposer.id', 'proposals.user_id')
    .leftJoin('users as decider', 'decider.id', 'proposals.decided_by')
    .select(PROPOSAL_COLUMNS);
}

export const proposalById = prepareCheckedQuery(PROPOSAL_TABLES, (p: { document_id: string; id: string }) =>
  selectProposals().where('proposals.document_id', '=', p.document_id).where('proposals.id', '=', p.id),
);

/** A proposal with the names of the proposer and the decider. */
export type ProposalRow = ReturnType<typeof proposalById> extends Query<infer Row> ? Row : never;

/** Filter for a document's proposals, which are listed newest first. Times are in milliseconds. */
interface ProposalListFilter {
  readonly document: string;
  /** State of the proposals; null for all. */
  readonly state: ProposalState | null;
  readonly now: number;
  /** The last proposal of the previous page; null for the first page. */
  readonly after: { readonly createdAt: number; readonly id: string } | null;
  readonly offset: number;
  readonly limit: number;
}

export function listedProposals({
  document,
  state,
  now,
  after,
  offset,
  limit,
}: ProposalListFilter): Query<ProposalRow> {
  const all = selectProposals().where('proposals.document_id', '=', document);
  let rows = state === null ? all : all.where(isInState(state, now));
  if (after !== null) {
    rows = rows.where(({ or, and, eb }) =>
      or([
        eb('proposals.created_at', '<', after.createdAt),
        and([eb('proposals.created_at', '=', after.createdAt), eb('proposals.id', '<', after.id)]),
      ]),
    );
  }
  return compileCheckedQuery(
    PROPOSAL_TABLES,
    rows.orderBy('proposals.created_at', 'desc').orderBy('proposals.id', 'desc').limit(limit).offset(offset),
  ) as Query<ProposalRow>;
}

/** Number of a document's proposals in a state. */
export function countProposals(document: string, state: ProposalState | null, now: number): Query<{ total: number }> {
  const all = sql
    .selectFrom('proposals')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('proposals.document_id', '=', document);
  return compileQuery(state === null ? all : all.where(isInState(state, now))) as Query<{ total: number }>;
}

/** Condition: a proposal is in the state. An open proposal after its expiry counts as expired. */
function isInState(state: ProposalState, now: number) {
  const { eb, and, or } = expressionBuilder<Schema, 'proposals'>();
  const isOpen = eb('proposals.state', '=', 'open');
  if (state === 'open') return and([isOpen, eb('proposals.expires_at', '>', now)]);
  const isState = eb('proposals.state', '=', state);
  return state === 'expired' ? or([isState, and([isOpen, eb('proposals.expires_at', '<=', now)])]) : isState;
}

/**
 * Number of proposals that are open at a time, of the document whose id is in a column. The state is an SQL literal, so
 * that the partial index is used.
 */
export function openProposalCount(document: string, now: number) {
  return raw<number>`(
    select count(*) from proposals
    where proposals.document_id = ${raw.ref(document)} and proposals.state = 'open' and proposals.expires_at > ${now}
  )`;
}

type NewProposalRow = Omit<
  { [K in keyof ProposalsTable]: ProposalsTable[K] },
  'state' | 'version' | 'decided_by' | 'decided_at' | 'reason' | 'revision'
> & { [K in keyof ProposalSums]: number | null } & { now: number; limit: number };

const SUMS = ['facts_sum', 'name_sum', 'preview_sum', 'base_sum', 'decision_sum'] as const;

/** Inserts an open proposal unless the document has `limit` open ones. */
export const insertProposal = withSealing(
  'proposals',
  prepareStatement(
    (p: NewProposalRow) =>
      sql
        .insertInto('proposals')
        .columns([
          'document_id',
          'id',
          'title',
          'note',
          'state',
          'action',
          'user_id',
          'token_id',
          'token_name',
          'origin',
          'created_at',
          'expires_at',
          'base_revision',
          'counts',
          'preview',
          'content',
          'version',
          ...SUMS,
        ])
        .expression(
          sql
            .selectFrom('documents')
            .select(({ val, lit, cast, ref }) => [
              ref('documents.id').as('document_id'),
              val(p.id).as('id'),
              val(p.title).as('title'),
              val(p.note).as('note'),
              val<ProposalState>('open').as('state'),
              val(p.action).as('action'),
              cast<number>(val(p.user_id), 'bigint').as('user_id'),
              cast<number | null>(val(p.token_id), 'bigint').as('token_id'),
              val(p.token_name).as('token_name'),
              val(p.origin).as('origin'),
              cast<number>(val(p.created_at), 'bigint').as('created_at'),
              cast<number>(val(p.expires_at), 'bigint').as('expires_at'),
              cast<number>(val(p.base_revision), 'bigint').as('base_revision'),
              val(p.counts).as('counts'),
              val(p.preview).as('preview'),
              val(p.content).as('content'),
              lit(0).as('version'),
              ...SUMS.map((sum) => cast<number | null>(val(p[sum]), 'bigint').as(sum)),
            ])
            .where('documents.id', '=', p.document_id)
            .where(({ eb }) => eb(openProposalCount('documents.id', p.now), '<', p.limit)),
        ),
    { rows: 1, conflict: PROPOSALS_FULL },
  ),
  (row) => ({ ...row, version: 0, state: 'open', decided_by: null, decided_at: null, reason: null, revision: null }),
  {
    facts_sum: 'facts_sum',
    name_sum: 'name_sum',
    preview_sum: 'preview_sum',
    base_sum: 'base_sum',
    decision_sum: 'decision_sum',
  },
);

const EXPECT_OPEN = { rows: 1, conflict: PROPOSAL_CHANGED };

/** Condition: the proposal is open at a time, and was not rebased after `version` was read. */
function isStillOpen({ version }: { version: number }, time: number) {
  const { eb, and } = expressionBuilder<Schema, 'proposals'>();
  return and([eb('version', '=', version), eb('state', '=', 'open'), eb('expires_at', '>', time)]);
}

type ProposalDecision = {
  document_id: string;
  id: string;
  version: number;
  state: ProposalState;
  decided_by: number;
  at: number;
  reason: string | null;
  revision: number | null;
  preview: string;
  counts: string;
  preview_sum: number | null;
  decision_sum: number | null;
};

/** Decides an open proposal. If several decisions are concurrent, exactly one succeeds. */
export const decideProposal = withSealing(
  'proposals',
  prepareStatement(
    (p: ProposalDecision) =>
      sql
        .updateTable('proposals')
        .set({
          state: p.state,
          decided_by: p.decided_by,
          decided_at: p.at,
          reason: p.reason,
          revision: p.revision,
          preview: p.preview,
          counts: p.counts,
          preview_sum: p.preview_sum,
          decision_sum: p.decision_sum,
        })
        .where('document_id', '=', p.document_id)
        .where('id', '=', p.id)
        .where(isStillOpen(p, p.at)),
    EXPECT_OPEN,
  ),
  ({ at, ...row }) => ({ ...row, decided_at: at }),
  { preview_sum: 'preview_sum', decision_sum: 'decision_sum' },
);

type ProposalRebase = {
  document_id: string;
  id: string;
  version: number;
  next: number;
  now: number;
  base_revision: number;
  counts: string;
  preview: string;
  content: Uint8Array;
  preview_sum: number | null;
  base_sum: number | null;
};

/** Replaces the preview of an open proposal. */
export const rebaseProposal = withSealing(
  'proposals',
  prepareStatement(
    (p: ProposalRebase) =>
      sql
        .updateTable('proposals')
        .set({
          base_revision: p.base_revision,
          counts: p.counts,
          preview: p.preview,
          content: p.content,
          version: p.next,
          preview_sum: p.preview_sum,
          base_sum: p.base_sum,
        })
        .where('document_id', '=', p.document_id)
        .where('id', '=', p.id)
        .where(isStillOpen(p, p.now)),
    EXPECT_OPEN,
  ),
  ({ next, ...row }) => ({ ...row, version: next }),
  { preview_sum: 'preview_sum', base_sum: 'base_sum' },
);

/** Open proposals of all documents that have expired. */
export const expiredProposals = prepareQuery((p: { now: number; limit: number }) =>
  sql
    .selectFrom('proposals')
    .select(['document_id', 'id', 'expires_at', 'version'])
    .where(raw<boolean>`state = 'open'`)
    .where('expires_at', '<=', p.now)
    .orderBy('expires_at')
    .limit(p.limit),
);

const EXPIRED = 'expired';

export const expireProposal = withSealing(
  'proposals',
  prepareStatement(
    (p: { document_id: string; id: string; decision_sum: number | null }) =>
      sql
        .updateTable('proposals')
        .set((eb) => ({
          state: EXPIRED,
          decided_at: eb.ref('expires_at'),
          decision_sum: addToSum(p.decision_sum, 'expires_at'),
        }))
        .where('document_id', '=', p.document_id)
        .where('id', '=', p.id)
        .where('state', '=', 'open'),
    EXPECT_OPEN,
  ),
  () => ({ state: EXPIRED, decided_by: null, reason: null, revision: null, decided_at: 0 }),
  { decision_sum: 'decision_sum' },
);

/** Deletes decided proposals after the retention time of the audit log. */
export const deleteOldProposals = prepareStatement((p: { id: string; before: number }) =>
  sql
    .deleteFrom('proposals')
    .where('document_id', '=', p.id)
    .where('state', '!=', 'open')
    .where('decided_at', '<', p.before),
);

/**
 * Documents with decided proposals that are due for deletion, earliest first; one row for each proposal. The order makes
 * both databases use the index on `decided_at`.
 */
export const documentsWithOldProposals = prepareQuery((p: { before: number; limit: number }) =>
  sql
    .selectFrom('proposals')
    .select('document_id')
    .where('decided_at', '<', p.before)
    .orderBy('decided_at')
    .limit(p.limit),
);

const deleteProposalRows = prepareStatement((p: { id: string }) =>
  sql.deleteFrom('proposals').where('document_id', '=', p.id),
);
/** Statements that delete the proposals of a deleted document. */
export function deleteProposals(id: string): readonly Statement[] {
  return [deleteProposalRows({ id }), deleteProposalEvents({ id })];
}
