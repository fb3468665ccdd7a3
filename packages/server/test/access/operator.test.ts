import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseTokenCredentials } from '../../src/access/callers.ts';
import { Passwords } from '../../src/access/passwords.ts';
import { composeService, type Service } from '../../src/compose/compose.ts';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { convertDocument, deleteDocument, shareDocument } from '../../src/service/operator/documents.ts';
import { createDocument } from '../../src/service/operator/new-document.ts';
import { protectSheet, setSheetHidden, unprotectSheet } from '../../src/service/operator/sheets.ts';
import { createToken, listTokens, revokeToken } from '../../src/service/operator/tokens.ts';
import { createUser, listUsers, setPlan } from '../../src/service/operator/users.ts';
import { isRefusal } from '../../src/service/refusal.ts';
import { CHEAP_HASHING, requireAccepted } from '../http/support.ts';

let service: Service;
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cellwire-operator-'));
  const onError = (what: string, error: unknown): never => {
    throw new Error(what, { cause: error });
  };
  const passwords = new Passwords(CHEAP_HASHING);
  service = await composeService({ ...DEFAULTS, dataFolder: folder }, { as: 'command', onError, passwords });
});
after(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

/** The field that a refusal names. */
function getRefusedField(result: unknown): string {
  assert.ok(isRefusal(result), JSON.stringify(result));
  return result.reason === 'invalidRequest' ? result.field : result.reason;
}

let people = 0;
async function createPerson(options: { plan?: string; workspace?: string } = {}) {
  people++;
  const created = await createUser(service.context, {
    email: `p${people}@example.org`,
    name: `Person ${people}`,
    ...options,
  });
  return requireAccepted(created);
}

describe('users', () => {
  it('get their own workspace on plan enterprise, and a password', async () => {
    const created = requireAccepted(await createUser(service.context, { email: ' Ann@Example.org ', name: ' Ann ' }));
    assert.deepEqual([created.email, created.name], ['Ann@Example.org', 'Ann']);
    assert.match(created.password, /^[0-9A-Za-z]{20}$/);
    const row = requireAccepted(await listUsers(service.context)).users.find(({ id }) => id === created.id);
    assert.deepEqual([row?.plan, row?.workspaceId, row?.workspace], ['enterprise', created.workspaceId, 'Ann']);
    assert.equal(JSON.stringify(row).includes(created.password), false);
  });

  it('share a workspace and its plan', async () => {
    const first = await createPerson({ workspace: 'Acme', plan: 'standard' });
    const byName = await createPerson({ workspace: 'Acme' });
    const byId = await createPerson({ workspace: String(first.workspaceId), plan: 'standard' });
    assert.deepEqual([byName.workspaceId, byId.workspaceId], [first.workspaceId, first.workspaceId]);
    assert.deepEqual(
      requireAccepted(await setPlan(service.context, { user: byName.email.toUpperCase(), plan: 'professional' })),
      {
        id: byName.id,
        plan: 'professional',
      },
    );
    const plans = requireAccepted(await listUsers(service.context)).users.filter(
      ({ workspaceId }) => workspaceId === first.workspaceId,
    );
    assert.deepEqual(
      plans.map(({ plan }) => plan),
      ['professional', 'professional', 'professional'],
    );
  });

  it('are refused with the name of the invalid field', async () => {
    const existing = await createPerson();
    const base = { email: 'new@example.org', name: 'New' };
    const cases: readonly [options: Parameters<typeof createUser>[1], field: string][] = [
      [{ ...base, email: 'nobody' }, 'email'],
      [{ ...base, email: 'a b@example.org' }, 'email'],
      [{ ...base, email: existing.email.toUpperCase() }, 'email'],
      [{ ...base, name: '  ' }, 'name'],
      [{ ...base, plan: 'gold' }, 'plan'],
      [{ ...base, password: 'short' }, 'password'],
      [{ ...base, password: base.email }, 'password'],
      [{ ...base, workspace: '999999' }, 'workspace'],
      [{ ...base, workspace: String(existing.workspaceId), plan: 'free' }, 'plan'],
    ];
    const countBefore = requireAccepted(await listUsers(service.context)).users.length;
    for (const [options, field] of cases) {
      assert.equal(getRefusedField(await createUser(service.context, options)), field, JSON.stringify(options));
    }
    assert.equal(requireAccepted(await listUsers(service.context)).users.length, countBefore);
    assert.equal(getRefusedField(await setPlan(service.context, { user: 'nobody@example.org', plan: 'free' })), 'user');
    assert.equal(getRefusedField(await setPlan(service.context, { user: existing.email, plan: 'gold' })), 'plan');
  });
});

describe('tokens', () => {
  it('are shown once and listed without the secret', async () => {
    const user = await createPerson();
    const document = requireAccepted(await createDocument(service.context, { owner: user.email, title: 'T' }));
    const created = requireAccepted(
      await createToken(service.context, {
        user: user.email,
        name: 'export',
        scopes: ['sheets.write', 'sheets.read', 'sheets.read'],
        documents: [document.id.toUpperCase()],
        expiresAt: '2999-01-01T00:00:00+02:00',
      }),
    );
    const { token, ...rest } = created;
    assert.match(token, /^cw_/);
    assert.deepEqual(rest, {
      id: created.id,
      name: 'export',
      scopes: ['sheets.read', 'sheets.write'],
      documents: [document.id],
      expiresAt: '2998-12-31T22:00:00.000Z',
    });
    const [row] = requireAccepted(await listTokens(service.context, String(user.id)));
    assert.deepEqual({ ...row, createdAt: null }, { ...rest, revokedAt: null, createdAt: null });
    const revoked = requireAccepted(await revokeToken(service.context, created.id));
    assert.deepEqual(requireAccepted(await revokeToken(service.context, created.id)), revoked);
  });

  it('expire at an ISO 8601 time, in UTC without a time zone, at midnight without a time of day', async () => {
    const user = await createPerson();
    const cases: readonly [input: string, expiresAt: string][] = [
      ['2999-12-31', '2999-12-31T00:00:00.000Z'],
      ['2999-12-31T10:30', '2999-12-31T10:30:00.000Z'],
      ['2999-12-31T10:30:15.5', '2999-12-31T10:30:15.500Z'],
      ['2999-12-31T10:30:15Z', '2999-12-31T10:30:15.000Z'],
      ['2999-12-31T10:30:15+03:00', '2999-12-31T07:30:15.000Z'],
      ['2996-02-29', '2996-02-29T00:00:00.000Z'],
    ];
    for (const [input, expiresAt] of cases) {
      const options = { user: user.email, name: 't', scopes: ['sheets.read'], expiresAt: input };
      assert.equal(requireAccepted(await createToken(service.context, options)).expiresAt, expiresAt, input);
    }
  });

  it('are refused with the name of the invalid field', async () => {
    const user = await createPerson({ plan: 'free' });
    const base = { user: user.email, name: 't', scopes: ['sheets.read'] };
    const cases: readonly [invalidOptions: Parameters<typeof createToken>[1], field: string][] = [
      [{ ...base, name: ' ' }, 'name'],
      [{ ...base, scopes: [] }, 'scopes'],
      [{ ...base, scopes: ['sheets.all'] }, 'scopes'],
      [{ ...base, documents: [] }, 'documents'],
      [{ ...base, documents: ['nowhere'] }, 'documents'],
      [{ ...base, expiresAt: 'tomorrow' }, 'expiresAt'],
      [{ ...base, expiresAt: '2001-01-01' }, 'expiresAt'],
      // Date parses these, but they are not ISO 8601 times.
      [{ ...base, expiresAt: 'Jan 5 2999' }, 'expiresAt'],
      [{ ...base, expiresAt: '2999-02-30' }, 'expiresAt'],
      [{ ...base, expiresAt: '2999-01-01T25:00:00Z' }, 'expiresAt'],
      [{ ...base, expiresAt: '2999' }, 'expiresAt'],
      [{ ...base, expiresAt: '2999-01-01 10:00' }, 'expiresAt'],
      [{ ...base, user: '0' }, 'user'],
    ];
    for (const [options, field] of cases) {
      assert.equal(getRefusedField(await createToken(service.context, options)), field, JSON.stringify(options));
    }
    assert.equal(getRefusedField(await revokeToken(service.context, 999_999)), 'id');
    assert.equal(getRefusedField(await listTokens(service.context, 'nobody')), 'user');
  });

  it('are limited by the plan, which does not count revoked tokens', async () => {
    const user = await createPerson({ plan: 'free' });
    const create = () => createToken(service.context, { user: user.email, name: 't', scopes: ['sheets.read'] });
    const first = requireAccepted(await create());
    requireAccepted(await create());
    assert.equal(getRefusedField(await create()), 'user');
    requireAccepted(await revokeToken(service.context, first.id));
    requireAccepted(await create());
  });
});

describe('documents', () => {
  it('can be created, shared, converted and deleted', async () => {
    const owner = await createPerson();
    const friend = await createPerson();
    const createdDocument = requireAccepted(
      await createDocument(service.context, { owner: String(owner.id), title: ' Plan ', format: 'legacy' }),
    );
    const { id } = createdDocument;
    assert.deepEqual(createdDocument, {
      id,
      title: 'Plan',
      type: 'table',
      format: 'legacy',
      locale: 'ru-RU',
      sheets: ['Лист1'],
    });
    assert.deepEqual(
      requireAccepted(await shareDocument(service.context, { document: id, user: friend.email, role: 'comment' })),
      {
        id,
        role: 'comment',
      },
    );
    assert.deepEqual(requireAccepted(await convertDocument(service.context, id)), { id, format: 'collaborative' });
    assert.deepEqual(requireAccepted(await convertDocument(service.context, id)), { id, format: 'collaborative' });
    const tokenOptions = { user: friend.email, name: 't', scopes: ['sheets.read'] };
    const { token } = requireAccepted(await createToken(service.context, tokenOptions));
    const identity = await service.access.identify(parseTokenCredentials(`Bearer ${token}`));
    assert.ok('userId' in identity);
    const access = await service.access.open(identity, id);
    assert.ok('role' in access);
    assert.equal(access.role, 'comment');
    assert.deepEqual(requireAccepted(await deleteDocument(service.context, id)), { id });
    assert.equal(getRefusedField(await deleteDocument(service.context, id)), 'document');
  });

  it('are refused with the name of the invalid field', async () => {
    const owner = await createPerson();
    const base = { owner: owner.email, title: 'T' };
    for (const [options, field] of [
      [{ ...base, title: '' }, 'title'],
      [{ ...base, type: 'drawing' }, 'type'],
      [{ ...base, format: 'old' }, 'format'],
      [{ ...base, locale: 'xx-XX' }, 'locale'],
      [{ ...base, owner: 'nobody' }, 'user'],
    ] as const) {
      assert.equal(getRefusedField(await createDocument(service.context, options)), field);
    }
    const { id } = requireAccepted(await createDocument(service.context, base));
    const share = (user: string, role: string) => shareDocument(service.context, { document: id, user, role });
    assert.equal(getRefusedField(await share(owner.email, 'view')), 'user');
    assert.equal(getRefusedField(await share('nobody', 'view')), 'user');
    assert.equal(getRefusedField(await share(owner.email, 'owner')), 'role');
  });
});

describe('sheets', () => {
  it('can be protected with exceptions, unprotected, hidden and shown', async () => {
    const owner = await createPerson();
    const friend = await createPerson();
    const { id } = requireAccepted(
      await createDocument(service.context, { owner: owner.email, title: 'T', locale: 'en-US' }),
    );
    const sheetReference = { document: id, sheet: 'sheet1' };
    assert.deepEqual(
      requireAccepted(
        await protectSheet(service.context, {
          ...sheetReference,
          hideValues: true,
          lock: false,
          allow: [friend.email, String(friend.id)],
        }),
      ),
      { sheet: 'Sheet1', hideValues: true, lock: false, allow: [friend.id] },
    );
    assert.deepEqual(requireAccepted(await unprotectSheet(service.context, sheetReference)), {
      sheet: 'Sheet1',
      hideValues: false,
      lock: false,
      allow: [],
    });
    assert.equal(
      getRefusedField(await setSheetHidden(service.context, { ...sheetReference, hidden: true })),
      'lastSheet',
    );
    assert.deepEqual(requireAccepted(await setSheetHidden(service.context, { ...sheetReference, hidden: false })), {
      sheet: 'Sheet1',
      hidden: false,
    });
    const noProtection = { ...sheetReference, hideValues: false, lock: false, allow: [] };
    assert.equal(getRefusedField(await protectSheet(service.context, noProtection)), 'lock');
    assert.equal(
      getRefusedField(await protectSheet(service.context, { ...noProtection, lock: true, sheet: 'X' })),
      'sheet',
    );
    assert.equal(
      getRefusedField(await protectSheet(service.context, { ...noProtection, lock: true, allow: ['nobody'] })),
      'allow',
    );
  });
});
