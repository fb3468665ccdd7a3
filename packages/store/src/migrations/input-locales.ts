import type { ColumnTypes } from '../database/dialect.ts';

/** By whose habits a token's, and a document's, texts are typed unless a request says so itself. */
export function inputLocaleColumns(t: ColumnTypes): readonly string[] {
  return [
    `alter table tokens add column input_locale ${t.text}`,
    `alter table documents add column input_locale ${t.text}`,
  ];
}
