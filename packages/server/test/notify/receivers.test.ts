import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { memberAt } from '../http/support.ts';
import { startReceiver } from './receiver.ts';
import { startNotifying, type TestSubscription, toElements, waitForDelivery, waitForState } from './support.ts';

/** The receivers in docs/receive-notifications.md. */
const PAGE = readFileSync(fileURLToPath(new URL('../../../../docs/receive-notifications.md', import.meta.url)), 'utf8');

interface Language {
  readonly name: string;
  /** Language of the code block. */
  readonly codeLanguage: string;
  readonly file: string;
  readonly program: string;
}

const LANGUAGES: readonly Language[] = [
  { name: 'TypeScript', codeLanguage: 'ts', file: 'receiver.ts', program: process.execPath },
  { name: 'Python', codeLanguage: 'python', file: 'receiver.py', program: 'python3' },
];

/** The code block of a language on the documentation page about receivers. */
function readCodeBlock(codeLanguage: string): string {
  const [, code] = new RegExp(`\`\`\`${codeLanguage}\n([^]*?)\`\`\``).exec(PAGE) ?? [];
  assert.ok(code, `the page has no block of ${codeLanguage}`);
  return code;
}

interface RunningReceiver {
  readonly child: ChildProcess;
  readonly url: string;
  readLine(): Promise<string>;
}

/** Starts a receiver and waits until it listens. */
async function startDocumentedReceiver(
  t: TestContext,
  language: Language,
  secret: string,
  port = 0,
): Promise<RunningReceiver> {
  const folder = mkdtempSync(join(tmpdir(), 'cellwire-receiver-'));
  const file = join(folder, language.file);
  writeFileSync(file, readCodeBlock(language.codeLanguage));
  const child = spawn(language.program, [file], {
    env: { ...process.env, SECRET: secret, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(async () => {
    const exit = once(child, 'exit');
    child.kill();
    await exit;
    rmSync(folder, { recursive: true });
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const readLine = async () => String((await lines.next()).value);
  const listeningPort = /^listening on (\d+)$/.exec(await readLine())?.[1];
  assert.ok(listeningPort);
  return { child, url: `http://127.0.0.1:${listeningPort}/`, readLine };
}

for (const language of LANGUAGES) {
  const missing = spawnSync(language.program, ['--version']).error !== undefined;
  const skip = missing && `LEFT OUT: ${language.program} is not installed here`;
  test(`the documented receiver in ${language.name} accepts signed deliveries once, and nothing else`, {
    skip,
  }, async (t) => {
    const world = await startNotifying(t);
    const book = await world.createBook();
    // Subscribing returns the secret. The subscription therefore first uses the port of a placeholder.
    const placeholder = await startReceiver(t);
    const created = await book.post('/webhooks', { url: placeholder.url });
    const webhook = Number(memberAt(created.body, 'webhook')['id']);
    const receiver = await startDocumentedReceiver(t, language, String(created.body['secret']));
    await book.requestInDocument('PATCH', `/webhooks/${webhook}`, { body: { url: receiver.url } });
    const subscription: TestSubscription = { receiver: placeholder, book, webhook, secret: '' };

    await book.put('A1', [['Ж "quoted"', 2]]);
    assert.equal(await receiver.readLine(), 'revision 1: Sheet1!A1 = Ж "quoted"; Sheet1!B1 = 2');
    const delivery = await waitForState(subscription, 'delivered');
    assert.equal(memberAt(delivery, 'attempts')[0]?.['status'], 204);

    await book.post(`/deliveries/${delivery['deliveryId']}/redeliver`, undefined);
    await waitForDelivery(
      subscription,
      (one) => String(one['state']) === 'delivered' && toElements(one['attempts']).length === 2,
    );
    await book.put('A1', [[3]]);
    assert.equal(await receiver.readLine(), 'revision 2: Sheet1!A1 = 3', 'the one delivered twice was worked on once');

    for (const signature of ['', 'sha256=', `sha256=${'0'.repeat(64)}`, 'é']) {
      const headers = signature === '' ? {} : { 'x-service-signature': signature };
      assert.equal(
        (await fetch(receiver.url, { method: 'POST', body: '{"deliveryId":"forged"}', headers })).status,
        401,
      );
    }

    await book.post(`/webhooks/${webhook}/secret`, { overlapSeconds: 0 });
    await book.put('A1', [[4]]);
    const refused = await waitForState(subscription, 'refused');
    assert.equal(memberAt(refused, 'attempts')[0]?.['status'], 401, 'another secret’s signature is refused');
  });
}
