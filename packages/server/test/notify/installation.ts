import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { WorldSettings } from '../http/support.ts';
import { createInstallation, type Installation } from '../main/support.ts';
import { QUICK } from './support.ts';

/** Creates an installation with commands, with a document and a token that may subscribe to it. */
export async function createNotifyingInstallation(
  t: TestContext,
  settings: WorldSettings = {},
  env: Readonly<Record<string, string>> = { CELLWIRE_LOG_LEVEL: 'silent' },
): Promise<{ readonly cellwire: Installation; readonly document: string; readonly token: string }> {
  const first = await createInstallation();
  t.after(() => first.remove());
  const file = join(first.folder, 'config.json');
  await writeFile(file, JSON.stringify({ ...settings, notifications: { ...QUICK, ...settings.notifications } }));
  const cellwire = first.addEnvironment({ ...env, CELLWIRE_CONFIG: file });
  await cellwire.runForJson('user', 'create', '--email', 'anna@example.com', '--name', 'Anna Berg');
  const { id } = await cellwire.runForJson('document', 'create', '--owner', 'anna@example.com', '--title', 'Orders');
  const scopes = 'sheets.read,sheets.write,sheets.webhooks';
  const { token } = await cellwire.runForJson('token', 'create', '--user', '1', '--name', 'import', '--scopes', scopes);
  return { cellwire, document: id, token };
}
