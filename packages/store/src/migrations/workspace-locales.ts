import type { ColumnTypes } from '../database/dialect.ts';

/** The locale of a workspace's new documents; null: the service's. */
export function workspaceLocaleColumn(t: ColumnTypes): readonly string[] {
  return [`alter table workspaces add column locale ${t.text}`];
}
