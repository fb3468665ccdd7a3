import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setPasswordHash, signInById } from '@cellwire/store/accounts';
import { Passwords } from '../../src/access/passwords.ts';
import {
  KNOWN_DEVICE_MS,
  MAX_ATTEMPTS_PER_ACCOUNT,
  MAX_KNOWN_DEVICE_ATTEMPTS,
  MAX_NETWORK_ATTEMPTS_PER_ACCOUNT,
  SESSION_IDLE_MS,
  SESSION_LIFE_MS,
} from '../../src/limits/console.ts';
import { OPERATOR } from '../../src/service/accounts/actor.ts';
import { disableUser } from '../../src/service/accounts/members.ts';
import { createUser, setUserPassword } from '../../src/service/operator/users.ts';
import { isRefusal, refusalText } from '../../src/service/refusal.ts';
import { Browser, type Person, person, signedIn } from './browser.ts';
import { send } from './send.ts';
import { type Answer, startWorld, type World } from './support.ts';

let now = Date.parse('2026-05-04T12:00:00Z');
let world: World;
/** For what leaves no trace that another test would find. */
let anna: Person;

before(async () => {
  world = await startWorld({ clock: () => now });
  anna = await person(world);
});
after(() => world.close());

const open = () => new Browser(world.server.address);
const UNAUTHENTICATED = { message: 'Unauthenticated' };

describe('signing in', () => {
  it('gives a session in a cookie that no script and no other site can use', async () => {
    const browser = open();
    const answer = await browser.signIn({ ...anna, email: ` ${anna.email.toUpperCase()} `.trim() });
    assert.equal(answer.status, 200);
    const [session = '', device = ''] = (answer.headers.get('set-cookie') ?? '').split(',');
    assert.match(session, /^cellwire=[0-9A-Za-z]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/);
    assert.match(device, /^cellwire-device=[\w-]{43,}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=15552000$/);
    const { me } = (await browser.ask('GET', '/me')).body;
    assert.deepEqual(me, answer.body['me']);
    assert.deepEqual(me['user'], { id: anna.id, name: anna.name, email: anna.email });
    assert.deepEqual(me['workspace'], {
      id: anna.workspace,
      name: anna.name,
      plan: 'enterprise',
      owner: true,
      locale: null,
    });
    assert.equal(me['mustChangePassword'], false);
  });

  it('answers the same whatever is wrong', async () => {
    const disabled = await person(world);
    const subject = { ...disabled, workspace_id: disabled.workspace };
    await disableUser(world.server.service.context, subject, OPERATOR);
    const wrong = [
      { email: anna.email, password: 'wrong horse' },
      { email: anna.email, password: '' },
      { email: anna.email, password: 'x'.repeat(1024) },
      { email: 'nobody@example.org', password: anna.password },
      { email: disabled.email, password: disabled.password },
    ];
    for (const given of wrong) {
      const browser = open();
      const answer = await browser.signIn(given);
      assert.deepEqual([answer.status, answer.body], [401, { message: 'E-mail address or password is wrong' }]);
      assert.equal(browser.cookie, null);
    }
  });

  it('gives every session a secret of its own, whatever the browser had', async () => {
    const browser = open();
    browser.cookie = `cellwire=${'f'.repeat(43)}`;
    assert.deepEqual((await browser.ask('GET', '/me')).body, UNAUTHENTICATED);
    await browser.signIn(anna);
    const first = browser.cookie;
    assert.notEqual(first, `cellwire=${'f'.repeat(43)}`);
    await browser.signIn(anna);
    assert.notEqual(browser.cookie, first);
  });

  /** Tries a password from an address of its own network. */
  const tryFrom = (network: number, { email }: Person, password: string, browser = open()) =>
    browser.ask('POST', '/session', {
      body: { email, password },
      headers: { 'x-forwarded-for': `198.51.${network}.1` },
    });

  it('is refused after too many failures from one network, for a while, in whatever browser and after a restart', async (t) => {
    const victim = await person(world);
    const statuses = await Promise.all(
      Array.from({ length: MAX_NETWORK_ATTEMPTS_PER_ACCOUNT + 5 }, () =>
        tryFrom(1, victim, 'wrong horse').then(({ status }) => status),
      ),
    );
    // Where too many are being hashed some are refused without having been tried.
    const tried = statuses.filter((status) => status === 401).length;
    assert.ok(tried <= MAX_NETWORK_ATTEMPTS_PER_ACCOUNT, `${tried} were tried`);
    for (let left = MAX_NETWORK_ATTEMPTS_PER_ACCOUNT - tried; left > 0; left--) {
      assert.equal((await tryFrom(1, victim, 'wrong horse')).status, 401);
    }
    const refused = await tryFrom(1, victim, victim.password);
    assert.equal(refused.status, 429);
    assert.deepEqual(refused.body, { message: 'Too many requests', retryAfter: 900 });
    assert.equal(refused.headers.get('retry-after'), '900');
    const beside = await world.beside();
    t.after(() => beside.close());
    assert.equal((await tryFrom(1, victim, victim.password, new Browser(beside.address))).status, 429);
    assert.equal((await tryFrom(2, victim, victim.password)).status, 200, 'its owner is elsewhere');
    now += 15 * 60 * 1000;
    assert.equal((await tryFrom(1, victim, victim.password)).status, 200);
  });

  it('from many networks keeps nobody out who has signed in from the same browser before', async () => {
    const victim = await person(world);
    const device = (answer: Answer) => /cellwire-device=[^;]+/.exec(answer.headers.get('set-cookie') ?? '')?.[0] ?? '';
    const known = device(await tryFrom(1, victim, victim.password));
    const others = device(await tryFrom(1, anna, anna.password));
    for (let i = 0; i < MAX_ATTEMPTS_PER_ACCOUNT; i++) {
      assert.equal((await tryFrom(10 + (i % 9), victim, 'wrong horse')).status, 401);
    }
    const withPass = (cookie: string, password: string) => {
      const browser = open();
      browser.cookie = cookie;
      return tryFrom(1, victim, password, browser);
    };
    for (const cookie of ['cellwire-device=', 'cellwire-device=nonsense', others]) {
      assert.equal((await withPass(cookie, victim.password)).status, 429, cookie);
    }
    const again = await withPass(known, victim.password);
    assert.deepEqual([again.status, device(again)], [200, '']);
    for (let i = 0; i < MAX_KNOWN_DEVICE_ATTEMPTS; i++) {
      assert.equal((await withPass(known, 'wrong horse')).status, 401);
    }
    assert.equal((await withPass(known, victim.password)).status, 429);
    now += KNOWN_DEVICE_MS;
    assert.notEqual(device(await withPass(known, victim.password)), '', 'known for a time, then anew');
  });

  it('from one address is refused after too many failures for whatever accounts', async () => {
    const headers = { 'x-forwarded-for': '2001:db8:1:2::1' };
    const body = (i: number) => ({ email: `nobody${i}@example.org`, password: 'wrong horse' });
    const statuses: number[] = [];
    for (let i = 0; i < 60; i++) {
      statuses.push((await open().ask('POST', '/session', { body: body(i), headers })).status);
    }
    assert.deepEqual(new Set(statuses), new Set([401]));
    const neighbour = { 'x-forwarded-for': '2001:db8:1:2:ffff::9' };
    const good = { email: anna.email, password: anna.password };
    assert.equal((await open().ask('POST', '/session', { body: good, headers: neighbour })).status, 429);
    const other = { 'x-forwarded-for': '2001:db8:1:3::1' };
    assert.equal((await open().ask('POST', '/session', { body: good, headers: other })).status, 200);
  });
});

