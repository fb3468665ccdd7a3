import { parse } from 'node:querystring';

/** Names that are lists, however they are sent: `ranges[]=`, `ranges=`, `ranges[0]=` (decisions §1.11). */
const LISTS: ReadonlySet<string> = new Set(['ranges']);
const LIST_KEY = /^([A-Za-z]+)\[[0-9]{0,4}\]$/;
/** Names that are whole numbers. Nothing else is read as one: `1e3`, ` 5` and an empty text stay texts, and are refused. */
const NUMBERS: ReadonlySet<string> = new Set(['offset', 'limit']);
const WHOLE_NUMBER = /^-?[0-9]{1,300}$/;

/** Without it Node would drop what comes after the thousandth name; the bound on a header is enough. */
const NO_BOUND = 0;

type QueryValue = string | number | readonly string[];

/** A query string by name, ready for the schemas, which convert nothing. */
export function parseQuery(text: string): Record<string, QueryValue> {
  const query: Record<string, QueryValue> = Object.create(null);
  if (text === '') return query;
  for (const [key, value] of Object.entries(parse(text, '&', '=', { maxKeys: NO_BOUND }))) {
    if (value === undefined) continue;
    const name = LIST_KEY.exec(key)?.[1] ?? key;
    if (LISTS.has(name)) query[name] = [query[name] ?? [], value].flat(2).map(String);
    else if (typeof value === 'string' && NUMBERS.has(key) && WHOLE_NUMBER.test(value)) query[key] = whole(value);
    else query[key] = value;
  }
  return query;
}

/** Past what a number holds exactly, the greatest one: a limit is capped anyway, and no offset is as great. */
function whole(text: string): number {
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}
