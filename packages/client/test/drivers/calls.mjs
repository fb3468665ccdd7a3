// Makes one call of the TypeScript client that a test describes in JSON, and describes its outcome in JSON.

export async function outcomeOf(client, { url, token, settings, call }) {
  const progress = [];
  try {
    const options = decoded(call.options ?? {});
    if (call.progress) options.onProgress = (step) => progress.push(step);
    if (call.abortAfter !== undefined) {
      const abort = new AbortController();
      setTimeout(() => abort.abort(new Error('aborted by the caller')), call.abortAfter);
      options.signal = abort.signal;
    }
    const target = targetOf(client, new client.Cellwire({ url, token, ...settings }), call);
    const args = decoded(call.args ?? []);
    const hasOptions = Object.keys(options).length > 0;
    const made = call.method === 'iterate' ? target : target[call.method](...args, ...(hasOptions ? [options] : []));
    const result = call.take === undefined ? await collected(made, call.collect) : await taken(made, call.take);
    return { result: encoded(result), ...(call.progress ? { progress } : {}) };
  } catch (error) {
    return { error: described(error), ...(call.progress ? { progress } : {}) };
  }
}

function targetOf(client, cw, { on = 'document', table, document = 'D' }) {
  if (on === 'module') return client;
  if (on === 'client') return cw;
  if (on === 'documents') return cw.documents;
  const book = cw.document(document);
  if (on === 'document') return book;
  return on === 'table' ? book.table(table.range, table.options) : book[on];
}

async function collected(made, isIterated) {
  if (!isIterated) return made;
  const items = [];
  for await (const item of made) items.push(item);
  return items;
}

/** The first items of an iteration, which is then left. */
async function taken(made, count) {
  const items = [];
  for await (const item of made) {
    items.push(item);
    if (items.length === count) break;
  }
  return items;
}

/** `{ "$date" }` is a date, `{ "$repeat": [record, count] }` a generator of equal records, `{ "$count" }` of numbered ones. */
function decoded(value) {
  if (Array.isArray(value)) return value.map(decoded);
  if (typeof value !== 'object' || value === null) return value;
  if (value.$date !== undefined) return new Date(value.$date.length > 10 ? `${value.$date}Z` : value.$date);
  if (value.$repeat !== undefined) return repeated(...value.$repeat);
  if (value.$count !== undefined) return numbered(value.$count);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, decoded(one)]));
}

function* numbered(count) {
  for (let i = 1; i <= count; i++) yield { Number: `R-${i}`, Sum: i };
}

function* repeated(record, count) {
  for (let i = 0; i < count; i++) yield record;
}

function encoded(value) {
  if (value instanceof Uint8Array) return { bytes: new TextDecoder().decode(value) };
  if (value instanceof Date) return { date: value.toISOString().replace(/(?:T00:00:00)?(?:\.000)?Z$/, '') };
  if (Array.isArray(value)) return value.map(encoded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, encoded(one)]));
}

function described(error) {
  const { name, message, status, requestId, retryAfter, requiredScope, errors, revisionId, batch } = error;
  const { differences, conflicts } = error;
  const shown = { status, requestId, retryAfter, requiredScope, errors, revisionId, batch, differences, conflicts };
  const members = Object.entries(shown).filter(([, value]) => value !== undefined);
  return { class: name, message, ...Object.fromEntries(members) };
}
