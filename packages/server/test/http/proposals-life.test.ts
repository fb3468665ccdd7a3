import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { decideProposal, expectProposal, proposePut, readPlainValues, readProposal } from './proposals-support.ts';
import { type Api, type Json, memberAt, startWorld, type World } from './support.ts';

let now = Date.now();
let world: World;
before(async () => {
  world = await startWorld({
    clock: () => now,
    proposals: { days: 0.5, open: 3 },
    notifications: { allowPrivateNetworks: true },
  });
});
after(() => world.close());

const HALF_A_DAY = 12 * 60 * 60 * 1000;

async function createOwnerAndEditor(): Promise<{ owner: Api; editor: Api }> {
  const owner = await world.createBook();
  await owner.put('A1', [[1]]);
  return { owner, editor: (await world.addMember(owner.document, 'edit')).api };
}

/** Starts a receiver of notifications. */
async function startReceiver(): Promise<{
  url: string;
  bodies: Json[];
  events: unknown[];
  next: () => Promise<Json>;
  close: () => void;
}> {
  const bodies: Json[] = [];
  const events: unknown[] = [];
  let notify = (): void => {};
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      bodies.push(JSON.parse(text) as Json);
      events.push(request.headers['x-service-event']);
      response.end();
      notify();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  let readCount = 0;
  const readNextState = async (): Promise<Json> => {
    while (bodies.length <= readCount)
      await new Promise<void>((resolve) => {
        notify = resolve;
      });
    return bodies[readCount++] as Json;
  };
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, bodies, events, next: readNextState, close: () => server.close() };
}

