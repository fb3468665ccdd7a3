// Followers of one document, in their own process. Takes `{ url, document, tokens, count, query }`; `{i}` in `query` is
// the follower's number. Reports when all are connected, and on request the number of events since then and their
// delays.
import { request } from 'node:http';

const EVENT = /event: document\.updated/g;
const CHANGED_AT = /"changedAt":"([^"]+)"/g;

let events = 0;
let delays = [];

process.on('message', async (message) => {
  if (message.ask === 'figures') {
    process.send({ events, delays: delays.toSorted((a, b) => a - b) });
    [events, delays] = [0, []];
    return;
  }
  const { url, document, tokens, count, query } = message;
  const each = Math.ceil(count / tokens.length);
  for (let i = 0; i < count; i++)
    await followDocument(url, document, tokens[Math.floor(i / each)], query.replace('{i}', i + 1));
  process.send('connected');
});
process.on('disconnect', () => process.exit(0));

/** Opens an event stream of a document and records the delay of each event. Resolves when the stream is open. */
function followDocument(url, document, token, query) {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const outgoing = request(`${url}/api/v1/documents/${document}/events${query}`, { headers, agent: false });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      if (response.statusCode !== 200) reject(new Error(`followed with ${response.statusCode}`));
      response.setEncoding('latin1').on('data', (text) => {
        events += text.match(EVENT)?.length ?? 0;
        for (const [, at] of text.matchAll(CHANGED_AT)) delays.push(Date.now() - Date.parse(at));
        resolve();
      });
    });
    outgoing.end();
  });
}
