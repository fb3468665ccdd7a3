import type { Insertable } from 'kysely';
import { withSealing, withUnsealing } from '../database/checksum.ts';
import { prepareCommitPart, prepareQuery } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import type { CommitsTable } from '../database/document-tables.ts';
import { COMMIT_FACTS } from '../database/sum-groups.ts';

/**
 * Commits that bring a copy of a document up to date, oldest first: the commit of the copy itself (if it is still in
 * the log), and all later ones.
 */
export const commitsFrom = withUnsealing(
  'commits',
  prepareQuery((p: { id: string; revision: number }) =>
    sql
      .selectFrom('commits')
      .select([...COMMIT_FACTS, 'facts_sum', 'delta', 'areas', 'structure', 'changes_sum'])
      .where('document_id', '=', p.id)
      .where('revision', '>=', p.revision)
      .orderBy('revision'),
  ),
);

/** Commits after the checkpoint, oldest first. Opening a document applies them. */
export const commitsAfterCheckpoint = withUnsealing(
  'commits',
  prepareQuery((p: { id: string }) =>
    sql
      .selectFrom('commits')
      .select(['revision', 'delta'])
      .where('document_id', '=', p.id)
      .where('revision', '>', (eb) => eb.selectFrom('checkpoints').select('revision').where('document_id', '=', p.id))
      .orderBy('revision'),
  ),
);

/** Size of the commits that opening a document applies, in bytes. */
export const deltasSize = prepareQuery((p: { id: string }) =>
  sql
    .selectFrom('commits')
    .select(({ fn }) => fn.sum<number | null>(fn<number>('octet_length', ['delta'])).as('bytes'))
    .where('document_id', '=', p.id)
    .where('revision', '>', (eb) => eb.selectFrom('checkpoints').select('revision').where('document_id', '=', p.id)),
);

type LaterColumn = 'undoes' | 'undone_by' | 'name' | 'undoes_sum' | 'undone_sum' | 'name_sum';
type NewCommitRow = Required<Omit<Insertable<CommitsTable>, LaterColumn>>;

const insertCommitRow = (p: NewCommitRow) =>
  sql.insertInto('commits').values({
    document_id: p.document_id,
    revision: p.revision,
    head: p.head,
    parent: p.parent,
    at: p.at,
    author_id: p.author_id,
    origin: p.origin,
    token_id: p.token_id,
    token_name: p.token_name,
    request_id: p.request_id,
    delta: p.delta,
    areas: p.areas,
    row_orders: p.row_orders,
    structure: p.structure,
    inverse: p.inverse,
    facts_sum: p.facts_sum,
    changes_sum: p.changes_sum,
  });

export const insertCommit = withSealing(
  'commits',
  prepareCommitPart('commit', insertCommitRow, insertCommitRow),
  (row) => row,
  {
    delta: 'delta',
    inverse: 'inverse',
    facts_sum: 'facts_sum',
    changes_sum: 'changes_sum',
  },
);

/** The commit `head` of a revision; no row if another commit created the revision. */
export const commitAt = prepareQuery((p: { id: string; revision: number; head: string }) =>
  sql
    .selectFrom('commits')
    .select('revision')
    .where('document_id', '=', p.id)
    .where('revision', '=', p.revision)
    .where('head', '=', p.head),
);

/** The newest commit in the log; no row if retention has deleted all commits. */
export const newestCommit = prepareQuery((p: { id: string }) =>
  sql
    .selectFrom('commits')
    .select(['revision', 'head'])
    .where('document_id', '=', p.id)
    .orderBy('revision', 'desc')
    .limit(1),
);

/** The packed row orders of one commit. */
export const rowOrdersOf = prepareQuery((p: { id: string; revision: number }) =>
  sql.selectFrom('commits').select('row_orders').where('document_id', '=', p.id).where('revision', '=', p.revision),
);
