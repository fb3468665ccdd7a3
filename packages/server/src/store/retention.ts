import { prepare, prepareStatement } from './database.ts';
import { sql } from './dialect.ts';

/** The next documents after `after`, by id: retention walks them so that each step stays small. */
export const documentIdsAfter = prepare((p: { after: string; limit: number }) =>
  sql.selectFrom('documents').select('id').where('id', '>', p.after).orderBy('id').limit(p.limit),
);

/** Entries are numbered in the order of time, so the oldest are found without an index on time. */
export const deleteOldAudit = prepareStatement((p: { id: string; before: number; limit: number }) =>
  sql
    .deleteFrom('audit')
    .where('document_id', '=', p.id)
    .where('at', '<', p.before)
    .where('id', 'in', (eb) =>
      eb.selectFrom('audit').select('id').where('document_id', '=', p.id).orderBy('id').limit(p.limit),
    ),
);

export const deleteOldReplies = prepareStatement((p: { id: string; before: number; limit: number }) =>
  sql
    .deleteFrom('idempotency')
    .where('document_id', '=', p.id)
    .where((eb) =>
      eb(
        eb.refTuple('user_id', 'method', 'path', 'key'),
        'in',
        eb
          .selectFrom('idempotency')
          .select(['user_id', 'method', 'path', 'key'])
          .where('document_id', '=', p.id)
          .where('at', '<', p.before)
          .orderBy('at')
          .limit(p.limit)
          .$asTuple('user_id', 'method', 'path', 'key'),
      ),
    ),
);

/**
 * Commits that the checkpoint covers and that are older than `before`, or further back than `keep` revisions. Never one
 * that opening the document needs, or that is not yet in a closed window of notifications.
 */
export const deleteOldCommits = prepareStatement((p: { id: string; before: number; keep: number; limit: number }) =>
  sql
    .deleteFrom('commits')
    .where('document_id', '=', p.id)
    .where('revision', '<=', (eb) => eb.selectFrom('checkpoints').select('revision').where('document_id', '=', p.id))
    .where(({ eb, fn, ref, selectFrom }) =>
      eb(
        'revision',
        '<=',
        fn.coalesce(selectFrom('windows').select('grouped').where('windows.document_id', '=', p.id), ref('revision')),
      ),
    )
    .where((eb) =>
      eb.or([
        eb('at', '<', p.before),
        eb(
          'revision',
          '<=',
          eb
            .selectFrom('documents')
            .select((inner) => inner('revision', '-', p.keep).as('oldest'))
            .where('id', '=', p.id),
        ),
      ]),
    )
    .where('revision', 'in', (eb) =>
      eb.selectFrom('commits').select('revision').where('document_id', '=', p.id).orderBy('revision').limit(p.limit),
    ),
);