describe('an open proposal', () => {
  it('expires at its time, even if no request has read it since', async () => {
    const { owner, editor } = await createOwnerAndEditor();
    const proposal = await expectProposal(proposePut(owner, 'A1', [[2]]));
    assert.equal(Date.parse(String(proposal['expiresAt'])) - Date.parse(String(proposal['createdAt'])), HALF_A_DAY);
    now += HALF_A_DAY - 1;
    assert.equal((await readProposal(owner, proposal))['state'], 'open');
    now += 1;
    const expired_ = await readProposal(owner, proposal);
    assert.deepEqual(
      [expired_['state'], expired_['decidedBy'], expired_['decidedAt']],
      ['expired', null, proposal['expiresAt']],
    );
    for (const how of ['apply', 'reject', 'rebase']) {
      const answer = await decideProposal(editor, proposal, how);
      assert.deepEqual(
        [answer.status, answer.body],
        [412, { message: 'Proposal is not open', state: 'expired', decidedBy: null, decidedAt: proposal['expiresAt'] }],
      );
    }
    const readStates = async (state: string) =>
      (
        memberAt((await owner.requestInDocument('GET', `/proposals?state=${state}`)).body, 'proposals')[
          'entries'
        ] as unknown as Json[]
      ).length;
    assert.deepEqual([await readStates('open'), await readStates('expired')], [0, 1]);
    assert.equal(memberAt((await owner.requestInDocument('GET', '')).body, 'document')['openProposals'], 0);
    assert.deepEqual(await readPlainValues(owner, 'A1'), [[1]]);
  });

  it('counts against the limit of open proposals per document', async () => {
    const { owner, editor } = await createOwnerAndEditor();
    const first = await expectProposal(proposePut(owner, 'A1', [[2]]));
    await expectProposal(proposePut(owner, 'A1', [[3]]));
    await expectProposal(proposePut(owner, 'A1', [[4]]));
    const full = await proposePut(owner, 'A1', [[5]]);
    assert.deepEqual([full.status, full.body], [422, { message: 'Proposal limit reached' }]);
    assert.equal((await decideProposal(editor, first, 'reject')).status, 200);
    const answers = await Promise.all([1, 2, 3].map((value) => proposePut(owner, 'A1', [[value]])));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 422, 422]);
  });

  it('is listed newest first, in pages', async () => {
    const { owner } = await createOwnerAndEditor();
    const ids: unknown[] = [];
    for (let i = 0; i < 3; i++) {
      now += 1;
      ids.unshift((await expectProposal(proposePut(owner, 'A1', [[i]])))['id']);
    }
    const listedIds: unknown[] = [];
    let cursor = '';
    do {
      const path = `/proposals?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const page = memberAt((await owner.requestInDocument('GET', path)).body, 'proposals');
      for (const entry of page['entries'] as unknown as Json[]) {
        listedIds.push(entry['id']);
        assert.equal(Object.hasOwn(entry, 'changes'), false);
      }
      cursor = page['nextCursor'] === null ? '' : String(page['nextCursor']);
    } while (cursor !== '');
    assert.deepEqual(listedIds, ids);
  });

  it('is not copied, survives a restart, and is deleted with its document', async () => {
    const { owner, editor } = await createOwnerAndEditor();
    const proposal = await expectProposal(proposePut(owner, 'A1', [[2]]));
    const copy = await owner.post('/copy', { title: 'Copy' });
    const id = String(memberAt(copy.body, 'document')['id']);
    assert.deepEqual(
      memberAt((await owner.forDocument(id).requestInDocument('GET', '/proposals')).body, 'proposals')['entries'],
      [],
    );
    const secondService = await world.startSecondService();
    const secondApi = new (owner.constructor as new (...values: string[]) => Api)(
      secondService.address,
      editor.token,
      owner.document,
    );
    assert.equal((await readProposal(secondApi, proposal))['state'], 'open');
    assert.equal((await decideProposal(secondApi, proposal, 'apply')).status, 200);
    assert.equal((await readProposal(owner, proposal))['state'], 'applied');
    assert.deepEqual(await readPlainValues(owner, 'A1'), [[2]]);
    await secondService.close();
    assert.equal((await owner.requestInDocument('DELETE', '')).status, 200);
    assert.equal((await owner.requestInDocument('GET', `/proposals/${proposal['id']}`)).status, 404);
  });
});

describe('proposal events', () => {
  it('are sent to subscriptions that name them, immediately and without cells', async () => {
    const { owner, editor } = await createOwnerAndEditor();
    const { url, next, events, bodies, close } = await startReceiver();
    const created = await owner.post('/webhooks', { url, events: ['proposal.opened', 'proposal.decided'] });
    assert.equal(created.status, 200, JSON.stringify(created.body));
    await owner.put('A2', [['not told']]);
    const proposal = await expectProposal(proposePut(owner, 'A1', [[2]], '&title=Two'));
    const opened = await next();
    assert.equal(opened['event'], 'proposal.opened');
    assert.deepEqual(
      [memberAt(opened, 'proposal')['id'], memberAt(opened, 'proposal')['state']],
      [proposal['id'], 'open'],
    );
    assert.equal(memberAt(opened, 'proposal')['title'], 'Two');
    assert.ok(String(opened['documentUrl']).includes(String(proposal['id'])));
    assert.equal(Object.hasOwn(opened, 'cells') || Object.hasOwn(memberAt(opened, 'proposal'), 'changes'), false);
    assert.equal((await decideProposal(editor, proposal, 'apply')).status, 200);
    const decided = await next();
    assert.deepEqual([decided['event'], memberAt(decided, 'proposal')['state']], ['proposal.decided', 'applied']);
    const second = await expectProposal(proposePut(owner, 'A1', [[3]]));
    await next();
    now += HALF_A_DAY;
    const expired = await next();
    assert.deepEqual(
      [memberAt(expired, 'proposal')['id'], memberAt(expired, 'proposal')['state']],
      [second['id'], 'expired'],
    );
    assert.deepEqual(events, ['proposal.opened', 'proposal.decided', 'proposal.opened', 'proposal.decided']);
    assert.equal(bodies.length, 4);
    close();
  });

  it('are not sent to subscriptions that do not name them', async () => {
    const { owner, editor } = await createOwnerAndEditor();
    const { url, next, close } = await startReceiver();
    await owner.post('/webhooks', { url });
    const proposal = await expectProposal(proposePut(owner, 'A1', [[2]]));
    await decideProposal(editor, proposal, 'apply');
    assert.equal((await next())['event'], 'document.updated');
    close();
  });

  it('are part of the event stream, without an id', async () => {
    const { owner, editor } = await createOwnerAndEditor();
    await expectProposal(proposePut(owner, 'A3', [['before']]));
    now += 1;
    const response = await new Promise<IncomingMessage>((resolve) => {
      const url = `${owner.base}/api/v1/documents/${owner.document}/events`;
      get(url, { headers: { authorization: `Bearer ${owner.token}` } }, resolve);
    });
    let text = '';
    let notify = (): void => {};
    response.on('data', (chunk) => {
      text += chunk;
      notify();
    });
    const waitFor = async (part: string): Promise<void> => {
      while (!text.includes(part))
        await new Promise<void>((resolve) => {
          notify = resolve;
        });
    };
    now += 1;
    const proposal = await expectProposal(proposePut(owner, 'A1', [[2]]));
    await waitFor('event: proposal.opened');
    await decideProposal(editor, proposal, 'reject');
    await waitFor('event: proposal.decided');
    response.destroy();
    const events = text.split('\n\n').filter((event) => event.includes('proposal.'));
    assert.equal(events.length, 2, text);
    for (const event of events) {
      assert.equal(event.includes('id:') && event.startsWith('id:'), false);
      const data = JSON.parse(event.slice(event.indexOf('data: ') + 6)) as Json;
      assert.equal(memberAt(data, 'proposal')['id'], proposal['id']);
    }
  });
});
