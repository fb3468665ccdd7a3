import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Interruption } from '../../../store/test/interruption.ts';
import { shareDocument } from '../../src/service/operator/documents.ts';
import { type Browser, createPerson, type Person, signInAs } from './browser.ts';
import { type Api, memberAt, startWorld, type World } from './support.ts';

const interruption = new Interruption();
let world: World;
let anna: Person;
let browser: Browser;
let book: Api;

before(async () => {
  world = await startWorld({ plans: { enterprise: { requestsPerSecond: 2 } }, wrap: interruption.wrap });
  anna = await createPerson(world);
  browser = await signInAs(world, anna);
  book = world.apiFor(await world.createToken(String(anna.id)), await world.createDocument(String(anna.id)));
});
after(() => world.close());

const formatPath = (path: string) => `/api/documents/${book.document}${path}`;
const put = (range: string, values: unknown) =>
  browser.request('PUT', formatPath(`/values/${range}`), { body: { values } });

describe('the API with a console session', () => {
  it('reads and writes as the signed-in person', async () => {
    const written = await put('A1', [[1], ['=A1+1']]);
    assert.deepEqual([written.status, memberAt(written.body, 'updated')['cells']], [200, 2]);
    const read = await browser.request('GET', formatPath('/values/A2'));
    assert.equal(memberAt(read.body, 'values', 'cells', 0, 0)['v'], 2);
    const revisions = memberAt((await browser.request('GET', formatPath('/revisions'))).body, 'revisions');
    assert.equal(memberAt(revisions, 'entries', 0)['origin'], 'browser');
    assert.equal(memberAt(revisions, 'entries', 0)['userName'], anna.name);
    const audit = memberAt((await browser.request('GET', formatPath('/audit'))).body, 'audit');
    assert.deepEqual([audit['entries'], audit['total']], [[], 0]);
  });

  it('returns console URLs in its responses', async () => {
    const { document } = (await browser.request('GET', formatPath(''))).body;
    assert.match(String(memberAt(document, 'content')['contentUrl']), /\/console\/api\/documents\//);
  });

  it("does not share the rate limit of the user's tokens", { timeout: 120_000 }, async () => {
    const responses = await Promise.all(
      Array.from({ length: 30 }, () => browser.request('GET', formatPath('/values/A1'))),
    );
    assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]));
    assert.equal((await book.cell('A1'))['v'], 1);
    const sendBurst = () => Promise.all(Array.from({ length: 30 }, () => book.get('A1')));
    // A busy machine may spread the requests over several seconds, so that none exceeds the limit. Then repeat.
    while (!(await sendBurst()).some(({ status }) => status === 429));
    assert.equal((await browser.request('GET', formatPath('/values/A1'))).status, 200);
  });

  it('has its own rate limit', async () => {
    const { headers } = await browser.request('GET', '/api/userinfo');
    assert.equal(headers.get('ratelimit-policy'), '"requests";q=100;w=1');
  });

  it('checks the same permissions', async () => {
    const ben = await createPerson(world);
    const benBrowser = await signInAs(world, ben);
    const read = () => benBrowser.request('GET', formatPath('/values/A1'));
    assert.equal((await read()).status, 403);
    const share = { document: book.document, user: String(ben.id) };
    await shareDocument(world.server.service.context, { ...share, role: 'view' });
    assert.equal((await read()).status, 200);
    const body = { values: [[1]] };
    const write = await benBrowser.request('PUT', formatPath('/values/A1'), { body });
    assert.deepEqual([write.status, write.body], [403, { message: 'Insufficient permissions' }]);
    await shareDocument(world.server.service.context, { ...share, role: 'none' });
    assert.equal((await read()).status, 403);
  });

  it('honours an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'once' };
    const body = { range: 'C1', values: [[1]] };
    const first = await browser.request('POST', formatPath('/values/append'), { body, headers });
    const again = await browser.request('POST', formatPath('/values/append'), { body, headers });
    assert.deepEqual([again.status, again.body], [200, first.body]);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
  });

  it('refuses a write if the session ends during the request', async () => {
    const [writer, terminator] = [await signInAs(world, anna), await signInAs(world, anna)];
    interruption.beforeCommit(() => terminator.request('DELETE', '/sessions'));
    const body = { values: [['late']] };
    const late = await writer.request('PUT', formatPath('/values/D1'), { body });
    assert.deepEqual([late.status, late.body], [401, { message: 'Unauthenticated' }]);
    browser = await signInAs(world, anna);
    assert.equal(
      memberAt((await browser.request('GET', formatPath('/values/D1'))).body, 'values', 'cells', 0)[0],
      null,
    );
  });
});
