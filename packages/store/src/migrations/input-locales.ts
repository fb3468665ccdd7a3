import type { SqlColumnTypes } from '../database/dialect.ts';

/** Input locales of tokens and documents, which a request can override. */
export function addInputLocaleColumns(t: SqlColumnTypes): readonly string[] {
  return [
    `alter table tokens add column input_locale ${t.text}`,
    `alter table documents add column input_locale ${t.text}`,
  ];
}
