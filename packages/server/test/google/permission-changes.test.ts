import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import type { Api } from '../http/support.ts';
import { type GoogleClient, startGoogle, type World } from './support.ts';

/** Rows of 30,000 characters. Together they exceed the buffers between the service and an idle reader. */
const LONG_ROWS = Array.from({ length: 200 }, () => ['long '.repeat(6_000)]);

describe('a slowly read response of the Google-compatible API', () => {
  let world: World;
  let google: GoogleClient;
  let ownerApi: Api;
  before(async () => {
    ({ world, google } = await startGoogle());
    const book = await google.createSpreadsheet();
    ownerApi = world.apiFor(google.token, book.id);
    for (let i = 0; i < 4; i++) assert.equal((await ownerApi.append('A1', LONG_ROWS)).status, 200);
  });
  after(() => world.close());

  const changes = [
    {
      name: 'the share is removed',
      goesOn: false,
      end: (user: string) => world.share(ownerApi.document, user, 'none'),
    },
    {
      name: 'the member becomes a viewer',
      goesOn: true,
      end: (user: string) => world.share(ownerApi.document, user, 'view'),
    },
    {
      name: 'the values are hidden',
      goesOn: false,
      end: () => world.protect(ownerApi.document, 'Sheet1', { hideValues: true }),
    },
  ];

  for (const { name, goesOn, end } of changes) {
    for (const path of ['/v4/spreadsheets/ID?includeGridData=true', '/spreadsheets/d/ID/export?format=csv']) {
      it(`${goesOn ? 'completes' : 'breaks off'} if ${name}: ${path}`, async () => {
        await world.protect(ownerApi.document, 'Sheet1', { lock: true });
        const { id, api } = await world.addMember(ownerApi.document, 'edit');
        const answer = await startRequest(`${google.base}/google${path.replace('ID', ownerApi.document)}`, {
          token: api.token,
        });
        await end(id);
        assert.equal(await readsCompletely(answer), goesOn);
      });
    }
  }

  // The fast path answers this method, the framework the others.
  for (const { name, end } of changes.filter(({ goesOn }) => !goesOn)) {
    it(`breaks off if ${name}: batchUpdate`, async () => {
      await world.protect(ownerApi.document, 'Sheet1', { lock: true });
      const { id, api } = await world.addMember(ownerApi.document, 'edit');
      const answer = await startRequest(`${google.base}/google/v4/spreadsheets/${ownerApi.document}:batchUpdate`, {
        token: api.token,
        body: {
          requests: [{ addNamedRange: { namedRange: { name: `of_${id}`, range: { sheetId: 0 } } } }],
          includeSpreadsheetInResponse: true,
          responseIncludeGridData: true,
        },
      });
      await end(id);
      assert.equal(await readsCompletely(answer), false);
    });
  }
});

interface StartedRequest {
  readonly token: string;
  /** Undefined: a GET. */
  readonly body?: object;
}

/** Starts a long response without reading its body. */
async function startRequest(address: string, { token, body }: StartedRequest): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${token}` };
  const sent = body && JSON.stringify(body);
  const clientRequest = request(address, {
    method: sent === undefined ? 'GET' : 'POST',
    headers: sent === undefined ? headers : { ...headers, 'content-length': sent.length },
    agent: false,
  });
  clientRequest.end(sent);
  const [answer] = (await once(clientRequest, 'response')) as [IncomingMessage];
  assert.equal(answer.statusCode, 200);
  return answer;
}

/** Reads the remaining response; false if the service breaks it off. */
function readsCompletely(answer: IncomingMessage): Promise<boolean> {
  if (answer.closed) return Promise.resolve(answer.complete);
  return new Promise((resolve) => {
    answer.on('error', () => {});
    answer.once('close', () => resolve(answer.complete));
    answer.resume();
  });
}
