import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

/** The last id among the first `limit` documents after the id `after`; null if there are none. */
export const lastDocumentOfStep = prepareQuery((p: { after: string; limit: number }) =>
  sql
    .selectFrom(
      sql.selectFrom('documents').select('id').where('id', '>', p.after).orderBy('id').limit(p.limit).as('step'),
    )
    .select(({ fn }) => fn.max<string | null>('step.id').as('last')),
);

/**
 * Documents with ids after `after` up to `last` that may have data to delete. These are documents that were never
 * checked, whose next check is due, that have reached `due_revision`, that were last checked with other settings, and
 * that have changed since a check before `changed_before`.
 */
export const dueDocuments = prepareQuery(
  (p: { after: string; last: string; now: number; settings: string; changed_before: number }) =>
    sql
      .selectFrom('documents')
      .leftJoin('retention', 'retention.document_id', 'documents.id')
      .select(['documents.id', 'documents.revision', 'documents.audited'])
      .where('documents.id', '>', p.after)
      .where('documents.id', '<=', p.last)
      .where(({ eb, or, and, ref }) =>
        or([
          eb('retention.document_id', 'is', null),
          eb('retention.settings', '!=', p.settings),
          eb('retention.due_at', '<=', p.now),
          eb('documents.revision', '>=', ref('retention.due_revision')),
          and([
            eb('retention.looked_at', '<=', p.changed_before),
            or([
              eb('documents.revision', '!=', ref('retention.revision')),
              eb('documents.audited', '!=', ref('retention.audited')),
            ]),
          ]),
        ]),
      )
      .orderBy('documents.id'),
);

/** Times of a document's oldest rows with limited retention, in milliseconds; null if there are none. */
export const oldestKeptRows = prepareQuery((p: { id: string }) =>
  sql.selectNoFrom(({ selectFrom }) => [
    selectFrom('audit')
      .select('audit.at')
      .where('audit.document_id', '=', p.id)
      .orderBy('audit.id')
      .limit(1)
      .$asScalar()
      .as('audit_at'),
    selectFrom('idempotency')
      .select('idempotency.at')
      .where('idempotency.document_id', '=', p.id)
      .orderBy('idempotency.at')
      .limit(1)
      .$asScalar()
      .as('reply_at'),
    selectFrom('commits')
      .select('commits.at')
      .where('commits.document_id', '=', p.id)
      .orderBy('commits.revision')
      .limit(1)
      .$asScalar()
      .as('commit_at'),
    selectFrom('commits')
      .select('commits.revision')
      .where('commits.document_id', '=', p.id)
      .orderBy('commits.revision')
      .limit(1)
      .$asScalar()
      .as('commit_revision'),
  ]),
);

type RetentionCheck = {
  document_id: string;
  looked_at: number;
  due_at: number;
  due_revision: number;
  revision: number;
  audited: number;
  settings: string;
};

export const recordRetentionCheck = prepareStatement((p: RetentionCheck) =>
  sql
    .insertInto('retention')
    .values({
      document_id: p.document_id,
      looked_at: p.looked_at,
      due_at: p.due_at,
      due_revision: p.due_revision,
      revision: p.revision,
      audited: p.audited,
      settings: p.settings,
    })
    .onConflict((conflict) =>
      conflict.column('document_id').doUpdateSet(({ ref }) => ({
        looked_at: ref('excluded.looked_at'),
        due_at: ref('excluded.due_at'),
        due_revision: ref('excluded.due_revision'),
        revision: ref('excluded.revision'),
        audited: ref('excluded.audited'),
        settings: ref('excluded.settings'),
      })),
    ),
);

export const deleteRetentionCheck = prepareStatement((p: { id: string }) =>
  sql.deleteFrom('retention').where('document_id', '=', p.id),
);
