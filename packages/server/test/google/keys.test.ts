import assert from 'node:assert/strict';
import { createSign, generateKeyPairSync } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { bumpAccessEpoch } from '@cellwire/store/accounts';
import { damageColumn, readRows } from '../../../store/test/damaged-rows.ts';
import { createGoogleKey, type KeyFile, revokeGoogleKey } from '../../src/service/google/keys.ts';
import { isRefusal } from '../../src/service/refusal.ts';
import { memberAt } from '../http/support.ts';
import { GoogleClient, readErrorMessage, startGoogle, type World } from './support.ts';

const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const SPREADSHEETS = 'https://www.googleapis.com/auth/spreadsheets';
const DRIVE = 'https://www.googleapis.com/auth/drive';
const AUDIENCE = 'https://oauth2.googleapis.com/token';

function encodePart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Completes an encoded part with `=` to a multiple of four characters, as google-auth 1.5 does. */
function padPart(part: string): string {
  return part.padEnd(Math.ceil(part.length / 4) * 4, '=');
}

interface JwtOptions {
  readonly claims?: object;
  readonly header?: object;
  readonly key?: string;
  readonly isPadded?: boolean;
}

function createJwt(
  { client_email: iss, private_key: ownKey, private_key_id: kid }: KeyFile,
  { claims, header, key = ownKey, isPadded = false }: JwtOptions = {},
): string {
  const finishPart = (part: string) => (isPadded ? padPart(part) : part);
  const finishValue = (value: object) => finishPart(encodePart(value));
  const iat = Math.floor(Date.now() / 1000);
  const body = { iss, aud: AUDIENCE, scope: SPREADSHEETS, iat, exp: iat + 3600, ...claims };
  const content = `${finishValue({ alg: 'RS256', typ: 'JWT', kid, ...header })}.${finishValue(body)}`;
  return `${content}.${finishPart(createSign('RSA-SHA256').update(content).sign(key, 'base64url'))}`;
}

