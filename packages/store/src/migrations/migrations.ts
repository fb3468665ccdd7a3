import type { SqlColumnTypes } from '../database/dialect.ts';
import { createAccountTables } from './accounts.ts';
import { createAuditIndex } from './audit.ts';
import { addAuditRuns } from './audit-runs.ts';
import { addCommitColumns } from './commits.ts';
import { createCreationReplyTable } from './creation-replies.ts';
import { createFilePartsTable } from './file-parts.ts';
import { createDocumentAliasTable, createGoogleKeyTable } from './google.ts';
import { addHistoryTables } from './history.ts';
import { addIdempotentRevisionColumn } from './idempotent-revisions.ts';
import { addIndependentSums } from './independent-sums.ts';
import { addInputLocaleColumns } from './input-locales.ts';
import { addInsertionOrderColumns } from './insertion-order.ts';
import { addInvitationColumns, addInviterColumn } from './invitations.ts';
import { createLeaseTable } from './leases.ts';
import { addListenerColumn } from './listeners.ts';
import { createNotificationTables } from './notifications.ts';
import { addPagedListTables } from './paged-lists.ts';
import { createPersonalFilterTable } from './personal-filters.ts';
import { createConfirmationTable, createDecidedProposalIndex, createProposalTables } from './proposals.ts';
import { addTraceColumns } from './request-ids.ts';
import { createRateTable } from './request-rates.ts';
import { addRowOrdersColumn } from './row-orders.ts';
import { addSumColumns } from './row-sums.ts';
import { addStoredFormMark } from './stored-form-mark.ts';
import { createTrashTable } from './trash.ts';
import { addWatchedCellColumns } from './watched-cells.ts';
import { addWorkspaceLocaleColumn } from './workspace-locales.ts';

/** One step of the schema. A released migration must never be edited: its checksum is recorded in every database. */
export interface Migration {
  readonly id: number;
  readonly name: string;
  readonly statements: (types: SqlColumnTypes) => readonly string[];
}

export const MIGRATIONS: readonly Migration[] = [
  { id: 1, name: 'first schema', statements: createFirstSchema },
  { id: 2, name: 'notifications', statements: createNotificationTables },
  { id: 3, name: 'commits', statements: addCommitColumns },
  { id: 4, name: 'history', statements: addHistoryTables },
  { id: 5, name: 'request rates', statements: createRateTable },
  { id: 6, name: 'audit', statements: createAuditIndex },
  { id: 7, name: 'file parts', statements: createFilePartsTable },
  { id: 8, name: 'leases', statements: createLeaseTable },
  { id: 9, name: 'makings', statements: createCreationReplyTable },
  { id: 10, name: 'followed ranges', statements: addWatchedCellColumns },
  { id: 11, name: 'sign-in', statements: createAccountTables },
  { id: 12, name: 'input locales', statements: addInputLocaleColumns },
  // Pieces end with checksums, which earlier versions would read as a part of the data.
  { id: 13, name: 'piece checksums', statements: addStoredFormMark },
  { id: 14, name: 'lists', statements: addPagedListTables },
  { id: 15, name: 'webhook listeners', statements: addListenerColumn },
  { id: 16, name: 'workspace locales', statements: addWorkspaceLocaleColumn },
  { id: 17, name: 'requests and people', statements: addTraceColumns },
  { id: 18, name: 'trash and invitations', statements: addTrashAndInvitations },
  { id: 19, name: 'personal filters', statements: createPersonalFilterTable },
  { id: 20, name: 'service-account keys', statements: createGoogleKeyTable },
  { id: 21, name: 'document aliases', statements: createDocumentAliasTable },
  { id: 22, name: 'proposals', statements: createProposalTables },
  { id: 23, name: 'confirmations', statements: createConfirmationTable },
  { id: 24, name: 'row orders', statements: addRowOrdersColumn },
  { id: 25, name: 'decided proposals', statements: createDecidedProposalIndex },
  { id: 26, name: 'insertion order', statements: addInsertionOrderColumns },
  { id: 27, name: 'inviting users', statements: addInviterColumn },
  // Commits contain packed numbers, which earlier versions refuse to read.
  { id: 28, name: 'packed numbers', statements: addStoredFormMark },
  { id: 29, name: 'revisions of repeated writes', statements: addIdempotentRevisionColumn },
  { id: 30, name: 'sums of columns', statements: addSumColumns },
  // Chunks contain scaled decimals, which earlier versions refuse to read.
  { id: 31, name: 'scaled decimals', statements: addStoredFormMark },
  { id: 32, name: 'runs of audit entries', statements: addAuditRuns },
  { id: 33, name: 'sums of accounts', statements: addIndependentSums },
];

function addTrashAndInvitations(t: SqlColumnTypes): readonly string[] {
  return [...createTrashTable(t), ...addInvitationColumns(t)];
}

function createFirstSchema(t: SqlColumnTypes): readonly string[] {
  return [...createFirstAccounts(t), ...createDocumentTables(t), ...createLogTables(t)];
}