describe('a session', () => {
  it('is no use after signing out', async () => {
    const browser = await signedIn(world, anna);
    const { cookie } = browser;
    assert.equal((await browser.ask('DELETE', '/session')).status, 200);
    assert.equal(browser.cookie, null);
    browser.cookie = cookie;
    assert.deepEqual((await browser.ask('GET', '/me')).body, UNAUTHENTICATED);
  });

  it('can be ended from another one, alone or with all others', async () => {
    const who = await person(world);
    const [desk, phone, lost] = [await signedIn(world, who), await signedIn(world, who), await signedIn(world, who)];
    const { sessions } = (await desk.ask('GET', '/sessions')).body;
    const rows = sessions as unknown as { id: number; current: boolean }[];
    assert.equal(rows.length, 3);
    const { me } = (await lost.ask('GET', '/me')).body;
    const id = Number(me['session']['id']);
    const stranger = await signedIn(world, anna);
    assert.equal((await stranger.ask('DELETE', `/sessions/${id}`)).status, 404);
    assert.equal((await desk.ask('DELETE', `/sessions/${id}`)).status, 200);
    assert.equal((await desk.ask('DELETE', `/sessions/${id}`)).status, 404);
    assert.equal((await lost.ask('GET', '/me')).status, 401);
    assert.equal((await phone.ask('GET', '/me')).status, 200);
    const { cookie } = desk;
    assert.equal((await desk.ask('DELETE', '/sessions')).status, 200);
    desk.cookie = cookie;
    for (const browser of [desk, phone]) assert.equal((await browser.ask('GET', '/me')).status, 401);
  });

  it('ends when it was not used for long, and at last however much it is', async () => {
    const who = await person(world);
    const browser = await signedIn(world, who);
    const began = now;
    now += SESSION_IDLE_MS - 1;
    assert.equal((await browser.ask('GET', '/me')).status, 200);
    const idle = await signedIn(world, who);
    now += SESSION_IDLE_MS;
    assert.equal((await idle.ask('GET', '/me')).status, 401);
    assert.ok(now < began + SESSION_LIFE_MS);
  });

  it('holds on every node, and ends on all of them at once', async (t) => {
    const beside = await world.beside();
    t.after(() => beside.close());
    const here = await signedIn(world, anna);
    const there = new Browser(beside.address);
    there.cookie = here.cookie;
    assert.equal((await there.ask('GET', '/me')).status, 200);
    await here.ask('DELETE', '/session');
    assert.equal((await there.ask('GET', '/me')).status, 401);
  });
});