describe('service-account keys', () => {
  let world: World;
  let user: string;
  let google: GoogleClient;
  let file: KeyFile;

  before(async () => {
    ({ world, user, google } = await startGoogle());
    file = (await createKey({})).keyFile;
  });
  after(() => world.close());

  async function createKey(options: object) {
    const createdKey = await createGoogleKey(world.server.service.context, { user, name: 'Reports', ...options });
    assert.ok(!isRefusal(createdKey));
    return createdKey;
  }

  const createAnonymousClient = () => new GoogleClient(world.server.address, '');
  const requestToken = (parameters: Readonly<Record<string, string>>) =>
    createAnonymousClient().request('POST', '/token', new URLSearchParams(parameters).toString(), {
      'content-type': 'application/x-www-form-urlencoded',
    });
  const exchangeAssertion = (assertion: string) => requestToken({ grant_type: GRANT, assertion });

  it("have the format of Google's key files", () => {
    assert.equal(file.type, 'service_account');
    assert.match(file.client_email, /^reports-[0-9a-f]{8}@cellwire\.iam\.gserviceaccount\.com$/);
    assert.match(file.token_uri, /\/google\/token$/);
    assert.match(file.private_key, /^-----BEGIN PRIVATE KEY-----/);
  });

  it('can be exchanged for access tokens that act as their user within the requested scopes', async () => {
    const { status, body } = await exchangeAssertion(createJwt(file));
    assert.deepEqual([status, body['token_type']], [200, 'Bearer']);
    const caller = new GoogleClient(world.server.address, String(body['access_token']));
    const id = await caller.create('By a key');
    assert.equal((await google.getSpreadsheet(id).get('A1')).status, 200);
    assert.equal((await caller.getSpreadsheet(id).put('A1', [[1]])).status, 200);
    const entries = (await world.apiFor(google.token, id).listAuditEntries())['entries'];
    assert.deepEqual([memberAt(entries, 0)['origin'], memberAt(entries, 0)['token']], ['google', 'Reports']);
    const refused = await caller.request('DELETE', `/drive/v3/files/${id}`);
    assert.deepEqual(
      [refused.status, readErrorMessage(refused)],
      [403, 'Request had insufficient authentication scopes.'],
    );
    const wide = await exchangeAssertion(createJwt(file, { claims: { scope: `${SPREADSHEETS} ${DRIVE}` } }));
    const owner = new GoogleClient(world.server.address, String(wide.body['access_token']));
    assert.equal((await owner.request('DELETE', `/drive/v3/files/${id}`)).status, 204);
  });

  it('can be exchanged repeatedly, also with a JSON body', async () => {
    const assertion = createJwt(file);
    assert.equal((await exchangeAssertion(assertion)).status, 200);
    const { status } = await createAnonymousClient().request('POST', '/oauth2/v4/token', {
      grant_type: GRANT,
      assertion,
    });
    assert.equal(status, 200);
  });

  it('can be exchanged with an assertion whose parts are padded', async () => {
    // Parts of different lengths need different padding.
    for (const extra of ['', 'a', 'aa', 'aaa']) {
      const { status } = await exchangeAssertion(createJwt(file, { claims: { extra }, isPadded: true }));
      assert.equal(status, 200);
    }
  });

  it('can be exchanged for the scope of the API before v4, which grants reading and writing', async () => {
    const scope = 'https://spreadsheets.google.com/feeds';
    const { body } = await exchangeAssertion(createJwt(file, { claims: { scope } }));
    const caller = new GoogleClient(world.server.address, String(body['access_token']));
    const book = await caller.createSpreadsheet();
    assert.equal((await book.put('A1', [[1]])).status, 200);
    assert.equal((await caller.request('DELETE', `/drive/v3/files/${book.id}`)).status, 403);
  });

  it('are refused with another algorithm, signer, audience, lifetime or time', async () => {
    const now = Math.floor(Date.now() / 1000);
    const other = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const content = `${encodePart({ alg: 'none' })}.${encodePart({ iss: file.client_email, aud: AUDIENCE, iat: now, exp: now + 60 })}`;
    const invalidAssertions: Readonly<Record<string, string>> = {
      'no algorithm': `${content}.`,
      'a symmetric algorithm': createJwt(file, { header: { alg: 'HS256' } }),
      'another signer': createJwt(file, { key: other.privateKey }),
      'another key id': createJwt(file, { header: { kid: 'x' } }),
      'another audience': createJwt(file, { claims: { aud: 'https://evil.example/google/token' } }),
      'no audience': createJwt(file, { claims: { aud: undefined } }),
      'a long life': createJwt(file, { claims: { exp: now + 3_700 } }),
      'an end in the past': createJwt(file, { claims: { iat: now - 4_000, exp: now - 400 } }),
      'a beginning in the future': createJwt(file, { claims: { iat: now + 400, exp: now + 500 } }),
      'no times': createJwt(file, { claims: { iat: undefined } }),
      'somebody else': createJwt(file, { claims: { iss: 'x@example.com' } }),
      'another subject': createJwt(file, { claims: { sub: 'ceo@example.com' } }),
      'no JWT': 'abc',
    };
    for (const [what, assertion] of Object.entries(invalidAssertions)) {
      const { status, body, headers } = await exchangeAssertion(assertion);
      assert.deepEqual([status, body['error'], what], [400, 'invalid_grant', what]);
      assert.match(String(headers.get('content-type')), /^application\/json/);
    }
    assert.equal((await requestToken({ grant_type: 'password' })).body['error'], 'unsupported_grant_type');
    assert.equal(
      (await exchangeAssertion(createJwt(file, { claims: { scope: 'https://www.googleapis.com/auth/gmail' } }))).body[
        'error'
      ],
      'invalid_scope',
    );
  });

  it('can sign a JWT that works as an access token', async () => {
    const id = await google.create();
    const selfSigned = createJwt(file, {
      claims: { aud: 'https://sheets.googleapis.com/', scope: undefined, sub: file.client_email },
    });
    assert.equal((await new GoogleClient(world.server.address, selfSigned).getSpreadsheet(id).get('A1')).status, 200);
    const scopedJwt = createJwt(file, { claims: { aud: undefined, scope: `${SPREADSHEETS}.readonly` } });
    const reader = new GoogleClient(world.server.address, scopedJwt).getSpreadsheet(id);
    assert.equal((await reader.get('A1')).status, 200);
    assert.equal((await reader.put('A1', [[1]])).status, 403);
    const foreignAudience = createJwt(file, { claims: { aud: 'https://example.com/' } });
    assert.equal(
      (await new GoogleClient(world.server.address, foreignAudience).getSpreadsheet(id).get('A1')).status,
      401,
    );
  });

  it('can be limited to reading', async () => {
    const id = await google.create();
    const { keyFile } = await createKey({ readOnly: true });
    const { body } = await exchangeAssertion(createJwt(keyFile));
    const reader = new GoogleClient(world.server.address, String(body['access_token'])).getSpreadsheet(id);
    assert.equal((await reader.get('A1')).status, 200);
    assert.equal((await reader.put('A1', [[1]])).status, 403);
  });

  it('stop working on every node at once when they are revoked, with their access tokens', async () => {
    const id = await google.create();
    const { keyFile, id: key } = await createKey({});
    const access = String((await exchangeAssertion(createJwt(keyFile))).body['access_token']);
    const signed = createJwt(keyFile, { claims: { aud: 'https://sheets.googleapis.com/', scope: undefined } });
    const secondService = await world.startSecondService();
    try {
      const nodes = [world.server.address, secondService.address];
      const readStatuses = () =>
        Promise.all(
          nodes.flatMap((node) =>
            [access, signed].map(
              async (token) => (await new GoogleClient(node, token).getSpreadsheet(id).get('A1')).status,
            ),
          ),
        );
      assert.deepEqual(await readStatuses(), [200, 200, 200, 200]);
      assert.ok(!isRefusal(await revokeGoogleKey(world.server.service.context, key)));
      assert.deepEqual(await readStatuses(), [401, 401, 401, 401]);
      assert.equal((await exchangeAssertion(createJwt(keyFile))).body['error'], 'invalid_grant');
    } finally {
      await secondService.close();
    }
  });

  it('are refused if the stored key or its token is damaged, and so are access tokens of a damaged token', async () => {
    const { database } = world.server.service.context;
    for (const [table, column, key] of [
      ['google_keys', 'public_key', 'token_id'],
      ['tokens', 'scopes', 'id'],
    ] as const) {
      const { id, keyFile } = await createKey({});
      const { body } = await exchangeAssertion(createJwt(keyFile));
      const caller = new GoogleClient(world.server.address, String(body['access_token']));
      assert.equal((await caller.request('GET', '/drive/v3/files')).status, 200);
      const row = (await readRows(database, table)).find((one) => one[key] === id);
      assert.ok(row !== undefined);
      await damageColumn(database, table, row, column);
      await database.write({ document: null, statements: [bumpAccessEpoch({})] });
      const refused = await exchangeAssertion(createJwt(keyFile));
      assert.deepEqual(
        [refused.status, refused.body['error_description']],
        [400, 'Invalid grant: the account is damaged in the database'],
      );
      assert.equal((await caller.request('GET', '/drive/v3/files')).status, table === 'tokens' ? 401 : 200);
    }
    assert.equal((await exchangeAssertion(createJwt(file))).status, 200);
  });

  it('receive a share for their user by their email address', async () => {
    const other = await world.createUser();
    const otherUser = new GoogleClient(world.server.address, await world.createToken(other.id));
    const id = await otherUser.create();
    assert.equal((await google.getSpreadsheet(id).get('A1')).status, 403);
    const permission = { type: 'user', role: 'writer', emailAddress: file.client_email };
    assert.equal((await otherUser.request('POST', `/drive/v3/files/${id}/permissions`, permission)).status, 200);
    assert.equal((await google.getSpreadsheet(id).put('A1', [[1]])).status, 200);
  });
});

