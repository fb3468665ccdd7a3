import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { setAlias } from '../../src/service/google/aliases.ts';
import { isRefusal } from '../../src/service/refusal.ts';
import { createProposingToken } from '../http/proposals-support.ts';
import { memberAt } from '../http/support.ts';
import { createGridRange, GoogleClient, readErrorMessage, startGoogle, startWorld, type World } from './support.ts';

const TYPE = 'application/vnd.google-apps.spreadsheet';

describe('files of the Google-compatible Drive API', () => {
  let world: World;
  let user: string;
  let google: GoogleClient;
  before(async () => {
    ({ world, user, google } = await startGoogle());
  });
  after(() => world.close());

  const create = async (name: string) =>
    String(
      (await google.request('POST', '/drive/v3/files?supportsAllDrives=True', { name, mimeType: TYPE })).body['id'],
    );

  it('can be created, read, renamed, copied and deleted', async () => {
    const created = await google.request('POST', '/drive/v3/files', { name: 'Plan', mimeType: TYPE, parents: null });
    assert.deepEqual(Object.keys(created.body), ['kind', 'id', 'name', 'mimeType']);
    const id = String(created.body['id']);
    const read = await google.request('GET', `/drive/v3/files/${id}?fields=name,createdTime,owners(emailAddress)`);
    assert.match(String(read.body['createdTime']), /^\d{4}-\d\d-\d\dT/);
    assert.equal((await google.request('PATCH', `/drive/v3/files/${id}`, { name: 'Plan 2' })).body['name'], 'Plan 2');
    const copy = await google.request('POST', `/drive/v3/files/${id}/copy`, {});
    assert.equal(copy.body['name'], 'Copy of Plan 2');
    const deleted = await google.request('DELETE', `/drive/v3/files/${id}`);
    assert.deepEqual([deleted.status, deleted.body], [204, '']);
    const after = await google.request('GET', `/drive/v3/files/${id}`);
    assert.deepEqual(after.body['error'], {
      code: 404,
      message: `File not found: ${id}.`,
      errors: [
        {
          domain: 'global',
          reason: 'notFound',
          message: `File not found: ${id}.`,
          location: 'fileId',
          locationType: 'parameter',
        },
      ],
    });
  });

  it('are moved to the trash by their owner only', async () => {
    const id = await google.create('Old');
    const { api } = await world.addMember(id, 'edit');
    const member = new GoogleClient(world.server.address, api.token);
    assert.equal((await member.request('PATCH', `/drive/v3/files/${id}`, { trashed: true })).status, 403);
    const kept = await google.request('PATCH', `/drive/v3/files/${id}?fields=trashed`, { trashed: false });
    assert.deepEqual(kept.body, { trashed: false });
    const trashed = await google.request('PATCH', `/drive/v3/files/${id}?fields=trashed`, { trashed: true });
    assert.deepEqual(trashed.body, { trashed: true });
    assert.equal((await google.request('GET', `/drive/v3/files/${id}`)).status, 404);
  });

  it('are not shared for a limited time', async () => {
    const id = await google.create();
    const { id: user } = await world.createUser();
    const permission = { type: 'anyone', role: 'reader', expirationTime: '2030-01-01T00:00:00Z' };
    assert.equal((await google.request('POST', `/drive/v3/files/${id}/permissions`, permission)).status, 400);
    await world.share(id, user, 'view');
    const path = `/drive/v3/files/${id}/permissions/${user}`;
    const { role, expirationTime } = permission;
    assert.equal((await google.request('PATCH', path, { role, expirationTime })).status, 400);
    assert.equal((await google.request('PATCH', path, { role, expirationTime: null })).status, 200);
  });

  it('can be listed by name, by type and in pages', async () => {
    const ids = [await create("Anna's list"), await create('Other')];
    const list = async (query: Readonly<Record<string, string>>) =>
      (await google.request('GET', `/drive/v3/files?${new URLSearchParams(query)}`)).body;
    const matching = await list({ q: `name = 'Anna\\'s list' and mimeType="${TYPE}" and trashed=false` });
    assert.deepEqual(matching['files'] as unknown, [
      { kind: 'drive#file', id: ids[0], name: "Anna's list", mimeType: TYPE },
    ]);
    const pages: string[] = [];
    for (let pageToken = ''; ; ) {
      const page = await list({ pageSize: '1', pageToken, orderBy: 'name', fields: 'nextPageToken,files(name)' });
      pages.push(String(memberAt(page, 'files', 0)['name']));
      if (page['nextPageToken'] === undefined) break;
      pageToken = String(page['nextPageToken']);
    }
    assert.ok(pages.indexOf("Anna's list") < pages.indexOf('Other'));
    for (const q of ['name =', 'nope = 1', "name = 'a' and", '((((']) {
      assert.equal((await google.request('GET', `/drive/v3/files?q=${encodeURIComponent(q)}`)).status, 400, q);
    }
  });

  it('can be exported with formatted values, and replaced by an upload', async () => {
    const id = await create('Table');
    await google.getSpreadsheet(id).put('A1', [
      ['a,b', '2,000'],
      ['c', '50%'],
    ]);
    const exportResponse = await google.request('GET', `/drive/v3/files/${id}/export?mimeType=text/csv`);
    assert.equal(exportResponse.body as unknown, '"a,b","2,000"\r\nc,50%');
    const uploaded = await google.request(
      'PUT',
      `/upload/drive/v2/files/${id}?uploadType=media`,
      'x,0042\r\n"y ""z""",',
      {
        'content-type': 'text/csv',
      },
    );
    assert.deepEqual(uploaded.body, { kind: 'drive#file', id, title: 'Table', mimeType: TYPE });
    const [sheet] = (await google.getSpreadsheet(id).read('sheets.properties'))['sheets'] as unknown as [
      { readonly properties: { readonly title: string; readonly sheetId: number } },
    ];
    assert.equal(sheet.properties.title, 'Table');
    assert.notEqual(sheet.properties.sheetId, 0);
    assert.deepEqual(await google.getSpreadsheet(id).readValues('Table'), [['x', '42'], ['y "z"']]);
  });

  it('can be created by an upload with metadata', async () => {
    const body =
      '--b\r\nContent-Type: application/json\r\n\r\n{"name":"Sent"}\r\n--b\r\nContent-Type: text/csv\r\n\r\n1,2\r\n--b--';
    const created = await google.request('POST', '/upload/drive/v3/files?uploadType=multipart', body, {
      'content-type': 'multipart/related; boundary=b',
    });
    assert.equal(created.body['name'], 'Sent');
    assert.deepEqual(await google.getSpreadsheet(String(created.body['id'])).readValues('Sent'), [['1', '2']]);
  });

  it('can be read but not changed with a token whose writes need consent', async () => {
    const id = await create('Consent');
    await google.getSpreadsheet(id).put('A1', [['kept']]);
    const { token } = await createProposingToken(world, user, id);
    const agent = new GoogleClient(world.server.address, token);
    const writes = [
      agent.getSpreadsheet(id).put('A1', [['changed']]),
      agent.getSpreadsheet(id).append('A1', [['added']]),
      agent.getSpreadsheet(id).batch({ addSheet: {} }),
      agent.request('PATCH', `/drive/v3/files/${id}`, { name: 'Other' }),
      agent.request('POST', `/drive/v3/files/${id}/copy`, {}),
      agent.request('DELETE', `/drive/v3/files/${id}`),
      agent.request('POST', '/v4/spreadsheets', {}),
    ];
    for (const answer of await Promise.all(writes)) {
      assert.deepEqual([answer.status, readErrorMessage(answer)], [403, 'Writes of this token need consent']);
    }
    assert.deepEqual(await agent.getSpreadsheet(id).readValues('A1:A9'), [['kept']]);
  });

  it('uses a folder that the next start clears when it processes .xlsx files', async () => {
    const id = await create('Excel');
    await google.getSpreadsheet(id).put('A1', [['a', 2]]);
    const headers = { authorization: `Bearer ${google.token}` };
    const { address } = world.server;
    const exportResponse = await fetch(`${address}/google/spreadsheets/d/${id}/export?format=xlsx`, { headers });
    const bytes = await exportResponse.arrayBuffer();
    const uploaded = await fetch(`${address}/google/upload/drive/v3/files?uploadType=media`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' },
      body: bytes,
    });
    const created = (await uploaded.json()) as { readonly id: string };
    assert.deepEqual(await google.getSpreadsheet(created.id).readValues('Sheet1'), [['a', '2']]);
    const folders = (await readdir(tmpdir())).filter((name) => name.includes(`-${process.pid}-`));
    assert.ok(folders.some((name) => name.startsWith('cellwire-transient-')));
  });

  it('can be opened by an alias, and answers contain the real id', async () => {
    const alias = '1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms';
    const id = await create('Aliased');
    const { context } = world.server.service;
    assert.ok(!isRefusal(await setAlias(context, { alias, document: id })));
    const { body } = await google.getSpreadsheet(alias).request('GET', '?fields=spreadsheetId');
    assert.deepEqual(body, { spreadsheetId: id });
    assert.ok(isRefusal(await setAlias(context, { alias, document: id })));
    assert.ok(isRefusal(await setAlias(context, { alias: 'short', document: id })));
    assert.ok(isRefusal(await setAlias(context, { alias: id, document: id })));
    await google.request('DELETE', `/drive/v3/files/${id}`);
    assert.equal((await google.getSpreadsheet(alias).get('A1')).status, 404);
  });

  it('can be shared by their owner', async () => {
    const id = await create('Shared');
    const other = await world.createUser();
    const shared = await google.request('POST', `/drive/v3/files/${id}/permissions`, {
      type: 'user',
      role: 'reader',
      emailAddress: `${other.name.toLowerCase().replace(' ', '')}@example.org`,
    });
    assert.deepEqual([shared.status, shared.body['role'], shared.body['id']], [200, 'reader', other.id]);
    const writer = await google.request('PATCH', `/drive/v3/files/${id}/permissions/${other.id}`, { role: 'writer' });
    assert.equal(writer.body['role'], 'writer');
    const listed = await google.request('GET', `/drive/v3/files/${id}/permissions`);
    assert.deepEqual(memberAt(listed.body, 'permissions', 0)['role'], 'owner');
    assert.equal((await google.request('DELETE', `/drive/v3/files/${id}/permissions/${other.id}`)).status, 204);
    assert.deepEqual((await google.request('GET', `/drive/v3/files/${id}/comments`)).body['comments'] as unknown, []);
  });

  it('can be shared with every user who knows the id', async () => {
    const id = await create('Open');
    await google.getSpreadsheet(id).put('Sheet1!A1', [['a']]);
    const stranger = await world.createUser();
    const api = world.apiFor(await world.createToken(stranger.id), id);
    const other = new GoogleClient(world.server.address, api.token);
    const permissions = `/drive/v3/files/${id}/permissions`;
    assert.equal((await other.getSpreadsheet(id).get('A1')).status, 403);

    const created = await google.request('POST', permissions, { type: 'anyone', role: 'reader' });
    assert.deepEqual(
      [created.status, created.body as unknown],
      [200, { kind: 'drive#permission', id: 'anyoneWithLink', type: 'anyone', role: 'reader' }],
    );
    assert.deepEqual(await other.getSpreadsheet(id).readValues('A1'), [['a']]);
    assert.equal((await api.get('A1')).status, 200);
    assert.equal((await other.getSpreadsheet(id).put('A1', [['b']])).status, 403);
    assert.equal((await new GoogleClient(world.server.address, 'none').getSpreadsheet(id).get('A1')).status, 401);
    const listedDocuments = (await api.request('GET', '/documents')).body['documents'] as unknown as readonly {
      id: string;
    }[];
    assert.ok(!listedDocuments.some((document) => document.id === id), 'lists show what is shared with the user alone');

    await google.request('PATCH', `${permissions}/anyoneWithLink`, { role: 'writer' });
    assert.equal((await other.getSpreadsheet(id).put('A1', [['b']])).status, 200);
    const listed = (await google.request('GET', permissions)).body['permissions'] as unknown as { id: string }[];
    assert.deepEqual(listed.map((permission) => permission.id).slice(1), ['anyoneWithLink']);
    assert.equal((await other.request('GET', permissions)).status, 403, 'the owner alone shares');
    assert.equal((await google.request('DELETE', `${permissions}/anyoneWithLink`)).status, 204);
    assert.equal((await other.getSpreadsheet(id).get('A1')).status, 403);
    assert.equal((await google.request('DELETE', `${permissions}/anyoneWithLink`)).status, 404);
  });

  it('keeps hidden sheets hidden and individual roles effective in a file shared with everyone', async () => {
    const id = await create('Open');
    await google.getSpreadsheet(id).put('Sheet1!A1', [['secret']]);
    const namedMember = await world.addMember(id, 'edit');
    await world.protect(id, 'Sheet1', { hideValues: true, lock: true, allow: [namedMember.id] });
    await google.request('POST', `/drive/v3/files/${id}/permissions`, { type: 'anyone', role: 'reader' });
    const member = new GoogleClient(world.server.address, namedMember.api.token);
    assert.equal(
      (await member.getSpreadsheet(id).put('A1', [['seen']])).status,
      200,
      'the user’s own share still counts',
    );
    const stranger = new GoogleClient(world.server.address, await world.createToken((await world.createUser()).id));
    assert.equal((await stranger.getSpreadsheet(id).get('A1')).status, 403);
    await google.request('DELETE', `/drive/v3/files/${id}/permissions/${namedMember.id}`);
    assert.equal(
      (await member.getSpreadsheet(id).get('A1')).status,
      403,
      'protection names the users with whom it is shared',
    );
  });

  it('calculates between the requests of a batch with the rights of their sender', async () => {
    const id = await create('Rights');
    await google.getSpreadsheet(id).readReplies({ addSheet: { properties: { title: 'Secret' } } });
    await google.getSpreadsheet(id).put('Secret!A1', [['secret 4711']]);
    const { api } = await world.addMember(id, 'edit');
    await world.protect(id, 'Secret', { hideValues: true, allow: [] });
    const book = new GoogleClient(world.server.address, api.token).getSpreadsheet(id);
    const area = createGridRange(0, 1, 0, 1);
    const { status, body } = await book.batch(
      {
        updateCells: {
          range: area,
          rows: [{ values: [{ userEnteredValue: { formulaValue: '=Secret!A1' } }] }],
          fields: 'userEnteredValue',
        },
      },
      { textToColumns: { source: area, delimiterType: 'SPACE' } },
    );
    const values = JSON.stringify(await book.readValues('Sheet1!A1:C1'));
    assert.deepEqual([status, `${JSON.stringify(body)}${values}`.includes('4711')], [403, false]);
  });

  it('cannot be shared with everyone if the operator forbids it', async () => {
    const strictWorld = await startWorld({ linkSharing: false });
    try {
      const { id: user } = await strictWorld.createUser();
      const owner = new GoogleClient(strictWorld.server.address, await strictWorld.createToken(user));
      const id = await owner.create();
      const refused = await owner.request('POST', `/drive/v3/files/${id}/permissions`, {
        type: 'anyone',
        role: 'reader',
      });
      assert.equal(refused.status, 403);
    } finally {
      await strictWorld.close();
    }
  });

  it('can be exported from spreadsheetUrl, as .csv and .tsv', async () => {
    const id = await create('Export');
    await google.getSpreadsheet(id).put('Sheet1!A1:B2', [
      ['a', 'b,c'],
      ['x\ty', 2],
    ]);
    const { spreadsheetUrl } = (await google.getSpreadsheet(id).read('spreadsheetUrl')) as unknown as {
      spreadsheetUrl: string;
    };
    const exportFile = async (query: string, headers: Readonly<Record<string, string>>) => {
      const answer = await fetch(`${spreadsheetUrl}?id=${id}&${query}`, { headers });
      return [answer.status, answer.headers.get('content-type')?.split(';')[0], await answer.text()] as const;
    };
    const authorization = `Bearer ${google.token}`;
    assert.deepEqual(await exportFile('format=csv&gid=0', { authorization }), [200, 'text/csv', 'a,"b,c"\r\nx\ty,2']);
    assert.deepEqual(await exportFile('format=tsv&gid=0', { authorization }), [
      200,
      'text/tab-separated-values',
      'a\tb,c\r\nx y\t2',
    ]);
    assert.equal((await exportFile('format=ods', { authorization }))[0], 400);
    assert.equal((await exportFile('format=csv', { authorization: 'Bearer none' }))[0], 401);
    const [status, type] = await exportFile('format=csv', {});
    assert.deepEqual([status, type], [200, 'text/html'], 'a browser sees the page');
  });
});