describe('a change of the password', () => {
  it('needs the present one, ends all other sessions, and begins a new one', async () => {
    const who = await person(world);
    const [browser, other] = [await signedIn(world, who), await signedIn(world, who)];
    const change = (current: string, password: string) =>
      browser.ask('PUT', '/password', { body: { current, password } });
    const wrong = await change('wrong horse', 'battery staple');
    assert.deepEqual([wrong.status, Object.keys(wrong.body['errors'])], [422, ['current']]);
    for (const bad of ['short', who.email, who.email.toUpperCase(), 'Password1', '12345678', 'aaaaaaaa', '87654321']) {
      const refused = await change(who.password, bad);
      assert.deepEqual([refused.status, Object.keys(refused.body['errors'])], [422, ['password']], bad);
    }
    const same = await change(who.password, who.password);
    assert.deepEqual([same.status, Object.keys(same.body['errors'])], [422, ['password']]);
    const before = browser.cookie;
    assert.equal((await change(who.password, 'battery staple')).status, 200);
    assert.notEqual(browser.cookie, before);
    assert.equal((await browser.ask('GET', '/me')).status, 200);
    assert.equal((await other.ask('GET', '/me')).status, 401);
    assert.equal((await open().signIn(who)).status, 401);
    assert.equal((await open().signIn({ ...who, password: 'battery staple' })).status, 200);
  });

  it('must come first where the password is one-time', async () => {
    const who = await person(world, { once: true });
    const browser = await signedIn(world, who);
    const first = { message: 'Change the one-time password first' };
    for (const [method, path] of [
      ['GET', '/api/documents'],
      ['GET', '/sessions'],
    ] as const) {
      const { status, body } = await browser.ask(method, path);
      assert.deepEqual([status, body], [403, first], path);
    }
    assert.equal((await browser.ask('GET', '/me')).body['me']['mustChangePassword'], true);
    const body = { current: who.password, password: 'battery staple' };
    const changed = await browser.ask('PUT', '/password', { body });
    assert.equal(changed.body['me']['mustChangePassword'], false);
    assert.equal((await browser.ask('GET', '/api/documents')).status, 200);
  });
});

describe('who is no page of ours', () => {
  const cases: readonly {
    readonly name: string;
    readonly headers: Readonly<Record<string, string>>;
    /** Of a change, and of a read. */
    readonly status: readonly [number, number];
  }[] = [
    { name: 'a page of another site', headers: { origin: 'https://evil.example' }, status: [403, 200] },
    { name: 'a page without an origin', headers: { origin: 'null' }, status: [403, 200] },
    { name: 'no page', headers: { origin: '' }, status: [403, 200] },
    { name: 'a page on another port', headers: { origin: 'http://127.0.0.1:1' }, status: [403, 200] },
    {
      name: 'a name that leads here',
      headers: { host: 'evil.example', origin: 'http://evil.example' },
      status: [403, 403],
    },
    { name: 'a name that only begins like ours', headers: { host: 'localhost.evil.example' }, status: [403, 403] },
    { name: 'a page of ours', headers: {}, status: [200, 200] },
    {
      name: 'one under another of our names',
      headers: { host: 'localhost:1', origin: 'http://localhost:1' },
      status: [200, 200],
    },
  ];
  it('may not change anything from a page whose origin is opaque, or is no origin of a web page', async () => {
    const { host } = new URL(world.server.address);
    const browser = await signedIn(world, anna);
    const schemes = ['data:', 'blob:', 'app:', 'file:', 'ftp:', 'ws:', 'chrome-extension:', 'moz-extension:', 'tauri:'];
    const others = [
      `blob:http://${host}`,
      `data:text/html,http://${host}`,
      'about:blank',
      `http://user@${host}`,
      `http://${host}/`,
      `http://${host}/page`,
      ` http://${host}`,
      `http://${host} http://${host}`,
      `http:${host}`,
      host,
    ];
    for (const origin of [...schemes.map((scheme) => `${scheme}//${host}`), ...others]) {
      const { status } = await browser.ask('POST', '/api/documents', { body: {}, headers: { origin: `${origin}` } });
      // Node's client cuts the blanks around a header's value.
      assert.equal(status, origin.trim() === `http://${host}` ? 200 : 403, origin);
    }
  });

  for (const { name, headers, status } of cases) {
    it(`may ${status[0] === 200 ? '' : 'not '}change and ${status[1] === 200 ? '' : 'not '}read: ${name}`, async () => {
      const browser = await signedIn(world, anna);
      assert.equal((await browser.ask('GET', '/api/documents', { headers })).status, status[1]);
      assert.equal((await browser.ask('DELETE', '/session', { headers })).status, status[0]);
    });
  }

  it('is told which setting names a host', async () => {
    const { body } = await open().ask('GET', '/me', { headers: { host: 'sheets.example' } });
    assert.deepEqual(body, { message: 'This name is not allowed: set CELLWIRE_PUBLIC_URL or allowedHosts' });
  });

  it('may be a program under whatever name, with a token', async () => {
    const book = await world.book();
    const headers = { host: 'evil.example', origin: 'https://evil.example' };
    assert.equal((await book.request('GET', '/documents', { headers })).status, 200);
    assert.equal((await send(`${book.base}/healthz`, { headers })).status, 200);
  });
});

