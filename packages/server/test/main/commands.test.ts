import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { createRelationships, createSingleSheetParts, readPart, writeZip } from '../../../files/test/workbook-files.ts';
import { WITH_FOLDER } from '../../../store/test/postgres/folder-databases.ts';
import { createInstallation, type Installation, type Json } from './support.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

suite('the command line', { concurrency: false }, () => {
  let cellwire: Installation;
  let anna: Json;
  let document: Json;

  before(async () => {
    cellwire = await createInstallation();
    anna = await cellwire.runForJson('user', 'create', '--email', 'anna@example.com', '--name', 'Anna Berg');
    document = await cellwire.runForJson('document', 'create', '--owner', 'anna@example.com', '--title', 'Orders');
  });
  after(() => cellwire.remove());

  test('creates a user with the plan enterprise, a workspace and a generated password', async () => {
    assert.deepEqual(Object.keys(anna), ['id', 'email', 'name', 'workspaceId', 'password']);
    assert.equal(anna.email, 'anna@example.com');
    assert.match(anna.password, /^\S{12,}$/);
    const { users } = await cellwire.runForJson('user', 'list');
    const { createdAt, ...row } = users[0];
    assert.deepEqual(row, {
      id: anna.id,
      email: 'anna@example.com',
      name: 'Anna Berg',
      workspaceId: anna.workspaceId,
      workspace: 'Anna Berg',
      plan: 'enterprise',
      disabled: false,
      lastSignInAt: null,
    });
    assert.ok(!Number.isNaN(Date.parse(createdAt)));
  });

  test('accepts plan, workspace and password', async () => {
    const options = ['--email', 'ben@example.com', '--name', 'Ben', '--workspace', 'Roasters', '--plan', 'free'];
    const ben = await cellwire.runForJson('user', 'create', ...options, '--password', 'long enough');
    assert.equal(ben.password, 'long enough');
    const { users } = await cellwire.runForJson('user', 'list');
    const row = users.find((user: Json) => user.id === ben.id);
    assert.deepEqual([row.workspace, row.plan], ['Roasters', 'free']);
    assert.deepEqual(await cellwire.runForJson('user', 'plan', '--user', String(ben.id), '--plan', 'standard'), {
      id: ben.id,
      plan: 'standard',
    });
  });

  test('resets a password, and disables and enables a user', async () => {
    const reset = await cellwire.runForJson('user', 'password', '--user', 'ben@example.com');
    assert.match(reset.password, /^\S{12,}$/);
    const passwordOption = ['--password', 'as agreed upon'];
    const { id, password } = await cellwire.runForJson(
      'user',
      'password',
      '--user',
      'ben@example.com',
      ...passwordOption,
    );
    assert.deepEqual([id, password], [reset.id, 'as agreed upon']);
    assert.deepEqual(await cellwire.runForJson('user', 'disable', '--user', 'ben@example.com'), { id, disabled: true });
    assert.deepEqual(await cellwire.runForJson('user', 'enable', '--user', 'ben@example.com'), { id, disabled: false });
    const short = await cellwire.runCommand('user', 'password', '--user', 'ben@example.com', '--password', 'short');
    assert.equal(short.code, 1);
    assert.match(short.stderr, /8 to 256 characters/);
  });

  test('creates, lists and revokes tokens; a list has no secrets', async () => {
    const expiresAt = '2099-01-01T00:00:00.000Z';
    const options = ['--user', 'ANNA@example.com', '--name', 'import', '--scopes', 'sheets.write,sheets.read'];
    const limits = ['--documents', document.id, '--expires-at', expiresAt];
    const { id, token, ...rest } = await cellwire.runForJson('token', 'create', ...options, ...limits);
    assert.deepEqual(rest, {
      name: 'import',
      scopes: ['sheets.read', 'sheets.write'],
      documents: [document.id],
      expiresAt,
    });
    const list = await cellwire.runForJson('token', 'list', '--user', 'anna@example.com');
    assert.deepEqual([list.tokens[0].id, list.tokens[0].revokedAt], [id, null]);
    assert.ok(!JSON.stringify(list).includes(token));
    const revoked = await cellwire.runForJson('token', 'revoke', '--id', String(id));
    assert.equal(revoked.id, id);
    const secondUndo = await cellwire.runForJson('token', 'list', '--user', String(anna.id));
    assert.equal(secondUndo.tokens[0].revokedAt, revoked.revokedAt);
  });

  test('copies a document for its owner or for another user', async () => {
    const { id, ...rest } = document;
    const copy = await cellwire.runForJson('document', 'copy', '--document', id);
    assert.match(copy.id, UUID);
    assert.deepEqual({ ...copy, id }, { ...rest, id, title: 'Copy of Orders' });
    const options = ['--document', id, '--title', 'Mine', '--owner', '1'];
    const copyForOther = await cellwire.runForJson('document', 'copy', ...options);
    assert.equal(copyForOther.title, 'Mine');
    const listOwned = async (owner: string) =>
      (await cellwire.runForJson('document', 'list', '--owner', owner)).documents.map((one: { id: string }) => one.id);
    assert.ok((await listOwned('anna@example.com')).includes(copy.id));
    assert.ok((await listOwned('1')).includes(copyForOther.id));
    for (const invalidOptions of [
      ['--owner', 'nobody@example.com'],
      ['--title', ' '],
    ]) {
      assert.equal((await cellwire.runCommand('document', 'copy', '--document', id, ...invalidOptions)).code, 1);
    }
    for (const copyId of [copy.id, copyForOther.id])
      await cellwire.runForJson('document', 'delete', '--document', copyId);
    assert.equal((await cellwire.runCommand('document', 'copy', '--document', copy.id)).code, 1);
  });

  test('creates a collaborative document in ru-RU with one sheet by default', async () => {
    const { id, ...rest } = document;
    assert.match(id, UUID);
    assert.deepEqual(rest, {
      title: 'Orders',
      type: 'table',
      format: 'collaborative',
      locale: 'ru-RU',
      sheets: ['Лист1'],
    });
    const options = ['--owner', '1', '--title', 'Notes', '--type', 'text', '--format', 'legacy', '--locale', 'de-DE'];
    const other = await cellwire.runForJson('document', 'create', ...options);
    assert.deepEqual([other.type, other.format, other.locale, other.sheets], ['text', 'legacy', 'de-DE', []]);
    assert.equal('inputLocale' in other, false);
    assert.deepEqual(await cellwire.runForJson('document', 'convert', '--document', other.id), {
      id: other.id,
      format: 'collaborative',
    });
    const { documents } = await cellwire.runForJson('document', 'list', '--owner', 'anna@example.com');
    const { revisionId, deletedAt, ...listed } = documents[0];
    assert.deepEqual([revisionId, deletedAt, listed.owner], ['0', null, anna.id]);
    const expectedFields = ['id', 'title', 'owner', 'type', 'format', 'locale', 'createdAt', 'updatedAt'];
    assert.deepEqual(Object.keys(listed), expectedFields);
    assert.deepEqual(new Set(documents.map((one: { id: string }) => one.id)), new Set([document.id, other.id]));
    assert.equal((await cellwire.runCommand('document', 'list', '--owner', 'nobody@example.com')).code, 1);
    const textCopy = await cellwire.runCommand('document', 'copy', '--document', other.id);
    assert.match(textCopy.stderr, /Document is not a table/);
    assert.deepEqual(await cellwire.runForJson('document', 'delete', '--document', other.id), { id: other.id });
    assert.equal((await cellwire.runCommand('document', 'delete', '--document', other.id)).code, 1);
  });

  test('shares a document and ends the share', async () => {
    const carl = await cellwire.runForJson('user', 'create', '--email', 'carl@example.com', '--name', 'Carl');
    for (const role of ['edit', 'comment', 'view', 'none']) {
      const options = ['--document', document.id, '--user', String(carl.id), '--role', role];
      assert.deepEqual(await cellwire.runForJson('document', 'share', ...options), { id: document.id, role });
    }
  });

  test('protects and hides sheets', async () => {
    const target = ['--document', document.id, '--sheet', 'лист1'];
    const options = ['--hide-values', '--lock', '--allow', 'carl@example.com,1'];
    const protection = await cellwire.runForJson('sheet', 'protect', ...target, ...options);
    assert.deepEqual([protection.sheet, protection.hideValues, protection.lock], ['Лист1', true, true]);
    assert.equal(protection.allow.length, 2);
    assert.deepEqual(await cellwire.runForJson('sheet', 'unprotect', ...target), {
      sheet: 'Лист1',
      hideValues: false,
      lock: false,
      allow: [],
    });
    const hideOnlySheet = await cellwire.runCommand('sheet', 'hide', ...target);
    assert.deepEqual([hideOnlySheet.code, hideOnlySheet.stdout], [1, '']);
  });

  test('lists revisions, undoes one and restores a document', async () => {
    const parts = createSingleSheetParts('<sheetData/>');
    const twoSheets = String(parts['xl/workbook.xml']).replace(
      /<sheet .*?\/>/,
      '$&<sheet name="More" sheetId="2" r:id="r1"/>',
    );
    const file = await writeZip(join(cellwire.folder, 'two.xlsx'), { ...parts, 'xl/workbook.xml': twoSheets });
    const book = await cellwire.runForJson('document', 'create', '--owner', '1', '--title', 'Two', '--from', file);
    const target = ['--document', book.id];
    await cellwire.runForJson('sheet', 'hide', ...target, '--sheet', book.sheets[1]);
    const { revisions } = await cellwire.runForJson('revision', 'list', ...target);
    const [{ at, ...hidden }] = revisions.entries;
    assert.ok(!Number.isNaN(Date.parse(at)));
    assert.deepEqual(hidden, {
      ...{ revision: 1, userId: null, userName: null, token: null, requestId: null },
      ...{ origin: 'operator', ranges: [], cells: 0 },
    });
    const undone = { undone: { revision: 1, revisionId: '2' } };
    assert.deepEqual(await cellwire.runForJson('revision', 'undo', ...target, '--revision', '1'), undone);
    const secondUndo = await cellwire.runCommand('revision', 'undo', ...target, '--revision', '1');
    assert.deepEqual([secondUndo.code, secondUndo.stdout], [1, '']);
    const restored = { restored: { revision: 1, revisionId: '3' } };
    assert.deepEqual(await cellwire.runForJson('document', 'restore', ...target, '--revision', '1'), restored);
    assert.equal((await cellwire.runCommand('document', 'restore', ...target, '--revision', '9')).code, 1);
    const { audit } = await cellwire.runForJson('audit', ...target);
    const entries = audit.entries as unknown as { action: string; origin: string; userName: string }[];
    assert.deepEqual(
      entries.slice(0, 2).map(({ action, origin }) => [action, origin]),
      [
        ['restore', 'operator'],
        ['undo', 'operator'],
      ],
    );
    assert.notEqual(entries[0]?.userName, '');
  });

  test('lists defined names and tables', async () => {
    const parts = createSingleSheetParts('<sheetData/>');
    const names = '<definedNames><definedName name="rate">0.2*2</definedName></definedNames>';
    const file = await writeZip(join(cellwire.folder, 'names.xlsx'), {
      ...parts,
      'xl/workbook.xml': String(parts['xl/workbook.xml']).replace('</sheets>', `$&${names}`),
    });
    const book = await cellwire.runForJson('document', 'create', '--owner', '1', '--title', 'Names', '--from', file);
    const target = ['--document', book.id];
    const listed = { names: [{ name: 'rate', refersTo: '=0,2*2' }] };
    assert.deepEqual(await cellwire.runForJson('name', 'list', ...target), listed);
    assert.deepEqual(await cellwire.runForJson('table', 'list', ...target), { tables: [] });
    assert.equal((await cellwire.runCommand('table', 'list', '--document', 'none')).code, 1);
  });

  test('imports a CSV file and exports its content', async () => {
    const from = join(cellwire.folder, 'stock.csv');
    await writeFile(from, 'Item;Day;Price, net\r\nBeans;2026-03-02;21,5\r\n007;2026-03-03;129\r\n');
    const types = ['--columns', 'Day:date', '--columns', 'Price, net:number,C:text'];
    const csvOptions = [...types, '--delimiter', ';', '--encoding', 'utf-8', '--sheet', 'Stock'];
    const create = ['document', 'create', '--owner', '1', '--title', 'Stock', '--from', from, ...csvOptions];
    const imported = await cellwire.runForJson(...create);
    assert.deepEqual(imported.sheets, ['Stock']);
    assert.deepEqual(imported.columns, [
      { column: 'A', name: 'Item', type: 'text', why: '007 (row 3) would lose digits as a number' },
      { column: 'B', name: 'Day', type: 'date', why: 'told to be date' },
      {
        column: 'C',
        name: 'Price, net',
        type: 'number',
        why: 'told to be number; decimal comma, as 21,5 (row 2) shows',
      },
    ]);
    const to = join(cellwire.folder, 'out.csv');
    assert.deepEqual(await cellwire.runForJson('document', 'export', '--document', imported.id, '--to', to), {
      file: to,
      sheets: 1,
      cells: 9,
      renamed: [],
    });
    // The fields are compared instead of the bytes, because texts that look like other types are quoted.
    const lines = (await readFile(to, 'utf8')).replaceAll('"', '').trim().split('\r\n');
    assert.deepEqual(lines, ['Item,Day,Price, net', 'Beans,2026-03-02,21.5', '007,2026-03-03,129']);
  });

  for (const extension of ['tsv', 'tab', 'TSV']) {
    test(`exports a .${extension} file with tabs that can be imported again`, async () => {
      const from = join(cellwire.folder, `orders.${extension}`);
      const to = join(cellwire.folder, `exported.${extension}`);
      const text = 'Note\tSum\r\na, b; c|d\t1.5\r\n"two\ttabs"\t2\r\n';
      await writeFile(from, text);
      const create = ['document', 'create', '--owner', 'anna@example.com', '--title', 'Tabs', '--locale', 'en-US'];
      const imported = await cellwire.runForJson(...create, '--from', from);
      await cellwire.runForJson('document', 'export', '--document', imported.id, '--to', to);
      assert.equal((await readFile(to, 'utf8')).replace('"a, b; c|d"', 'a, b; c|d'), text);
      const refused = await cellwire.runCommand(
        'document',
        'export',
        '--document',
        imported.id,
        '--to',
        to,
        '--delimiter',
        ';',
      );
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /separated by tabs/);
    });
  }

  test('exports a workbook that can be imported again, and reports renamed sheets', async () => {
    const service = await cellwire.serveInProcess();
    const options = ['--user', '1', '--name', 'names', '--scopes', 'sheets.read,sheets.write'];
    const { token } = await cellwire.runForJson('token', 'create', ...options);
    const name = 'Open: March/April';
    const added = await service.call(token, 'POST', `/documents/${document.id}/sheets`, { name });
    assert.equal(added.status, 200);
    const path = `/documents/${document.id}/values/${encodeURIComponent("'Open: March/April'!A1")}`;
    assert.equal((await service.call(token, 'PUT', path, { values: [[2, '=A1*2']] })).status, 200);
    await service.end();

    const to = join(cellwire.folder, 'orders.xlsx');
    const exported = await cellwire.runForJson('document', 'export', '--document', document.id, '--to', to);
    assert.deepEqual([exported.file, exported.sheets, exported.cells], [to, 2, 2]);
    assert.equal(exported.renamed.length, 1);
    assert.equal(exported.renamed[0].from, name);
    const secondUndo = await cellwire.runForJson(
      'document',
      'create',
      '--owner',
      '1',
      '--title',
      'Again',
      '--from',
      to,
    );
    assert.deepEqual(secondUndo.sheets, ['Лист1', exported.renamed[0].to]);
  });

  test('reports what an import and an export omit', async () => {
    const rows = '<sheetData><row r="1"><c r="A1"><v>2</v></c><c r="B1"><f>A1*2</f></c></row></sheetData>';
    const linked = `${rows}<hyperlinks><hyperlink ref="A1" r:id="gone"/><hyperlink ref="B1" r:id="gone"/></hyperlinks>`;
    const from = await writeZip(join(cellwire.folder, 'linked.xlsx'), createSingleSheetParts(linked));
    const options = ['document', 'create', '--owner', '1', '--title', 'Linked', '--from', from];
    const textOutput = await cellwire.runCommand(...options);
    assert.equal(textOutput.code, 0);
    assert.match(textOutput.stderr, /does not hold: 2 hyperlinks\.\n/);
    const imported = await cellwire.runForJson(...options);
    assert.deepEqual(imported.leftOut, [{ kind: 'hyperlinks', count: 2, what: 'hyperlinks' }]);

    const to = join(cellwire.folder, 'linked.csv');
    const exported = await cellwire.runForJson('document', 'export', '--document', imported.id, '--to', to);
    assert.deepEqual(exported.leftOut, [{ kind: 'formulas', count: 1, what: 'formula (its result is written)' }]);
  });

  test('keeps results of external and macro formulas, and drawings, from import to export', async () => {
    const cells = '<c r="A1"><v>2</v></c><c r="B1"><f>[1]Prices!A1</f><v>7</v></c><c r="C1"><f>Tax(B1)</f><v>9</v></c>';
    const sheet = `<sheetData><row r="1">${cells}</row></sheetData><drawing r:id="d"/>`;
    const parts = createSingleSheetParts(sheet, {
      'xl/worksheets/_rels/sheet1.xml.rels': createRelationships({ d: ['drawing', '../drawings/drawing1.xml'] }),
      'xl/drawings/drawing1.xml': '<xdr:wsDr xmlns:xdr="xdr"/>',
      'xl/externalLinks/externalLink1.xml': '<externalLink/>',
    });
    const links = {
      r1: ['worksheet', 'worksheets/sheet1.xml'],
      r2: ['externalLink', 'externalLinks/externalLink1.xml'],
    };
    const from = await writeZip(join(cellwire.folder, 'macros.xlsx'), {
      ...parts,
      'xl/workbook.xml': String(parts['xl/workbook.xml']).replace(
        '</sheets>',
        '</sheets><externalReferences><externalReference r:id="r2"/></externalReferences>',
      ),
      'xl/_rels/workbook.xml.rels': createRelationships(links as never),
    });
    const importRun = await cellwire.runCommand(
      'document',
      'create',
      '--owner',
      '1',
      '--title',
      'M',
      '--from',
      from,
      '--json',
    );
    assert.match(importRun.stderr, /Kept .*: 1 formula that reads another workbook, 1 formula that calls a function/);
    const imported = JSON.parse(importRun.stdout);
    assert.deepEqual(
      imported.cached.map(({ kind, count }: Json) => [kind, count]),
      [
        ['linkedFormulas', 1],
        ['unknownFormulas', 1],
      ],
    );
    const to = join(cellwire.folder, 'macros-out.xlsx');
    await cellwire.runForJson('document', 'export', '--document', imported.id, '--to', to);
    const xml = await readPart(to, 'xl/worksheets/sheet1.xml');
    assert.match(xml, /<f>\[1\]Prices!A1<\/f><v>7<\/v>.*<f>TAX\(B1\)<\/f><v>9<\/v>.*<drawing r:id="d"\/>/);
    assert.equal(await readPart(to, 'xl/drawings/drawing1.xml'), '<xdr:wsDr xmlns:xdr="xdr"/>');
  });

  test('overwrites an existing file only with --force', async () => {
    const to = join(cellwire.folder, 'precious.xlsx');
    await writeFile(to, 'precious');
    const options = ['document', 'export', '--document', document.id, '--to', to];
    const refusal = await cellwire.runCommand(...options, '--json');
    assert.deepEqual([refusal.code, refusal.stdout], [1, '']);
    assert.match(refusal.stderr, /precious\.xlsx exists already.*--force/);
    assert.equal(await readFile(to, 'utf8'), 'precious');
    assert.equal((await cellwire.runForJson(...options, '--force')).file, to);
    assert.notEqual(await readFile(to, 'utf8'), 'precious');
  });

  const NEW_DOCUMENT = ['document', 'create', '--owner', '1', '--title', 'T'];
  const REFUSED_COMMANDS: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['a user that does not exist', ['token', 'list', '--user', 'nobody@example.com'], /nobody@example\.com/],
    ['an email address that is in use', ['user', 'create', '--email', 'Anna@Example.com', '--name', 'A'], /already/],
    ['a missing file', [...NEW_DOCUMENT, '--from', 'no.csv'], /no\.csv/],
    ['a file of another kind', [...NEW_DOCUMENT, '--from', 'a.pdf'], /\.xlsx/],
    ['an unknown column type', [...NEW_DOCUMENT, '--from', 'a.csv', '--columns', 'Day:day'], /Day:day is not/],
    ['columns without a file', [...NEW_DOCUMENT, '--columns', 'Day:date'], /--from/],
    ['a missing document', ['document', 'export', '--document', 'x', '--to', 'a.csv'], /no document x/],
    ['an unknown locale', [...NEW_DOCUMENT, '--locale', 'xx'], /ru-RU/],
    ['an unknown input locale', [...NEW_DOCUMENT, '--input-locale', 'xx'], /inputLocale/],
  ];
  for (const [description, args, reason] of REFUSED_COMMANDS) {
    test(`refuses ${description}: exit code 1, the reason on standard error, nothing on standard output`, async () => {
      const { code, stdout, stderr } = await cellwire.runCommand(...args, '--json');
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, reason);
      assert.ok(!stderr.includes('    at '), stderr);
    });
  }

  const MISUSES: readonly (readonly string[])[] = [
    [],
    ['user'],
    ['nonsense'],
    ['user', 'nonsense'],
    ['user', 'create', '--email', 'a@b.example'],
    ['user', 'list', '--nonsense'],
    ['user', 'list', 'nonsense'],
    ['user', 'plan', '--user', '1', '--plan', 'gold'],
    ['token', 'create', '--user', '1', '--name', 'n', '--scopes', 'sheets.everything'],
    ['token', 'revoke', '--id', 'seven'],
    ['document', 'share', '--document', 'x', '--user', '1', '--role', 'king'],
    ['sheet', 'protect', '--document', 'x', '--sheet', 'y'],
  ];
  for (const args of MISUSES) {
    test(`misuse ends with exit code 2: cellwire ${args.join(' ')}`, async () => {
      const { code, stdout, stderr } = await cellwire.runCommand(...args);
      assert.deepEqual([code, stdout], [2, '']);
      assert.notEqual(stderr, '');
    });
  }

  for (const args of [
    ['user'],
    ['user', 'create'],
    ['token', 'create'],
    ['document', 'create'],
    ['sheet'],
    ['serve'],
  ]) {
    test(`prints help with examples: cellwire ${args.join(' ')} --help`, async () => {
      const { code, stdout } = await cellwire.runCommand(...args, '--help');
      assert.equal(code, 0);
      assert.match(stdout, /Examples:\n {2}cellwire /);
    });
  }

  test('is a program with exit codes and separate standard output and error', async () => {
    const listed = await cellwire.runAsProcess('user', 'list', '--json');
    assert.deepEqual([listed.code, listed.stderr], [0, '']);
    assert.equal(JSON.parse(listed.stdout).users[0].email, 'anna@example.com');
    const refusal = await cellwire.runAsProcess('token', 'list', '--user', 'nobody@example.com', '--json');
    assert.deepEqual([refusal.code, refusal.stdout], [1, '']);
    assert.match(refusal.stderr, /^error: .*nobody@example\.com/);
    const misuse = await cellwire.runAsProcess('user', 'plan', '--user', '1', '--plan', 'gold');
    assert.deepEqual([misuse.code, misuse.stdout], [2, '']);
    assert.match(misuse.stderr, /--plan/);
  });

  test('a command creates nothing without a data folder', WITH_FOLDER, async () => {
    const elsewhere = cellwire.addEnvironment({ CELLWIRE_DATA: join(cellwire.folder, 'elsewhere') });
    const { code, stderr } = await elsewhere.runCommand('user', 'list');
    assert.equal(code, 1);
    assert.match(stderr, /elsewhere.*CELLWIRE_DATA/);
    await assert.rejects(stat(join(cellwire.folder, 'elsewhere')), { code: 'ENOENT' });
  });

  test('prints aligned tables as text', async () => {
    const { stdout } = await cellwire.runCommand('user', 'list');
    const [headings, first] = stdout.split('\n');
    assert.equal(headings?.indexOf('NAME'), first?.indexOf('Anna Berg'));
  });

  test('prints the audit log of a document, also after its deletion', async () => {
    const file = join(cellwire.folder, 'audited.csv');
    await writeFile(file, 'a,b\n1,2\n');
    const { id } = await cellwire.runForJson(
      'document',
      'create',
      '--owner',
      String(anna.id),
      '--title',
      'T',
      '--from',
      file,
    );
    const before = await cellwire.runForJson('audit', '--document', id);
    assert.deepEqual([before.audit.total, before.audit.entries[0].origin], [1, 'import']);
    await cellwire.runForJson('document', 'delete', '--document', id);
    const after = await cellwire.runForJson('audit', '--document', id);
    const { action, origin } = after.entries[0];
    assert.deepEqual([action, origin], ['document.delete', 'operator']);
    assert.deepEqual(after.audit, before.audit);
    assert.deepEqual(after.entries.slice(1), before.entries);
    assert.equal((await cellwire.runCommand('audit', '--document', 'nothing')).code, 1);
  });
});
