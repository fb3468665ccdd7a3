const TRANSLATIONS = new Map<string, string>();
/** Maximum number of cached translations. There are few statement texts; further ones are translated at each use. */
const MAX_TRANSLATIONS = 2_000;
/** Matches quoted names and texts, which contain no placeholders, and placeholders. */
const QUOTED_OR_PLACEHOLDER = /"(?:[^"]|"")*"|'(?:[^']|'')*'|\?/g;

/** Replaces the placeholders `?` by PostgreSQL's numbered placeholders: `$1`, `$2` … */
export function numberPlaceholders(sql: string): string {
  const cached = TRANSLATIONS.get(sql);
  if (cached !== undefined) return cached;
  const text = replacePlaceholders(sql, (index) => `$${index + 1}`);
  if (TRANSLATIONS.size < MAX_TRANSLATIONS) TRANSLATIONS.set(sql, text);
  return text;
}

/** Replaces each placeholder by the text for its index. */
export function replacePlaceholders(sql: string, format: (index: number) => string): string {
  let count = 0;
  return sql.replace(QUOTED_OR_PLACEHOLDER, (match) => (match === '?' ? format(count++) : match));
}