describe('the two ways in', () => {
  it('know nothing of each other', async () => {
    const book = await world.book();
    const browser = await signedIn(world, anna);
    const withCookie = await send(`${book.base}/api/v1/documents`, { headers: { cookie: browser.cookie ?? '' } });
    assert.equal(withCookie.status, 401);
    const authorization = `Bearer ${book.token}`;
    assert.equal((await open().ask('GET', '/api/documents', { headers: { authorization } })).status, 401);
    assert.equal((await browser.ask('GET', '/api/documents', { headers: { authorization } })).status, 401);
    const secret = (browser.cookie ?? '').replace('cellwire=', '');
    assert.equal((await world.api(secret).request('GET', '/documents')).status, 401);
  });
});

describe('behind an https address', () => {
  let behind: World;
  before(async () => {
    behind = await startWorld({ publicUrl: 'https://cells.example.com/app' });
  });
  after(() => behind.close());

  it('the cookie is sent by https alone, to this host alone', async () => {
    const browser = new Browser(behind.server.address);
    const { headers } = await browser.signIn(await person(behind));
    const cookie = headers.get('set-cookie') ?? '';
    const [session = '', device = ''] = cookie.split(',');
    assert.match(session, /^__Host-cellwire=\S+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+; Secure$/);
    assert.match(device, /^__Host-cellwire-device=\S+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+; Secure$/);
    browser.cookie = String(browser.cookie).replace('__Host-', '');
    assert.equal((await browser.ask('GET', '/me')).status, 401);
  });

  it('pages of that address alone may change something', async () => {
    const who = await person(behind);
    const host = 'cells.example.com';
    const cases: readonly [origin: string, status: number][] = [
      [`https://${host}`, 200],
      [`http://${host}`, 403],
      [`https://${host}:8443`, 403],
      [`https://${host}.evil.example`, 403],
    ];
    for (const [origin, status] of cases) {
      const browser = await signedIn(behind, who);
      assert.equal((await browser.ask('DELETE', '/session', { headers: { host, origin } })).status, status, origin);
    }
  });
});

describe('a password', () => {
  it('that attackers try first is refused to the operator, too', async () => {
    const { context } = world.server.service;
    const { id } = await world.user();
    for (const password of [
      'password',
      'PASSWORD1',
      'qwerty123',
      'iloveyou',
      'passw0rd',
      'ｐａｓｓｗｏｒｄ',
      'abcdefgh',
    ]) {
      const user = { email: 'new@example.org', name: 'New', password };
      for (const refused of [await createUser(context, user), await setUserPassword(context, { user: id, password })]) {
        assert.ok(isRefusal(refused), password);
        assert.match(refusalText(refused), /most common/);
      }
    }
  });

  it('that was hashed at another cost is hashed anew when it is known', async () => {
    const who = await person(world);
    const { database } = world.server.service.context;
    const stored = async () => (await database.readOne(signInById({ id: who.id })))?.password_hash ?? '';
    const old = String(await new Passwords({ N: 4, r: 8, p: 1 }).hash(who.password));
    await database.write({ document: null, statements: [setPasswordHash({ id: who.id, password_hash: old })] });
    await signedIn(world, who);
    assert.match(await stored(), /^scrypt\$2\$8\$1\$/);
    assert.equal((await open().signIn({ ...who, password: 'wrong horse' })).status, 401);
    assert.equal((await open().signIn(who)).status, 200);
  });
});