function createFirstAccounts(t: SqlColumnTypes): readonly string[] {
  return [
    `create table meta (name ${t.text} not null primary key, value ${t.text} not null)${t.clustered}`,
    `create table access_epoch (id integer not null primary key check (id = 1), version ${t.long} not null)`,
    'insert into access_epoch (id, version) values (1, 1)',
    `create table workspaces (
      id ${t.serial},
      name ${t.text} not null,
      plan ${t.text} not null,
      created_at ${t.long} not null
    )`,
    `create table users (
      id ${t.serial},
      email ${t.text} not null,
      email_key ${t.text} not null unique,
      name ${t.text} not null,
      password_hash ${t.text} not null,
      workspace_id ${t.long} not null references workspaces (id),
      created_at ${t.long} not null
    )`,
    `create table tokens (
      id ${t.serial},
      user_id ${t.long} not null references users (id),
      name ${t.text} not null,
      hash ${t.text} not null unique,
      scopes ${t.text} not null,
      documents ${t.text},
      expires_at ${t.long},
      revoked_at ${t.long},
      created_at ${t.long} not null
    )`,
    'create index tokens_by_user on tokens (user_id)',
    `create table agent_usage (
      user_id ${t.long} not null,
      window_start ${t.long} not null,
      used ${t.long} not null,
      primary key (user_id, window_start)
    )${t.clustered}`,
  ];
}

function createDocumentTables(t: SqlColumnTypes): readonly string[] {
  return [
    `create table documents (
      id ${t.text} not null primary key,
      owner_id ${t.long} not null references users (id),
      title ${t.text} not null,
      type ${t.text} not null,
      format ${t.text} not null,
      locale ${t.text} not null,
      date_system ${t.text} not null,
      time_zone ${t.text} not null,
      revision ${t.long} not null,
      head ${t.text} not null,
      calculated_at ${t.long} not null,
      created_at ${t.long} not null,
      updated_at ${t.long} not null
    )${t.clustered}`,
    'create index documents_by_owner on documents (owner_id)',
    `create table unfinished (
      document_id ${t.text} not null primary key,
      reason ${t.text} not null,
      touched_at ${t.long} not null
    )${t.clustered}`,
    `create table shares (
      document_id ${t.text} not null,
      user_id ${t.long} not null,
      role ${t.text} not null,
      primary key (document_id, user_id)
    )${t.clustered}`,
    'create index shares_by_user on shares (user_id)',
    `create table protections (
      document_id ${t.text} not null,
      sheet_id ${t.long} not null,
      hide_values integer not null,
      locked integer not null,
      allowed ${t.text} not null,
      primary key (document_id, sheet_id)
    )${t.clustered}`,
    `create table checkpoints (
      document_id ${t.text} not null primary key,
      revision ${t.long} not null,
      meta ${t.bytes} not null
    )`,
    `create table chunks (
      document_id ${t.text} not null,
      sheet_id ${t.long} not null,
      column_index integer not null,
      block integer not null,
      bytes ${t.bytes} not null,
      primary key (document_id, sheet_id, column_index, block)
    )`,
  ];
}

function createLogTables(t: SqlColumnTypes): readonly string[] {
  return [
    `create table commits (
      document_id ${t.text} not null,
      revision ${t.long} not null,
      head ${t.text} not null,
      at ${t.long} not null,
      author_id ${t.long},
      origin ${t.text} not null,
      token_id ${t.long},
      token_name ${t.text},
      delta ${t.bytes} not null,
      areas ${t.text} not null,
      primary key (document_id, revision)
    )`,
    `create table audit (
      document_id ${t.text} not null,
      id ${t.long} not null,
      action ${t.text} not null,
      origin ${t.text} not null,
      user_id ${t.long} not null,
      user_name ${t.text} not null,
      token_id ${t.long},
      token_name ${t.text},
      "range" ${t.text} not null,
      cells ${t.long} not null,
      at ${t.long} not null,
      primary key (document_id, id)
    )${t.clustered}`,
    `create table idempotency (
      document_id ${t.text} not null,
      user_id ${t.long} not null,
      method ${t.text} not null,
      path ${t.text} not null,
      key ${t.text} not null,
      body_hash ${t.text} not null,
      status integer not null,
      reply ${t.text} not null,
      at ${t.long} not null,
      primary key (document_id, user_id, method, path, key)
    )`,
    'create index idempotency_by_time on idempotency (document_id, at)',
    `create table webhooks (
      id ${t.serial},
      document_id ${t.text} not null,
      channel ${t.text} not null,
      url ${t.text},
      chat_id ${t.text},
      bot_token ${t.bytes},
      secret ${t.bytes},
      events ${t.text} not null,
      active integer not null,
      user_id ${t.long} not null,
      token_id ${t.long},
      token_name ${t.text},
      created_at ${t.long} not null
    )`,
    'create index webhooks_by_document on webhooks (document_id)',
  ];
}
