// The receivers, in their own process, all on one host: subscription n posts to /n. Every tenth is dead. Messages:
// `{ ask: 'address' }`, `{ secrets }` (by number), `{ ask: 'progress' }`, `{ ask: 'received' }`.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

/** The behaviours of dead receivers, in turns. `hang` never answers, `drip` never ends its answer. */
const DEAD_BEHAVIOURS = {
  hang: () => {},
  drip: (response) => response.writeHead(200, { 'content-length': 10 }).write('x'),
  reset: (response) => response.socket.resetAndDestroy(),
  fail: (response) => response.writeHead(503).end(),
};
const BEHAVIOURS = Object.values(DEAD_BEHAVIOURS);
const EVERY = 10;

const secrets = new Map();
/**
 * Received notifications: `[document, first revision, last revision, time of arrival]`, in milliseconds since
 * 1970-01-01 UTC.
 */
const received = [];
/** For each document, its newest notified revision and the number of subscriptions that were notified of it. */
const newest = new Map();
const ids = new Set();
const counts = { repeated: 0, forged: 0, toDead: 0 };

const server = createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('error', () => {});
  request.on('end', () => receiveNotification(Number(request.url.slice(1)), request, Buffer.concat(parts), response));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

/** Answers a notification of subscription `number` and records it. Every tenth receiver is dead. */
function receiveNotification(number, { headers }, body, response) {
  if (number % EVERY === 0) {
    counts.toDead++;
    BEHAVIOURS[(number / EVERY) % BEHAVIOURS.length](response);
    return;
  }
  const at = Date.now();
  response.writeHead(204).end();
  if (!isGenuine(body, secrets.get(number), headers['x-service-signature'])) counts.forged++;
  const { deliveryId, documentId, revision } = JSON.parse(body);
  if (ids.has(deliveryId)) counts.repeated++;
  ids.add(deliveryId);
  received.push([documentId, revision.from, revision.to, at]);
  const previous = newest.get(documentId);
  if (previous === undefined || previous.revision < revision.to)
    newest.set(documentId, { revision: revision.to, notified: 1 });
  else if (previous.revision === revision.to) previous.notified++;
}

/** True if the signature of a body was made with the secret. */
function isGenuine(body, secret, signature = '') {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const actual = Buffer.from(signature);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

process.on('message', (message) => {
  for (const [number, secret] of message.secrets ?? []) secrets.set(number, secret);
  if (message.ask === 'address') process.send(`http://127.0.0.1:${server.address().port}`);
  else if (message.ask === 'progress') process.send([...newest]);
  else if (message.ask === 'received') process.send({ received, counts });
  else process.send('ok');
});
process.on('disconnect', () => process.exit());
