import type { ColumnTypes } from '../database/dialect.ts';

/** Input locales of tokens and documents, which a request can override. */
export function inputLocaleColumns(t: ColumnTypes): readonly string[] {
  return [
    `alter table tokens add column input_locale ${t.text}`,
    `alter table documents add column input_locale ${t.text}`,
  ];
}
