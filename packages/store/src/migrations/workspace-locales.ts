import type { SqlColumnTypes } from '../database/dialect.ts';

/** Locale of a workspace's new documents; null for the service's locale. */
export function addWorkspaceLocaleColumn(t: SqlColumnTypes): readonly string[] {
  return [`alter table workspaces add column locale ${t.text}`];
}
