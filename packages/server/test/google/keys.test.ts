import assert from 'node:assert/strict';
import { createSign, generateKeyPairSync } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { createGoogleKey, type KeyFile, revokeGoogleKey } from '../../src/service/google/keys.ts';
import { isRefusal } from '../../src/service/refusal.ts';
import { Google, messageOf, startGoogle, type World } from './support.ts';

const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const SPREADSHEETS = 'https://www.googleapis.com/auth/spreadsheets';
const DRIVE = 'https://www.googleapis.com/auth/drive';
const AUDIENCE = 'https://oauth2.googleapis.com/token';

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

interface Signing {
  readonly claims?: object;
  readonly header?: object;
  readonly key?: string;
}

function jwtOf(
  { client_email: iss, private_key: own, private_key_id: kid }: KeyFile,
  { claims, header, key = own }: Signing = {},
): string {
  const iat = Math.floor(Date.now() / 1000);
  const body = { iss, aud: AUDIENCE, scope: SPREADSHEETS, iat, exp: iat + 3600, ...claims };
  const content = `${encoded({ alg: 'RS256', typ: 'JWT', kid, ...header })}.${encoded(body)}`;
  return `${content}.${createSign('RSA-SHA256').update(content).sign(key, 'base64url')}`;
}

describe('service-account keys', () => {
  let world: World;
  let user: string;
  let google: Google;
  let file: KeyFile;

  before(async () => {
    ({ world, user, google } = await startGoogle());
    file = (await keyOf({})).keyFile;
  });
  after(() => world.close());

  async function keyOf(wish: object) {
    const made = await createGoogleKey(world.server.service.context, { user, name: 'Reports', ...wish });
    assert.ok(!isRefusal(made));
    return made;
  }

  const nobody = () => new Google(world.server.address, '');
  const grant = (parameters: Readonly<Record<string, string>>) =>
    nobody().request('POST', '/token', new URLSearchParams(parameters).toString(), {
      'content-type': 'application/x-www-form-urlencoded',
    });
  const exchange = (assertion: string) => grant({ grant_type: GRANT, assertion });

  it('are files of the format that Google has', () => {
    assert.equal(file.type, 'service_account');
    assert.match(file.client_email, /^reports-[0-9a-f]{8}@cellwire\.iam\.gserviceaccount\.com$/);
    assert.match(file.token_uri, /\/google\/token$/);
    assert.match(file.private_key, /^-----BEGIN PRIVATE KEY-----/);
  });

  it('are exchanged for access tokens that act as their user, within the scopes that were asked for', async () => {
    const { status, body } = await exchange(jwtOf(file));
    assert.deepEqual([status, body['token_type']], [200, 'Bearer']);
    const caller = new Google(world.server.address, String(body['access_token']));
    const id = await caller.create('By a key');
    assert.equal((await google.sheet(id).get('A1')).status, 200);
    assert.equal((await caller.sheet(id).put('A1', [[1]])).status, 200);
    const entries = (await world.api(google.token, id).audit())['entries'];
    assert.deepEqual([entries[0]['origin'], entries[0]['token']], ['google', 'Reports']);
    const refused = await caller.request('DELETE', `/drive/v3/files/${id}`);
    assert.deepEqual([refused.status, messageOf(refused)], [403, 'Request had insufficient authentication scopes.']);
    const wide = await exchange(jwtOf(file, { claims: { scope: `${SPREADSHEETS} ${DRIVE}` } }));
    const owner = new Google(world.server.address, String(wide.body['access_token']));
    assert.equal((await owner.request('DELETE', `/drive/v3/files/${id}`)).status, 204);
  });

  it('may sign again within their hour, also as JSON', async () => {
    const assertion = jwtOf(file);
    assert.equal((await exchange(assertion)).status, 200);
    const { status } = await nobody().request('POST', '/oauth2/v4/token', { grant_type: GRANT, assertion });
    assert.equal(status, 200);
  });

  it('are refused with another algorithm, signer, audience, lifetime or time', async () => {
    const now = Math.floor(Date.now() / 1000);
    const other = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const content = `${encoded({ alg: 'none' })}.${encoded({ iss: file.client_email, aud: AUDIENCE, iat: now, exp: now + 60 })}`;
    const wrong: Readonly<Record<string, string>> = {
      'no algorithm': `${content}.`,
      'a symmetric algorithm': jwtOf(file, { header: { alg: 'HS256' } }),
      'another signer': jwtOf(file, { key: other.privateKey }),
      'another key id': jwtOf(file, { header: { kid: 'x' } }),
      'another audience': jwtOf(file, { claims: { aud: 'https://evil.example/google/token' } }),
      'no audience': jwtOf(file, { claims: { aud: undefined } }),
      'a long life': jwtOf(file, { claims: { exp: now + 3_700 } }),
      'an end in the past': jwtOf(file, { claims: { iat: now - 4_000, exp: now - 400 } }),
      'a beginning in the future': jwtOf(file, { claims: { iat: now + 400, exp: now + 500 } }),
      'no times': jwtOf(file, { claims: { iat: undefined } }),
      'somebody else': jwtOf(file, { claims: { iss: 'x@example.com' } }),
      'another subject': jwtOf(file, { claims: { sub: 'ceo@example.com' } }),
      'no JWT': 'abc',
    };
    for (const [what, assertion] of Object.entries(wrong)) {
      const { status, body, headers } = await exchange(assertion);
      assert.deepEqual([status, body['error'], what], [400, 'invalid_grant', what]);
      assert.match(String(headers.get('content-type')), /^application\/json/);
    }
    assert.equal((await grant({ grant_type: 'password' })).body['error'], 'unsupported_grant_type');
    assert.equal(
      (await exchange(jwtOf(file, { claims: { scope: 'https://www.googleapis.com/auth/gmail' } }))).body['error'],
      'invalid_scope',
    );
  });

  it('stand in place of an access token by a JWT that they sign', async () => {
    const id = await google.create();
    const own = jwtOf(file, {
      claims: { aud: 'https://sheets.googleapis.com/', scope: undefined, sub: file.client_email },
    });
    assert.equal((await new Google(world.server.address, own).sheet(id).get('A1')).status, 200);
    const byScope = jwtOf(file, { claims: { aud: undefined, scope: `${SPREADSHEETS}.readonly` } });
    const reader = new Google(world.server.address, byScope).sheet(id);
    assert.equal((await reader.get('A1')).status, 200);
    assert.equal((await reader.put('A1', [[1]])).status, 403);
    const bad = jwtOf(file, { claims: { aud: 'https://example.com/' } });
    assert.equal((await new Google(world.server.address, bad).sheet(id).get('A1')).status, 401);
  });

  it('can be for reading alone', async () => {
    const id = await google.create();
    const { keyFile } = await keyOf({ readOnly: true });
    const { body } = await exchange(jwtOf(keyFile));
    const reader = new Google(world.server.address, String(body['access_token'])).sheet(id);
    assert.equal((await reader.get('A1')).status, 200);
    assert.equal((await reader.put('A1', [[1]])).status, 403);
  });

  it('stop working at once on every node when they are revoked, with what they were exchanged for', async () => {
    const id = await google.create();
    const { keyFile, id: key } = await keyOf({});
    const access = String((await exchange(jwtOf(keyFile))).body['access_token']);
    const signed = jwtOf(keyFile, { claims: { aud: 'https://sheets.googleapis.com/', scope: undefined } });
    const beside = await world.startSecondService();
    try {
      const nodes = [world.server.address, beside.address];
      const statuses = () =>
        Promise.all(
          nodes.flatMap((node) =>
            [access, signed].map(async (token) => (await new Google(node, token).sheet(id).get('A1')).status),
          ),
        );
      assert.deepEqual(await statuses(), [200, 200, 200, 200]);
      assert.ok(!isRefusal(await revokeGoogleKey(world.server.service.context, key)));
      assert.deepEqual(await statuses(), [401, 401, 401, 401]);
      assert.equal((await exchange(jwtOf(keyFile))).body['error'], 'invalid_grant');
    } finally {
      await beside.close();
    }
  });

  it('share a document with their user by their address', async () => {
    const other = await world.user();
    const theirs = new Google(world.server.address, await world.token(other.id));
    const id = await theirs.create();
    assert.equal((await google.sheet(id).get('A1')).status, 403);
    const permission = { type: 'user', role: 'writer', emailAddress: file.client_email };
    assert.equal((await theirs.request('POST', `/drive/v3/files/${id}/permissions`, permission)).status, 200);
    assert.equal((await google.sheet(id).put('A1', [[1]])).status, 200);
  });
});

