import type { SqlColumnTypes } from '../database/dialect.ts';

/** The table of delivery totals. Triggers maintain it, so transfers omit it. */
export const DELIVERY_TOTALS = 'delivery_totals';

/**
 * Tables and columns by which growing lists are counted and read page by page: audit entries that the API lists have
 * their own numbers; deliveries have totals, and indexes for their filters.
 */
export function addPagedListTables(t: SqlColumnTypes): readonly string[] {
  return [
    ...addAuditNumbers(t),
    ...createRetentionTable(t),
    ...createRevisionIndexes(),
    ...createDeliveryTotals(t),
    ...createDeliveryIndexes(),
  ];
}

function addAuditNumbers(t: SqlColumnTypes): readonly string[] {
  return [
    `alter table audit add column api_number ${t.long}`,
    `update audit set api_number = numbered.api_number
      from (
        select document_id, id, row_number() over (partition by document_id order by id) as api_number
        from audit where origin <> 'browser'
      ) as numbered
      where numbered.document_id = audit.document_id and numbered.id = audit.id`,
    'create index audit_listed on audit (document_id, api_number) where api_number is not null',
    // Nodes of the previous version insert entries without numbers; maintenance finds and numbers them.
    "create index audit_unnumbered on audit (document_id, id) where api_number is null and origin <> 'browser'",
    `alter table documents add column api_audited ${t.long} not null default 0`,
    `update documents set api_audited =
      (select coalesce(max(audit.api_number), 0) from audit where audit.document_id = documents.id)`,
  ];
}

/** For each document, when maintenance last checked it and when the next check is due. Only due documents are read. */
function createRetentionTable(t: SqlColumnTypes): readonly string[] {
  return [
    `create table retention (
      document_id ${t.text} not null primary key,
      looked_at ${t.long} not null,
      due_at ${t.long} not null,
      due_revision ${t.long} not null,
      revision ${t.long} not null,
      audited ${t.long} not null,
      settings ${t.text} not null
    )${t.clustered}`,
  ];
}

/** An index of named revisions. It is partial because few revisions have names. */
function createRevisionIndexes(): readonly string[] {
  return ['create index commits_named on commits (document_id, revision) where name is not null'];
}

/** Triggers maintain the totals, so that no statement can forget to do it. */
function createDeliveryTotals(t: SqlColumnTypes): readonly string[] {
  const one = (row: 'new' | 'old', change: number) =>
    `insert into ${DELIVERY_TOTALS} (document_id, webhook_id, state, total)
      values (${row}.document_id, ${row}.webhook_id, ${row}.state, ${change})
      on conflict (document_id, webhook_id, state)
      do update set total = ${DELIVERY_TOTALS}.total + excluded.total`;
  const [more, less] = [one('new', 1), one('old', -1)];
  const moved = 'old.state <> new.state';
  const table = 'deliveries';
  return [
    `create table ${DELIVERY_TOTALS} (
      document_id ${t.text} not null,
      webhook_id ${t.long} not null,
      state ${t.text} not null,
      total ${t.long} not null,
      primary key (document_id, webhook_id, state)
    )${t.clustered}`,
    `insert into ${DELIVERY_TOTALS} (document_id, webhook_id, state, total)
      select document_id, webhook_id, state, count(*) from deliveries group by document_id, webhook_id, state`,
    ...t.trigger({ name: 'deliveries_inserted', table, event: 'insert', when: null, statements: [more] }),
    ...t.trigger({ name: 'deliveries_deleted', table, event: 'delete', when: null, statements: [less] }),
    ...t.trigger({ name: 'deliveries_moved', table, event: 'update', when: moved, statements: [less, more] }),
  ];
}

/** Indexes by the filters and the order of delivery pages. */
function createDeliveryIndexes(): readonly string[] {
  return [
    'create index deliveries_listed on deliveries (document_id, webhook_id, created_at, id)',
    'create index deliveries_by_state on deliveries (document_id, webhook_id, state, created_at, id)',
    'drop index deliveries_by_webhook',
    'create index notifications_by_revision on notifications (document_id, to_revision, from_revision, id)',
    'create index notifications_by_span on notifications (document_id, (to_revision - from_revision))',
  ];
}
