import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { test } from 'node:test';
import { RELAY_MESSAGE_BYTES } from '../../../src/limits/limits.ts';
import { openPostgresRelay } from '../../../src/store/postgres/relay.ts';
import { newPlace } from '../../postgres/server.ts';

test('nodes of one database hear of each other’s commits and of what the others say, and not of their own', {
  timeout: 60_000,
}, async (t) => {
  const [place, elsewhere] = [await newPlace(), await newPlace()];
  const heard: string[] = [];
  const events = new EventEmitter();
  const node = (name: string, url: string) =>
    openPostgresRelay(url, {
      onCommit: (document) => {
        heard.push(`${name} ${document}`);
        events.emit(document);
      },
      onSaid: (text) => {
        heard.push(`${name} ${text}`);
        events.emit(text);
      },
      onError: (what, error) => events.emit('error', new Error(what, { cause: error })),
    });
  const relays = [node('first', place.url), node('second', place.url), node('other', elsewhere.url)] as const;
  t.after(async () => {
    for (const relay of relays) await relay.close();
    await Promise.all([place.remove(), elsewhere.remove()]);
  });
  // Connecting takes a while: what is told before that nobody hears.
  const repeat = setInterval(() => relays[0].tell('ready'), 20);
  await once(events, 'ready');
  const back = setInterval(() => relays[1].tell('back'), 20);
  await once(events, 'back');
  for (const timer of [repeat, back]) clearInterval(timer);
  const many = Array.from({ length: 400 }, (_, i) => `document ${i}`);
  const last = once(events, 'document 399');
  for (const document of many) relays[0].tell(document);
  await last;
  assert.deepEqual(
    heard.filter((one) => one.includes('document')),
    many.map((document) => `second ${document}`),
  );
  const said = once(events, 'of another');
  for (const text of ['old', 'new', 'ы'.repeat(RELAY_MESSAGE_BYTES)])
    relays[0].say(text.length > 3 ? 'long' : 'one', text);
  relays[0].say('other', 'of another');
  await said;
  assert.deepEqual(heard.slice(-2), ['second new', 'second of another']);
  assert.deepEqual([...new Set(heard.map((one) => one.split(' ')[0]))].sort(), ['first', 'second']);
  assert.ok(!heard.includes('first ready') && !heard.includes('second back'));
});
