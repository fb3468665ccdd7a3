import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import type { Api } from '../http/support.ts';
import { type Google, startGoogle, type World } from './support.ts';

/** Rows of 30,000 characters. All of them are far more than the buffers between a service and an idle reader hold. */
const LONG = Array.from({ length: 200 }, () => ['long '.repeat(6_000)]);

describe('an answer of Google’s façade that its reader takes slowly', () => {
  let world: World;
  let google: Google;
  let owned: Api;
  before(async () => {
    ({ world, google } = await startGoogle());
    const book = google.sheet(await google.create());
    owned = world.api(google.token, book.id);
    for (let i = 0; i < 4; i++) assert.equal((await owned.append('A1', LONG)).status, 200);
  });
  after(() => world.close());

  const endings = [
    { name: 'the share is removed', goesOn: false, end: (user: string) => world.share(owned.document, user, 'none') },
    {
      name: 'the reader may only read',
      goesOn: true,
      end: (user: string) => world.share(owned.document, user, 'view'),
    },
    {
      name: 'the values are hidden',
      goesOn: false,
      end: () => world.protect(owned.document, 'Sheet1', { hideValues: true }),
    },
  ];

  for (const { name, goesOn, end } of endings) {
    for (const path of ['/v4/spreadsheets/ID?includeGridData=true', '/spreadsheets/d/ID/export?format=csv']) {
      it(`${goesOn ? 'goes on' : 'breaks off'} if ${name}: ${path}`, async () => {
        await world.protect(owned.document, 'Sheet1', { lock: true });
        const { id, api } = await world.member(owned.document, 'edit');
        const answer = await beginGet(`${google.base}/google${path.replace('ID', owned.document)}`, api.token);
        await end(id);
        assert.equal(await isWhole(answer), goesOn);
      });
    }
  }
});

/** A long answer of which nothing is taken yet. */
async function beginGet(address: string, token: string): Promise<IncomingMessage> {
  const sent = request(address, { headers: { authorization: `Bearer ${token}` }, agent: false });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  assert.equal(answer.statusCode, 200);
  return answer;
}

/** Takes the rest of an answer; false if the service breaks it off. */
function isWhole(answer: IncomingMessage): Promise<boolean> {
  if (answer.closed) return Promise.resolve(answer.complete);
  return new Promise((resolve) => {
    answer.on('error', () => {});
    answer.once('close', () => resolve(answer.complete));
    answer.resume();
  });
}
