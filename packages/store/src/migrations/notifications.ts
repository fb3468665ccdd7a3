import type { SqlColumnTypes } from '../database/dialect.ts';

/** Tables for notifications: the grouping progress of each document, closed windows, and their deliveries. */
export function createNotificationTables(t: SqlColumnTypes): readonly string[] {
  return [...createSubscriptionTable(t), ...createDeliveryTables(t)];
}

function createSubscriptionTable(t: SqlColumnTypes): readonly string[] {
  return [
    `alter table webhooks add column since_revision ${t.long} not null default 0`,
    'update webhooks set since_revision = coalesce((select revision from documents where id = document_id), 0)',
    `alter table webhooks add column old_secret ${t.bytes}`,
    `alter table webhooks add column old_secret_until ${t.long}`,
    `alter table webhooks add column inactive_reason ${t.text}`,
    `create table windows (
      document_id ${t.text} not null primary key,
      grouped ${t.long} not null,
      ahead ${t.text} not null,
      version ${t.long} not null
    )${t.clustered}`,
    `insert into windows (document_id, grouped, ahead, version)
      select id, revision, '{}', 0 from documents where id in (select document_id from webhooks)`,
  ];
}

function createDeliveryTables(t: SqlColumnTypes): readonly string[] {
  return [
    `create table notifications (
      document_id ${t.text} not null,
      id ${t.text} not null,
      kind ${t.text} not null,
      token_id ${t.long},
      token_name ${t.text},
      from_revision ${t.long} not null,
      to_revision ${t.long} not null,
      changed_at ${t.long},
      authors ${t.text} not null,
      sheets ${t.text} not null,
      created_at ${t.long} not null,
      primary key (document_id, id)
    )`,
    'create index notifications_by_time on notifications (document_id, created_at)',
    `create table deliveries (
      document_id ${t.text} not null,
      id ${t.text} not null,
      webhook_id ${t.long} not null,
      notification_id ${t.text} not null,
      state ${t.text} not null,
      attempts integer not null,
      round integer not null,
      next_at ${t.long},
      claim ${t.text},
      hidden ${t.text} not null,
      log ${t.text} not null,
      created_at ${t.long} not null,
      finished_at ${t.long},
      primary key (document_id, id)
    )`,
    'create index deliveries_by_webhook on deliveries (document_id, webhook_id, created_at)',
    'create index deliveries_by_notification on deliveries (document_id, notification_id)',
    `create index deliveries_due on deliveries (next_at, document_id, webhook_id) where next_at is not null`,
    `create index deliveries_waiting on deliveries (document_id, webhook_id, next_at) where next_at is not null`,
    'create index deliveries_finished on deliveries (finished_at) where finished_at is not null',
  ];
}
