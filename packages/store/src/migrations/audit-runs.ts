import type { SqlColumnTypes } from '../database/dialect.ts';

/**
 * Marks the first entry of each run of the audit log (`AuditTable.run_start`), so that the indexes of listed entries and
 * of token names contain one entry of each run instead of all. Entries of older versions are runs of one entry.
 */
export function addAuditRuns(t: SqlColumnTypes): readonly string[] {
  const runStarts = 'where run_start is not null and api_number is not null';
  return [
    `alter table audit add column run_start ${t.long} default 1`,
    'drop index audit_shown',
    'drop index audit_listed',
    `create index audit_listed on audit (document_id, api_number) ${runStarts}`,
    `create index audit_names on audit (document_id, token_name) ${runStarts}`,
  ];
}
