import type { SqlColumnTypes } from '../database/dialect.ts';

/** Parents of commits, monotonic times, and columns for notifications and the audit log. */
export function addCommitColumns(t: SqlColumnTypes): readonly string[] {
  return [...createCommitsTable(t), ...createNotificationTable(t), ...createAuditTable(t)];
}

function createCommitsTable(t: SqlColumnTypes): readonly string[] {
  return [
    `alter table commits add column parent ${t.text}`,
    `alter table commits add column structure ${t.text}`,
    `alter table documents add column committed_at ${t.long} not null default 0`,
    'update documents set committed_at = case when updated_at > calculated_at then updated_at else calculated_at end',
  ];
}

function createNotificationTable(t: SqlColumnTypes): readonly string[] {
  return [
    `alter table notifications add column origin ${t.text} not null default 'api'`,
    "update notifications set origin = 'browser' where token_id is null",
    `alter table notifications add column structure ${t.text} not null default '[]'`,
    `alter table deliveries add column set_at ${t.long} not null default 0`,
    'update deliveries set set_at = case when next_at < created_at then next_at else created_at end where next_at is not null',
    'create index deliveries_decided on deliveries (set_at) where next_at is not null',
    'create index deliveries_claimed on deliveries (claim) where claim is not null',
  ];
}

function createAuditTable(t: SqlColumnTypes): readonly string[] {
  return [
    `alter table audit add column subject_id ${t.long}`,
    `alter table audit add column subject_address ${t.text}`,
    `alter table documents add column audited ${t.long} not null default 0`,
    'update documents set audited = (select coalesce(max(audit.id), 0) from audit where audit.document_id = documents.id)',
    `create table removed (
      document_id ${t.text} not null primary key,
      title ${t.text} not null,
      owner_id ${t.long} not null,
      removed_at ${t.long} not null
    )${t.clustered}`,
  ];
}
