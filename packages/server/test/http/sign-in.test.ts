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
import { describeRefusal, isRefusal } from '../../src/service/refusal.ts';
import { Browser, createPerson, type Person, signInAs } from './browser.ts';
import { sendHttp } from './send.ts';
import { type ApiResponse, memberAt, startWorld, type World } from './support.ts';

let now = Date.parse('2026-05-04T12:00:00Z');
let world: World;
/** A user for tests without lasting effects on the user. */
let anna: Person;

before(async () => {
  world = await startWorld({ clock: () => now });
  anna = await createPerson(world);
});
after(() => world.close());

const openBrowser = () => new Browser(world.server.address);
const UNAUTHENTICATED = { message: 'Unauthenticated' };

describe('signing in', () => {
  it('sets a session cookie that no script and no other site can use', async () => {
    const browser = openBrowser();
    const answer = await browser.signIn({ ...anna, email: ` ${anna.email.toUpperCase()} `.trim() });
    assert.equal(answer.status, 200);
    const [session = '', device = ''] = (answer.headers.get('set-cookie') ?? '').split(',');
    assert.match(session, /^cellwire=[0-9A-Za-z]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/);
    assert.match(device, /^cellwire-device=[\w-]{43,}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=15552000$/);
    const me = memberAt((await browser.request('GET', '/me')).body, 'me');
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

  it('gives the same response for every failure', async () => {
    const disabled = await createPerson(world);
    const subject = { ...disabled, workspace_id: disabled.workspace };
    await disableUser(world.server.service.context, subject, OPERATOR);
    const invalidCredentials = [
      { email: anna.email, password: 'wrong horse' },
      { email: anna.email, password: '' },
      { email: anna.email, password: 'x'.repeat(1024) },
      { email: 'nobody@example.org', password: anna.password },
      { email: disabled.email, password: disabled.password },
    ];
    for (const credentials of invalidCredentials) {
      const browser = openBrowser();
      const answer = await browser.signIn(credentials);
      assert.deepEqual([answer.status, answer.body], [401, { message: 'E-mail address or password is wrong' }]);
      assert.equal(browser.cookie, null);
    }
  });

  it('creates a new session secret each time', async () => {
    const browser = openBrowser();
    browser.cookie = `cellwire=${'f'.repeat(43)}`;
    assert.deepEqual((await browser.request('GET', '/me')).body, UNAUTHENTICATED);
    await browser.signIn(anna);
    const first = browser.cookie;
    assert.notEqual(first, `cellwire=${'f'.repeat(43)}`);
    await browser.signIn(anna);
    assert.notEqual(browser.cookie, first);
  });

  /** Signs in from an address in the given network. */
  const signInFrom = (network: number, { email }: Person, password: string, browser = openBrowser()) =>
    browser.request('POST', '/session', {
      body: { email, password },
      headers: { 'x-forwarded-for': `198.51.${network}.1` },
    });

  it('is refused after too many failures from one network, for a while, from any browser and after a restart', async (t) => {
    const victim = await createPerson(world);
    const statuses = await Promise.all(
      Array.from({ length: MAX_NETWORK_ATTEMPTS_PER_ACCOUNT + 5 }, () =>
        signInFrom(1, victim, 'wrong horse').then(({ status }) => status),
      ),
    );
    // If too many passwords are being hashed, the service refuses some without checking them.
    const checked = statuses.filter((status) => status === 401).length;
    assert.ok(checked <= MAX_NETWORK_ATTEMPTS_PER_ACCOUNT, `${checked} were tried`);
    for (let remaining = MAX_NETWORK_ATTEMPTS_PER_ACCOUNT - checked; remaining > 0; remaining--) {
      assert.equal((await signInFrom(1, victim, 'wrong horse')).status, 401);
    }
    const refused = await signInFrom(1, victim, victim.password);
    assert.equal(refused.status, 429);
    assert.deepEqual(refused.body, { message: 'Too many requests', retryAfter: 900 });
    assert.equal(refused.headers.get('retry-after'), '900');
    const secondService = await world.startSecondService();
    t.after(() => secondService.close());
    assert.equal((await signInFrom(1, victim, victim.password, new Browser(secondService.address))).status, 429);
    assert.equal((await signInFrom(2, victim, victim.password)).status, 200, 'its owner is elsewhere');
    now += 15 * 60 * 1000;
    assert.equal((await signInFrom(1, victim, victim.password)).status, 200);
  });

  it('stays possible from a known browser despite failures from many networks', async () => {
    const victim = await createPerson(world);
    const readDevice = (answer: ApiResponse) =>
      /cellwire-device=[^;]+/.exec(answer.headers.get('set-cookie') ?? '')?.[0] ?? '';
    const knownDevice = readDevice(await signInFrom(1, victim, victim.password));
    const otherDevice = readDevice(await signInFrom(1, anna, anna.password));
    for (let i = 0; i < MAX_ATTEMPTS_PER_ACCOUNT; i++) {
      assert.equal((await signInFrom(10 + (i % 9), victim, 'wrong horse')).status, 401);
    }
    const signInWithDevice = (cookie: string, password: string) => {
      const browser = openBrowser();
      browser.cookie = cookie;
      return signInFrom(1, victim, password, browser);
    };
    for (const cookie of ['cellwire-device=', 'cellwire-device=nonsense', otherDevice]) {
      assert.equal((await signInWithDevice(cookie, victim.password)).status, 429, cookie);
    }
    const again = await signInWithDevice(knownDevice, victim.password);
    assert.deepEqual([again.status, readDevice(again)], [200, '']);
    for (let i = 0; i < MAX_KNOWN_DEVICE_ATTEMPTS; i++) {
      assert.equal((await signInWithDevice(knownDevice, 'wrong horse')).status, 401);
    }
    assert.equal((await signInWithDevice(knownDevice, victim.password)).status, 429);
    now += KNOWN_DEVICE_MS;
    assert.notEqual(
      readDevice(await signInWithDevice(knownDevice, victim.password)),
      '',
      'known for a time, then checked again',
    );
  });

  it('is refused after too many failures from one address, across accounts', async () => {
    const headers = { 'x-forwarded-for': '2001:db8:1:2::1' };
    const createBody = (i: number) => ({ email: `nobody${i}@example.org`, password: 'wrong horse' });
    const statuses: number[] = [];
    for (let i = 0; i < 60; i++) {
      statuses.push((await openBrowser().request('POST', '/session', { body: createBody(i), headers })).status);
    }
    assert.deepEqual(new Set(statuses), new Set([401]));
    const neighbour = { 'x-forwarded-for': '2001:db8:1:2:ffff::9' };
    const good = { email: anna.email, password: anna.password };
    assert.equal((await openBrowser().request('POST', '/session', { body: good, headers: neighbour })).status, 429);
    const other = { 'x-forwarded-for': '2001:db8:1:3::1' };
    assert.equal((await openBrowser().request('POST', '/session', { body: good, headers: other })).status, 200);
  });
});

describe('a session', () => {
  it('is invalid after signing out', async () => {
    const browser = await signInAs(world, anna);
    const { cookie } = browser;
    assert.equal((await browser.request('DELETE', '/session')).status, 200);
    assert.equal(browser.cookie, null);
    browser.cookie = cookie;
    assert.deepEqual((await browser.request('GET', '/me')).body, UNAUTHENTICATED);
  });

  it('can be ended from another session, alone or with all others', async () => {
    const account = await createPerson(world);
    const [desk, phone, lost] = [
      await signInAs(world, account),
      await signInAs(world, account),
      await signInAs(world, account),
    ];
    const { sessions } = (await desk.request('GET', '/sessions')).body;
    const rows = sessions as unknown as { id: number; current: boolean }[];
    assert.equal(rows.length, 3);
    const { me } = (await lost.request('GET', '/me')).body;
    const id = Number(memberAt(me, 'session')['id']);
    const stranger = await signInAs(world, anna);
    assert.equal((await stranger.request('DELETE', `/sessions/${id}`)).status, 404);
    assert.equal((await desk.request('DELETE', `/sessions/${id}`)).status, 200);
    assert.equal((await desk.request('DELETE', `/sessions/${id}`)).status, 404);
    assert.equal((await lost.request('GET', '/me')).status, 401);
    assert.equal((await phone.request('GET', '/me')).status, 200);
    const { cookie } = desk;
    assert.equal((await desk.request('DELETE', '/sessions')).status, 200);
    desk.cookie = cookie;
    for (const browser of [desk, phone]) assert.equal((await browser.request('GET', '/me')).status, 401);
  });

  it('ends after inactivity and after its maximum lifetime', async () => {
    const account = await createPerson(world);
    const browser = await signInAs(world, account);
    const began = now;
    now += SESSION_IDLE_MS - 1;
    assert.equal((await browser.request('GET', '/me')).status, 200);
    const idle = await signInAs(world, account);
    now += SESSION_IDLE_MS;
    assert.equal((await idle.request('GET', '/me')).status, 401);
    assert.ok(now < began + SESSION_LIFE_MS);
  });

  it('is valid on every node, and ends on all nodes immediately', async (t) => {
    const secondService = await world.startSecondService();
    t.after(() => secondService.close());
    const firstBrowser = await signInAs(world, anna);
    const secondBrowser = new Browser(secondService.address);
    secondBrowser.cookie = firstBrowser.cookie;
    assert.equal((await secondBrowser.request('GET', '/me')).status, 200);
    await firstBrowser.request('DELETE', '/session');
    assert.equal((await secondBrowser.request('GET', '/me')).status, 401);
  });
});

describe('a password change', () => {
  it('requires the current password, ends all other sessions, and starts a new one', async () => {
    const account = await createPerson(world);
    const [browser, other] = [await signInAs(world, account), await signInAs(world, account)];
    const change = (current: string, password: string) =>
      browser.request('PUT', '/password', { body: { current, password } });
    const invalidCredentials = await change('wrong horse', 'battery staple');
    assert.deepEqual(
      [invalidCredentials.status, Object.keys(memberAt(invalidCredentials.body, 'errors'))],
      [422, ['current']],
    );
    for (const weakPassword of [
      'short',
      account.email,
      account.email.toUpperCase(),
      'Password1',
      '12345678',
      'aaaaaaaa',
      '87654321',
    ]) {
      const refused = await change(account.password, weakPassword);
      assert.deepEqual(
        [refused.status, Object.keys(memberAt(refused.body, 'errors'))],
        [422, ['password']],
        weakPassword,
      );
    }
    const same = await change(account.password, account.password);
    assert.deepEqual([same.status, Object.keys(memberAt(same.body, 'errors'))], [422, ['password']]);
    const before = browser.cookie;
    assert.equal((await change(account.password, 'battery staple')).status, 200);
    assert.notEqual(browser.cookie, before);
    assert.equal((await browser.request('GET', '/me')).status, 200);
    assert.equal((await other.request('GET', '/me')).status, 401);
    assert.equal((await openBrowser().signIn(account)).status, 401);
    assert.equal((await openBrowser().signIn({ ...account, password: 'battery staple' })).status, 200);
  });

  it('is required first if the password is a one-time password', async () => {
    const account = await createPerson(world, { once: true });
    const browser = await signInAs(world, account);
    const first = { message: 'Change the one-time password first' };
    for (const [method, path] of [
      ['GET', '/api/documents'],
      ['GET', '/sessions'],
    ] as const) {
      const { status, body } = await browser.request(method, path);
      assert.deepEqual([status, body], [403, first], path);
    }
    assert.equal(memberAt((await browser.request('GET', '/me')).body, 'me')['mustChangePassword'], true);
    const body = { current: account.password, password: 'battery staple' };
    const changed = await browser.request('PUT', '/password', { body });
    assert.equal(memberAt(changed.body, 'me')['mustChangePassword'], false);
    assert.equal((await browser.request('GET', '/api/documents')).status, 200);
  });
});

describe('a console request from another origin', () => {
  const cases: readonly {
    readonly name: string;
    readonly headers: Readonly<Record<string, string>>;
    /** Status of a change and of a read. */
    readonly status: readonly [number, number];
  }[] = [
    { name: 'another site', headers: { origin: 'https://evil.example' }, status: [403, 200] },
    { name: 'an opaque origin', headers: { origin: 'null' }, status: [403, 200] },
    { name: 'no origin', headers: { origin: '' }, status: [403, 200] },
    { name: 'another port', headers: { origin: 'http://127.0.0.1:1' }, status: [403, 200] },
    {
      name: 'a foreign host name for this address',
      headers: { host: 'evil.example', origin: 'http://evil.example' },
      status: [403, 403],
    },
    {
      name: 'a host name that only starts like an allowed one',
      headers: { host: 'localhost.evil.example' },
      status: [403, 403],
    },
    { name: 'an allowed page', headers: {}, status: [200, 200] },
    {
      name: 'another allowed host name',
      headers: { host: 'localhost:1', origin: 'http://localhost:1' },
      status: [200, 200],
    },
  ];
  it('is refused for opaque origins and origins that are not web pages', async () => {
    const { host } = new URL(world.server.address);
    const browser = await signInAs(world, anna);
    const schemes = ['data:', 'blob:', 'app:', 'file:', 'ftp:', 'ws:', 'chrome-extension:', 'moz-extension:', 'tauri:'];
    const otherOrigins = [
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
    for (const origin of [...schemes.map((scheme) => `${scheme}//${host}`), ...otherOrigins]) {
      const { status } = await browser.request('POST', '/api/documents', {
        body: {},
        headers: { origin: `${origin}` },
      });
      // Node's client trims header values.
      assert.equal(status, origin.trim() === `http://${host}` ? 200 : 403, origin);
    }
  });

  for (const { name, headers, status } of cases) {
    it(`may ${status[0] === 200 ? '' : 'not '}change and ${status[1] === 200 ? '' : 'not '}read: ${name}`, async () => {
      const browser = await signInAs(world, anna);
      assert.equal((await browser.request('GET', '/api/documents', { headers })).status, status[1]);
      assert.equal((await browser.request('DELETE', '/session', { headers })).status, status[0]);
    });
  }

  it('gets the name of the setting for allowed hosts', async () => {
    const { body } = await openBrowser().request('GET', '/me', { headers: { host: 'sheets.example' } });
    assert.deepEqual(body, { message: 'This name is not allowed: set CELLWIRE_PUBLIC_URL or allowedHosts' });
  });

  it('is accepted by the API with a token, under any host name', async () => {
    const book = await world.createBook();
    const headers = { host: 'evil.example', origin: 'https://evil.example' };
    assert.equal((await book.request('GET', '/documents', { headers })).status, 200);
    assert.equal((await sendHttp(`${book.base}/healthz`, { headers })).status, 200);
  });
});

describe('sessions and tokens', () => {
  it('are not interchangeable', async () => {
    const book = await world.createBook();
    const browser = await signInAs(world, anna);
    const withCookie = await sendHttp(`${book.base}/api/v1/documents`, { headers: { cookie: browser.cookie ?? '' } });
    assert.equal(withCookie.status, 401);
    const authorization = `Bearer ${book.token}`;
    assert.equal((await openBrowser().request('GET', '/api/documents', { headers: { authorization } })).status, 401);
    assert.equal((await browser.request('GET', '/api/documents', { headers: { authorization } })).status, 401);
    const secret = (browser.cookie ?? '').replace('cellwire=', '');
    assert.equal((await world.apiFor(secret).request('GET', '/documents')).status, 401);
  });
});

describe('behind an https address', () => {
  let httpsWorld: World;
  before(async () => {
    httpsWorld = await startWorld({ publicUrl: 'https://cells.example.com/app' });
  });
  after(() => httpsWorld.close());

  it('the cookie is sent by https only, and to this host only', async () => {
    const browser = new Browser(httpsWorld.server.address);
    const { headers } = await browser.signIn(await createPerson(httpsWorld));
    const cookie = headers.get('set-cookie') ?? '';
    const [session = '', device = ''] = cookie.split(',');
    assert.match(session, /^__Host-cellwire=\S+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+; Secure$/);
    assert.match(device, /^__Host-cellwire-device=\S+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+; Secure$/);
    browser.cookie = String(browser.cookie).replace('__Host-', '');
    assert.equal((await browser.request('GET', '/me')).status, 401);
  });

  it('only pages of that address may make changes', async () => {
    const account = await createPerson(httpsWorld);
    const host = 'cells.example.com';
    const cases: readonly [origin: string, status: number][] = [
      [`https://${host}`, 200],
      [`http://${host}`, 403],
      [`https://${host}:8443`, 403],
      [`https://${host}.evil.example`, 403],
    ];
    for (const [origin, status] of cases) {
      const browser = await signInAs(httpsWorld, account);
      assert.equal((await browser.request('DELETE', '/session', { headers: { host, origin } })).status, status, origin);
    }
  });
});

describe('a password', () => {
  it('among the most common ones is refused, also for the operator', async () => {
    const { context } = world.server.service;
    const { id } = await world.createUser();
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
        assert.match(describeRefusal(refused), /most common/);
      }
    }
  });

  it('with an outdated hash is rehashed at the next sign-in', async () => {
    const account = await createPerson(world);
    const { database } = world.server.service.context;
    const readStoredHash = async () => (await database.readOne(signInById({ id: account.id })))?.password_hash ?? '';
    const outdatedHash = String(await new Passwords({ N: 4, r: 8, p: 1 }).hash(account.password));
    await database.write({
      document: null,
      statements: [setPasswordHash({ id: account.id, password_hash: outdatedHash })],
    });
    await signInAs(world, account);
    assert.match(await readStoredHash(), /^scrypt\$2\$8\$1\$/);
    assert.equal((await openBrowser().signIn({ ...account, password: 'wrong horse' })).status, 401);
    assert.equal((await openBrowser().signIn(account)).status, 200);
  });
});
