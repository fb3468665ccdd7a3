const TRANSLATIONS = new Map<string, string>();
/** Statements have few texts; whatever would go beyond this is translated every time. */
const MAX_TRANSLATIONS = 2_000;
/** Names and texts between quotes, in which nothing stands for a parameter, and the places of parameters. */
const QUOTED_OR_PLACEHOLDER = /"(?:[^"]|"")*"|'(?:[^']|'')*'|\?/g;

/** PostgreSQL numbers the places of parameters: `$1`, `$2` … where our statements have `?`. */
export function numberPlaceholders(sql: string): string {
  const known = TRANSLATIONS.get(sql);
  if (known !== undefined) return known;
  let count = 0;
  const text = sql.replace(QUOTED_OR_PLACEHOLDER, (found) => (found === '?' ? `$${++count}` : found));
  if (TRANSLATIONS.size < MAX_TRANSLATIONS) TRANSLATIONS.set(sql, text);
  return text;
}
