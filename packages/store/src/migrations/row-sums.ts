import type { SqlColumnTypes } from '../database/dialect.ts';

/** The sums of each table, with the columns that they cover. */
const SUMS: readonly (readonly [table: string, sum: string, columns: readonly string[]])[] = [
  ['documents', 'facts_sum', ['type', 'locale', 'date_system', 'time_zone', 'created_at', 'input_locale']],
  ['documents', 'title_sum', ['title']],
  ['documents', 'owner_sum', ['owner_id']],
  ['documents', 'format_sum', ['format']],
  ['documents', 'times_sum', ['calculated_at', 'committed_at']],
  ['documents', 'updated_sum', ['updated_at']],
  ['trash', 'facts_sum', ['type', 'locale', 'date_system', 'time_zone', 'created_at', 'input_locale']],
  ['trash', 'title_sum', ['title']],
  ['trash', 'owner_sum', ['owner_id']],
  ['trash', 'format_sum', ['format']],
  ['trash', 'times_sum', ['calculated_at', 'committed_at']],
  ['trash', 'updated_sum', ['updated_at']],
  [
    'commits',
    'facts_sum',
    ['revision', 'head', 'parent', 'at', 'author_id', 'origin', 'token_id', 'token_name', 'request_id'],
  ],
  ['commits', 'changes_sum', ['revision', 'areas', 'structure']],
  ['commits', 'undoes_sum', ['revision', 'undoes']],
  ['commits', 'undone_sum', ['revision', 'undone_by']],
  ['commits', 'name_sum', ['revision', 'name']],
  ['protections', 'row_sum', ['sheet_id', 'hide_values', 'locked', 'allowed']],
  ['shares', 'row_sum', ['user_id', 'role']],
  ['personal_filters', 'row_sum', ['user_id', 'sheet_id', 'revision', 'filter']],
];

/** Checksums of columns. Nodes of the previous version change columns without their sums, which are then deleted. */
export function addSumColumns(t: SqlColumnTypes): readonly string[] {
  return SUMS.flatMap(([table, sum, columns]) => [
    `alter table ${table} add column ${sum} ${t.long}`,
    ...t.deletionOfStaleValue({ table, derived: sum, columns }),
  ]);
}
