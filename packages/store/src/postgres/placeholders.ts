const TRANSLATED = new Map<string, string>();
/** Statements have few texts; whatever would go beyond this is translated every time. */
const MAX_TRANSLATED = 2_000;
/** Names and texts between quotes, in which nothing stands for a parameter, and the places of parameters. */
const QUOTED_OR_PLACE = /"(?:[^"]|"")*"|'(?:[^']|'')*'|\?/g;

/** PostgreSQL numbers the places of parameters: `$1`, `$2` … where our statements have `?`. */
export function positional(sql: string): string {
  const known = TRANSLATED.get(sql);
  if (known !== undefined) return known;
  let count = 0;
  const text = sql.replace(QUOTED_OR_PLACE, (found) => (found === '?' ? `$${++count}` : found));
  if (TRANSLATED.size < MAX_TRANSLATED) TRANSLATED.set(sql, text);
  return text;
}
