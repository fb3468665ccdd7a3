import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Settings } from '../http/support.ts';
import { type Installation, newInstallation } from '../main/support.ts';
import { QUICK } from './support.ts';

/** An installation created with commands, with a document and a token that may subscribe to it. */
export async function createNotifyingInstallation(
  t: TestContext,
  settings: Settings = {},
  env: Readonly<Record<string, string>> = { CELLWIRE_LOG_LEVEL: 'silent' },
): Promise<{ readonly cellwire: Installation; readonly document: string; readonly token: string }> {
  const first = await newInstallation();
  t.after(() => first.remove());
  const file = join(first.folder, 'config.json');
  await writeFile(file, JSON.stringify({ ...settings, notifications: { ...QUICK, ...settings.notifications } }));
  const cellwire = first.with({ ...env, CELLWIRE_CONFIG: file });
  await cellwire.json('user', 'create', '--email', 'anna@example.com', '--name', 'Anna Berg');
  const { id } = await cellwire.json('document', 'create', '--owner', 'anna@example.com', '--title', 'Orders');
  const scopes = 'sheets.read,sheets.write,sheets.webhooks';
  const { token } = await cellwire.json('token', 'create', '--user', '1', '--name', 'import', '--scopes', scopes);
  return { cellwire, document: id, token };
}
