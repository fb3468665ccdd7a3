// Processor time of identifying the caller of a request: from the cache, and after a change of rights, when the token,
// its user and its workspace are read and checked. `node bench/callers/run.mjs [FOLDER]`: a checkout to compare with.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(process.argv[2] ?? join(import.meta.dirname, '../..'));
const importSource = (path) => import(join(ROOT, 'packages', path));
const { openStore } = await importSource('store/src/index.ts');
const accounts = await importSource('store/src/accounts/index.ts');
const { createAccess } = await importSource('server/src/access/access.ts');
const { DEFAULTS } = await importSource('server/src/config/defaults.ts');

const ROUNDS = 3;
const [FILLS, HITS] = [30_000, 400_000];
const HASH = 'f'.repeat(64);

/** Microseconds of processor time of one call. */
async function measure(calls, run) {
  const before = process.cpuUsage();
  for (let i = 0; i < calls; i++) await run();
  const { user, system } = process.cpuUsage(before);
  return ((user + system) / calls).toFixed(1);
}

const folder = mkdtempSync(join(tmpdir(), 'cellwire-callers-'));
const database = await openStore({ kind: 'sqlite', folder }, 'server');
const created_at = Date.now();
const password_hash = 'x'.repeat(100);
const user = { email: 'a@example.com', email_key: 'a@example.com', name: 'Anna', password_hash, password_once: 0 };
const rights = { scopes: '["sheets.read","sheets.write"]', documents: null, expires_at: null, proposes: 0 };
await database.write({
  document: null,
  statements: [
    accounts.insertWorkspace({ name: 'W', plan: 'enterprise', created_at }),
    accounts.insertUserOfNewWorkspace({ ...user, created_at }),
    accounts.insertToken({
      ...{ user_id: 1, name: 'CI', hash: HASH, prefix: 'cw_1', input_locale: null, created_at, ...rights },
    }),
  ],
});
const access = createAccess({ database, plans: DEFAULTS.plans, clock: Date.now, onDamage: () => {} });
for (let round = 0; round <= ROUNDS; round++) {
  const fill = await measure(FILLS, () => database.readOne(accounts.tokenByHash({ hash: HASH })));
  const hit = await measure(HITS, () => access.identify({ kind: 'token', hash: HASH }));
  // The first round warms up.
  if (round > 0) console.log(`read and checked: ${fill} µs; from the cache: ${hit} µs`);
}
await database.close();
rmSync(folder, { recursive: true });
