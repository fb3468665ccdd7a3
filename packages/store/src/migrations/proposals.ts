import type { SqlColumnTypes } from '../database/dialect.ts';

/** Proposals, their events, and tokens whose writes become proposals. */
export function createProposalTables(t: SqlColumnTypes): readonly string[] {
  return [
    `create table proposals (
      document_id ${t.text} not null,
      id ${t.text} not null,
      title ${t.text},
      note ${t.text},
      state ${t.text} not null,
      action ${t.text} not null,
      user_id ${t.long} not null,
      token_id ${t.long},
      token_name ${t.text},
      origin ${t.text} not null,
      created_at ${t.long} not null,
      expires_at ${t.long} not null,
      base_revision ${t.long} not null,
      counts ${t.text} not null,
      preview ${t.text} not null,
      content ${t.bytes} not null,
      version ${t.long} not null,
      decided_by ${t.long},
      decided_at ${t.long},
      reason ${t.text},
      revision ${t.long},
      primary key (document_id, id)
    )`,
    'create index proposals_by_time on proposals (document_id, created_at, id)',
    "create index proposals_open on proposals (document_id, expires_at) where state = 'open'",
    "create index proposals_ending on proposals (expires_at) where state = 'open'",
    'create index proposals_applied on proposals (document_id, revision) where revision is not null',
    `create table proposal_events (
      document_id ${t.text} not null,
      number ${t.long} not null,
      proposal_id ${t.text} not null,
      event ${t.text} not null,
      at ${t.long} not null,
      primary key (document_id, number)
    )${t.clustered}`,
    `alter table audit add column proposal ${t.text}`,
    'alter table tokens add column proposes integer not null default 0',
  ];
}

/** Index by which maintenance finds decided proposals that are due for deletion. */
export function createDecidedProposalIndex(): readonly string[] {
  return ['create index proposals_decided on proposals (decided_at) where decided_at is not null'];
}

/** Used confirmations of previewed calls. Each may be used once. */
export function createConfirmationTable(t: SqlColumnTypes): readonly string[] {
  return [
    `create table used_confirmations (
      document_id ${t.text} not null,
      id ${t.text} not null,
      expires_at ${t.long} not null,
      primary key (document_id, id)
    )${t.clustered}`,
    'create index used_confirmations_by_end on used_confirmations (expires_at)',
  ];
}
