// Performs one call of the TypeScript client, described in JSON, and returns its outcome as JSON.

export async function performCall(client, { url, token, settings, call }) {
  const progress = [];
  try {
    const options = decodeArgument(call.options ?? {});
    if (call.progress) options.onProgress = (step) => progress.push(step);
    if (call.abortAfter !== undefined) {
      const abort = new AbortController();
      setTimeout(() => abort.abort(new Error('aborted by the caller')), call.abortAfter);
      options.signal = abort.signal;
    }
    const target = findTarget(client, new client.Cellwire({ url, token, ...settings }), call);
    const args = decodeArgument(call.args ?? []);
    const hasOptions = Object.keys(options).length > 0;
    const callResult =
      call.method === 'iterate' ? target : target[call.method](...args, ...(hasOptions ? [options] : []));
    const result =
      call.take === undefined ? await collect(callResult, call.collect) : await takeItems(callResult, call.take);
    return { result: encodeResult(result) ?? null, ...(call.progress ? { progress } : {}) };
  } catch (error) {
    return { error: describeError(error), ...(call.progress ? { progress } : {}) };
  }
}

function findTarget(client, cw, { on = 'document', table, document = 'D' }) {
  if (on === 'module') return client;
  if (on === 'client') return cw;
  if (on === 'documents') return cw.documents;
  const book = cw.document(document);
  if (on === 'document') return book;
  return on === 'table' ? book.table(table.range, table.options) : book[on];
}

/** Returns all items if the result is to be iterated, else the result. */
async function collect(result, isIterated) {
  if (!isIterated) return result;
  const items = [];
  for await (const item of result) items.push(item);
  return items;
}

/** Takes the first items of an iteration and ends it. */
async function takeItems(iteration, count) {
  const items = [];
  for await (const item of iteration) {
    items.push(item);
    if (items.length === count) break;
  }
  return items;
}

/**
 * Decodes arguments: `{ "$date": text }` is a date, `{ "$repeat": [record, count] }` a generator of equal records, and
 * `{ "$count": count }` a generator of numbered records.
 */
function decodeArgument(value) {
  if (Array.isArray(value)) return value.map(decodeArgument);
  if (typeof value !== 'object' || value === null) return value;
  if (value.$date !== undefined) return new Date(value.$date.length > 10 ? `${value.$date}Z` : value.$date);
  if (value.$repeat !== undefined) return generateEqualRecords(...value.$repeat);
  if (value.$count !== undefined) return generateNumberedRecords(value.$count);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, decodeArgument(member)]));
}

function* generateNumberedRecords(count) {
  for (let i = 1; i <= count; i++) yield { Number: `R-${i}`, Sum: i };
}

function* generateEqualRecords(record, count) {
  for (let i = 0; i < count; i++) yield record;
}

function encodeResult(value) {
  if (value instanceof Uint8Array) return { bytes: new TextDecoder().decode(value) };
  if (value instanceof Date) return { date: value.toISOString().replace(/(?:T00:00:00)?(?:\.000)?Z$/, '') };
  if (Array.isArray(value)) return value.map(encodeResult);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, encodeResult(member)]));
}

function describeError(error) {
  const { name, message, status, requestId, retryAfter, requiredScope, errors, revisionId, batch } = error;
  const { differences, conflicts } = error;
  const details = { status, requestId, retryAfter, requiredScope, errors, revisionId, batch, differences, conflicts };
  const members = Object.entries(details).filter(([, value]) => value !== undefined);
  return { class: name, message, ...Object.fromEntries(members) };
}
