/** Names that are lists, however they are sent: `ranges[]=`, `ranges=`, `ranges[0]=` (decisions §1.11). */
const LISTS: ReadonlySet<string> = new Set(['ranges', 'select', 'sort', 'key']);
const LIST_KEY = /^([A-Za-z]+)\[[0-9]{0,4}\]$/;
/** Names that are whole numbers. Nothing else is read as one: `1e3`, ` 5` and an empty text stay texts, and are refused. */
const NUMBERS: ReadonlySet<string> = new Set(['offset', 'limit', 'revision', 'batch']);
const WHOLE_NUMBER = /^-?[0-9]{1,300}$/;

type QueryValue = string | number | readonly string[];

/** A query string by name, ready for the schemas, which convert nothing. Lists are in the order of the query. */
export function parseQuery(text: string): Record<string, QueryValue> {
  const query: Record<string, QueryValue> = Object.create(null);
  if (text === '') return query;
  for (const [name, values] of byName(new URLSearchParams(text))) {
    const [first = '', ...others] = values;
    if (LISTS.has(name) || others.length > 0) query[name] = values;
    else query[name] = NUMBERS.has(name) && WHOLE_NUMBER.test(first) ? whole(first) : first;
  }
  return query;
}

/** All values of each name, in their order. */
function byName(parameters: URLSearchParams): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [key, value] of parameters) {
    const list = LIST_KEY.exec(key)?.[1] ?? '';
    const name = LISTS.has(list) ? list : key;
    const values = found.get(name);
    if (values === undefined) found.set(name, [value]);
    else values.push(value);
  }
  return found;
}

/** Past what a number holds exactly, the greatest one: a limit is capped anyway, and no offset is as great. */
function whole(text: string): number {
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}
