import { parse } from 'node:querystring';

/** `ranges[]` and `ranges[0]` name the same list as `ranges` (decisions §1.11). */
const LIST_KEY = /^([A-Za-z]+)\[[0-9]{0,4}\]$/;

export type Query = Record<string, string | string[]>;

/** A query string as names and texts; a name given more than once, or in a list form, is a list. */
export function parseQuery(text: string): Query {
  const raw = parse(text) as Query;
  let plain = true;
  for (const key in raw) plain &&= !key.endsWith(']');
  return plain ? raw : listed(raw);
}

function listed(raw: Query): Query {
  const query: Query = Object.create(null);
  for (const [key, value] of Object.entries(raw)) {
    const name = LIST_KEY.exec(key)?.[1];
    if (name === undefined) query[key] = value;
    else query[name] = [query[name] ?? [], value].flat();
  }
  return query;
}