describe('callers of the façade', () => {
  let world: World;
  let google: Google;

  before(async () => {
    ({ world, google } = await startGoogle());
  });
  after(() => world.close());

  it('show nothing and get 401, a token in the address reads and never writes', async () => {
    const id = await google.create();
    const nobody = new Google(world.server.address, '');
    assert.equal((await nobody.sheet(id).get('A1')).status, 401);
    assert.equal((await nobody.sheet(id).get('A1', `?key=${google.token}`)).status, 200);
    assert.equal((await nobody.sheet(id).get('A1', `?access_token=${google.token}`)).status, 200);
    const write = `/values/A1?valueInputOption=RAW&key=${google.token}`;
    const refused = await nobody.sheet(id).request('PUT', write, { values: [[1]] });
    assert.deepEqual([refused.status, refused.body['error']['status']], [401, 'UNAUTHENTICATED']);
  });

  it('get 403 for a document of others and 404 for one that does not exist', async () => {
    const other = await world.user();
    const id = await google.create();
    const stranger = new Google(world.server.address, await world.token(other.id));
    const closed = await stranger.sheet(id).get('A1');
    assert.deepEqual([closed.status, messageOf(closed)], [403, 'The caller does not have permission']);
    const absent = await stranger.sheet('1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms').get('A1');
    assert.deepEqual([absent.status, messageOf(absent)], [404, 'Requested entity was not found.']);
  });

  it('do not see a hidden sheet', async () => {
    const id = await google.create();
    await google.sheet(id).put('A1', [['secret']]);
    const { api } = await world.member(id, 'edit');
    await world.protect(id, 'Sheet1', { hideValues: true, lock: true });
    const member = new Google(world.server.address, api.token).sheet(id);
    assert.equal((await member.get('A1')).status, 403);
    assert.equal((await member.put('A1', [[1]])).status, 400);
    assert.equal((await member.append('Sheet1', [[1]])).status, 403);
    const whole = await member.request('GET', '?includeGridData=true');
    assert.ok(!JSON.stringify(whole.body).includes('secret'));
    assert.equal(
      (await member.batch({ sortRange: { range: { sheetId: 0 }, sortSpecs: [{ dimensionIndex: 0 }] } })).status,
      400,
    );
  });

  it('do not see the developer metadata of a hidden sheet', async () => {
    const id = await google.create();
    const owned = google.sheet(id);
    await world.api(google.token, id).addSheet('Secret');
    const { sheetId } = (await owned.read('sheets.properties.sheetId'))['sheets'][1]['properties'] as never;
    const places = [
      { sheetId },
      { dimensionRange: { sheetId, dimension: 'ROWS', startIndex: 1, endIndex: 2 } },
      { spreadsheet: true },
    ];
    const metadata = places.map((location, i) => ({
      ...{ metadataId: i + 1, metadataKey: 'kind', metadataValue: `value ${i + 1}`, visibility: 'DOCUMENT', location },
    }));
    await owned.replies(...metadata.map((developerMetadata) => ({ createDeveloperMetadata: { developerMetadata } })));
    const { api } = await world.member(id, 'edit');
    await world.protect(id, 'Secret', { hideValues: true });
    const member = new Google(world.server.address, api.token).sheet(id);
    const everything = { developerMetadataLookup: { metadataKey: 'kind' } };
    const dataFilters = [everything];
    const valuesOf = async (answer: Promise<{ readonly body: unknown }>) =>
      [...JSON.stringify((await answer).body).matchAll(/value \d/g)].map(String);

    for (const metadataId of [1, 2]) {
      assert.equal((await member.request('GET', `/developerMetadata/${metadataId}`)).status, 404);
    }
    assert.deepEqual(await valuesOf(member.request('POST', '/developerMetadata:search', { dataFilters })), ['value 3']);
    assert.deepEqual(await valuesOf(member.request('GET', '?fields=*')), ['value 3']);
    const read = await member.request('POST', '/values:batchGetByDataFilter', { dataFilters });
    assert.deepEqual([read.status, read.body['valueRanges']], [200, undefined]);
    const clear = await member.request('POST', '/values:batchClearByDataFilter', { dataFilters });
    assert.deepEqual([clear.status, clear.body['clearedRanges']], [200, undefined]);
    const developerMetadata = { visibility: 'PROJECT' };
    const update = { dataFilters, developerMetadata, fields: 'visibility' };
    assert.deepEqual(await valuesOf(member.batch({ updateDeveloperMetadata: update })), ['value 3']);
    assert.deepEqual(await valuesOf(member.batch({ deleteDeveloperMetadata: { dataFilter: everything } })), [
      'value 3',
    ]);
    const kept = await valuesOf(owned.request('POST', '/developerMetadata:search', { dataFilters }));
    assert.deepEqual(kept, ['value 1', 'value 2']);
  });

  it('can be kept out of changes of structure by their plan', async () => {
    const user = await world.user('standard');
    const caller = new Google(world.server.address, await world.token(user.id));
    const book = caller.sheet(await caller.create());
    assert.equal((await book.put('A1', [[1]])).status, 200);
    assert.equal((await book.batch({ addSheet: {} })).status, 403);
  });
});