describe('callers of the Google-compatible API', () => {
  let world: World;
  let google: GoogleClient;

  before(async () => {
    ({ world, google } = await startGoogle());
  });
  after(() => world.close());

  it('receive 401 without a token, and can read but not write with a token in the URL', async () => {
    const id = await google.create();
    const anonymousClient = new GoogleClient(world.server.address, '');
    assert.equal((await anonymousClient.getSpreadsheet(id).get('A1')).status, 401);
    assert.equal((await anonymousClient.getSpreadsheet(id).get('A1', `?key=${google.token}`)).status, 200);
    assert.equal((await anonymousClient.getSpreadsheet(id).get('A1', `?access_token=${google.token}`)).status, 200);
    const write = `/values/A1?valueInputOption=RAW&key=${google.token}`;
    const refused = await anonymousClient.getSpreadsheet(id).request('PUT', write, { values: [[1]] });
    assert.deepEqual([refused.status, memberAt(refused.body, 'error')['status']], [401, 'UNAUTHENTICATED']);
  });

  it('receive 400 with the reason for a read with an unknown API key, and 401 for a write', async () => {
    const id = await google.create();
    const anonymousClient = new GoogleClient(world.server.address, '');
    const message = 'API key not valid. Please pass a valid API key.';
    const describeReason = (service: string) => ({
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'API_KEY_INVALID',
      domain: 'googleapis.com',
      metadata: { service },
    });
    const unknownToken = `${google.token.slice(0, -4)}0000`;
    for (const key of ['AIzaSyUnknownKeyOfAnotherProject0123456', unknownToken]) {
      const read = await anonymousClient.getSpreadsheet(id).get('A1', `?key=${key}`);
      assert.equal(read.status, 400);
      const details = [describeReason('sheets.googleapis.com')];
      assert.deepEqual(read.body, { error: { code: 400, message, status: 'INVALID_ARGUMENT', details } });
      const listed = await anonymousClient.request('GET', `/drive/v3/files?key=${key}`);
      assert.equal(listed.status, 400);
      assert.deepEqual(memberAt(listed.body, 'error'), {
        code: 400,
        message,
        errors: [{ domain: 'global', reason: 'badRequest', message }],
        status: 'INVALID_ARGUMENT',
        details: [describeReason('drive.googleapis.com')],
      });
      const write = `/values/A1?valueInputOption=RAW&key=${key}`;
      assert.equal((await anonymousClient.getSpreadsheet(id).request('PUT', write, { values: [[1]] })).status, 401);
    }
    assert.equal((await anonymousClient.getSpreadsheet(id).get('A1', '?access_token=unknown')).status, 401);
    assert.equal((await google.getSpreadsheet(id).get('A1', '?key=unknown')).status, 200);
  });

  it('receive 403 for documents of other users, and 404 for documents that do not exist', async () => {
    const other = await world.createUser();
    const id = await google.create();
    const stranger = new GoogleClient(world.server.address, await world.createToken(other.id));
    const closed = await stranger.getSpreadsheet(id).get('A1');
    assert.deepEqual([closed.status, readErrorMessage(closed)], [403, 'The caller does not have permission']);
    const absent = await stranger.getSpreadsheet('1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms').get('A1');
    assert.deepEqual([absent.status, readErrorMessage(absent)], [404, 'Requested entity was not found.']);
  });

  it('cannot see a hidden sheet', async () => {
    const id = await google.create();
    await google.getSpreadsheet(id).put('A1', [['secret']]);
    const { api } = await world.addMember(id, 'edit');
    await world.protect(id, 'Sheet1', { hideValues: true, lock: true });
    const member = new GoogleClient(world.server.address, api.token).getSpreadsheet(id);
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

  it('cannot rearrange the cells of a hidden sheet', async () => {
    const id = await google.create();
    const owned = google.getSpreadsheet(id);
    await owned.put('A1', [[10], [20], [30]]);
    const { api } = await world.addMember(id, 'edit');
    await api.addSheet('Visible');
    await owned.put('Visible!A1', [['=SUM(Sheet1!A2:A3)']]);
    await world.protect(id, 'Sheet1', { hideValues: true });
    const member = new GoogleClient(world.server.address, api.token).getSpreadsheet(id);
    const visible = await member.read('sheets.properties');
    const { sheetId: visibleSheet } = memberAt(visible, 'sheets', 1)['properties'] as never;
    const rows = { sheetId: 0, dimension: 'ROWS', startIndex: 1, endIndex: 2 };
    const range = { sheetId: 0, startRowIndex: 1, endRowIndex: 2, startColumnIndex: 0, endColumnIndex: 1 };
    const requests: readonly Readonly<Record<string, object>>[] = [
      { insertDimension: { range: rows } },
      { deleteDimension: { range: rows } },
      { moveDimension: { source: rows, destinationIndex: 5 } },
      { insertRange: { range, shiftDimension: 'ROWS' } },
      { deleteRange: { range, shiftDimension: 'ROWS' } },
      { sortRange: { range, sortSpecs: [{ dimensionIndex: 0 }] } },
      { deleteDuplicates: { range } },
      { duplicateSheet: { sourceSheetId: 0 } },
      { cutPaste: { source: range, destination: { sheetId: visibleSheet, rowIndex: 5, columnIndex: 0 } } },
      {
        cutPaste: {
          source: { ...range, sheetId: visibleSheet },
          destination: { sheetId: 0, rowIndex: 1, columnIndex: 0 },
        },
      },
      {
        updateSheetProperties: {
          properties: { sheetId: 0, gridProperties: { rowCount: 2 } },
          fields: 'gridProperties.rowCount',
        },
      },
    ];
    for (const request of requests) {
      const { status } = await member.batch(request);
      assert.equal(status, 403, JSON.stringify(request));
    }
    assert.deepEqual(memberAt((await member.get('Visible!A1')).body, 'values'), [['50']]);
    const cell = { userEnteredValue: { formulaValue: '=1+1' } };
    const blind = await member.batch({ repeatCell: { range, cell, fields: 'userEnteredValue' } });
    assert.equal(blind.status, 200);
  });

  it('do not see the developer metadata of a hidden sheet', async () => {
    const id = await google.create();
    const owned = google.getSpreadsheet(id);
    await world.apiFor(google.token, id).addSheet('Secret');
    const { sheetId } = memberAt(await owned.read('sheets.properties.sheetId'), 'sheets', 1)['properties'] as never;
    const places = [
      { sheetId },
      { dimensionRange: { sheetId, dimension: 'ROWS', startIndex: 1, endIndex: 2 } },
      { spreadsheet: true },
    ];
    const metadata = places.map((location, i) => ({
      ...{ metadataId: i + 1, metadataKey: 'kind', metadataValue: `value ${i + 1}`, visibility: 'DOCUMENT', location },
    }));
    await owned.readReplies(
      ...metadata.map((developerMetadata) => ({ createDeveloperMetadata: { developerMetadata } })),
    );
    const { api } = await world.addMember(id, 'edit');
    await world.protect(id, 'Secret', { hideValues: true });
    const member = new GoogleClient(world.server.address, api.token).getSpreadsheet(id);
    const everything = { developerMetadataLookup: { metadataKey: 'kind' } };
    const dataFilters = [everything];
    const readValues = async (answer: Promise<{ readonly body: unknown }>) =>
      [...JSON.stringify((await answer).body).matchAll(/value \d/g)].map(String);

    for (const metadataId of [1, 2]) {
      assert.equal((await member.request('GET', `/developerMetadata/${metadataId}`)).status, 404);
    }
    assert.deepEqual(await readValues(member.request('POST', '/developerMetadata:search', { dataFilters })), [
      'value 3',
    ]);
    assert.deepEqual(await readValues(member.request('GET', '?fields=*')), ['value 3']);
    const read = await member.request('POST', '/values:batchGetByDataFilter', { dataFilters });
    assert.deepEqual([read.status, read.body['valueRanges']], [200, undefined]);
    const clear = await member.request('POST', '/values:batchClearByDataFilter', { dataFilters });
    assert.deepEqual([clear.status, clear.body['clearedRanges']], [200, undefined]);
    const developerMetadata = { visibility: 'PROJECT' };
    const update = { dataFilters, developerMetadata, fields: 'visibility' };
    assert.deepEqual(await readValues(member.batch({ updateDeveloperMetadata: update })), ['value 3']);
    assert.deepEqual(await readValues(member.batch({ deleteDeveloperMetadata: { dataFilter: everything } })), [
      'value 3',
    ]);
    const kept = await readValues(owned.request('POST', '/developerMetadata:search', { dataFilters }));
    assert.deepEqual(kept, ['value 1', 'value 2']);
  });

  it('cannot change the structure if their plan forbids it', async () => {
    const user = await world.createUser('standard');
    const caller = new GoogleClient(world.server.address, await world.createToken(user.id));
    const book = caller.getSpreadsheet(await caller.create());
    assert.equal((await book.put('A1', [[1]])).status, 200);
    assert.equal((await book.batch({ addSheet: {} })).status, 403);
  });
});
