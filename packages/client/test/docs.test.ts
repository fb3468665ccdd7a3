import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { createInstallation, type Installation, type LocalService } from '../../server/test/main/support.ts';
import { findFreePort } from '../../store/test/postgres/cluster.ts';
import { PYTHON, PYTHON_FOLDER } from './clients.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PAGES = [
  'docs/clients/README.md',
  'docs/clients/typescript.md',
  'docs/clients/python.md',
  'packages/client/README.md',
  'clients/python/README.md',
];
const SECRET = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
const HAS_CURL = spawnSync('curl', ['--version']).status === 0;

interface Example {
  readonly page: string;
  readonly title: string;
  readonly language: 'sh' | 'ts' | 'python';
  readonly text: string;
}

function parseExamples(page: string): readonly Example[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/```(sh|ts|python)\n([\s\S]*?)```/g)].map((match) => {
    const titles = [...text.slice(0, match.index).matchAll(/^#+ (.*)$/gm)];
    const title = titles.at(-1)?.[1] ?? page;
    return { page, title, language: match[1] as Example['language'], text: match[2] ?? '' };
  });
}

/** The output of a successful program, by the title of its example. */
const EXPECTED_OUTPUT: Readonly<Record<string, RegExp>> = {
  'Read a table': /A-1001/,
  'Upsert from a file': /^2$|"records":2/m,
  'Follow changes': /Orders!|document\.updated/,
  'Receive a webhook': /^Example A1 = 1$/m,
  'Subscribe and rotate the secret in a program': /checked 20/,
  'Review a dry run': /Orders!H2/,
  'Making a client': /^true$/im,
  Proposals: /Correct the VAT/,
  Errors: /^404 Sheet not found true true$/im,
};

suite('the examples of the clients', { concurrency: 4 }, () => {
  let cellwire: Installation;
  let service: LocalService;
  let env: NodeJS.ProcessEnv;

  before(async () => {
    cellwire = await createInstallation({ CELLWIRE_LOG_LEVEL: 'warn' });
    const config = join(cellwire.folder, 'config.json');
    writeFileSync(
      config,
      JSON.stringify({
        plans: { enterprise: { requestsPerSecond: null } },
        notifications: { allowPrivateNetworks: true, quietMs: 50 },
      }),
    );
    service = await cellwire.addEnvironment({ CELLWIRE_CONFIG: config }).serveInProcess();
    mkdirSync(join(cellwire.folder, 'node_modules', '@cellwire'), { recursive: true });
    symlinkSync(join(ROOT, 'packages/client'), join(cellwire.folder, 'node_modules/@cellwire/client'));
    writeFileSync(join(cellwire.folder, 'package.json'), '{"type":"module"}');
    env = {
      ...process.env,
      CELLWIRE_URL: service.address,
      CELLWIRE_TOKEN: service.readFirstStartValue('token'),
      DOC: service.readFirstStartValue('document'),
      WEBHOOK_SECRET: SECRET,
      PYTHONPATH: `${PYTHON_FOLDER}/src`,
      PYTHONDONTWRITEBYTECODE: '1',
    };
    // Makes a change that the examples can receive.
    const { status } = await service.call(
      service.readFirstStartValue('token'),
      'PUT',
      `/documents/${env['DOC']}/values/Orders!J1`,
      {
        values: [['x']],
      },
    );
    assert.equal(status, 200);
  });
  after(async () => {
    await service.end();
    await cellwire.remove();
  });

  for (const [i, example] of PAGES.flatMap(parseExamples).entries()) {
    const skip =
      (example.language === 'python' && PYTHON === null && 'Python 3.9 or newer is not installed') ||
      (example.language === 'sh' && !HAS_CURL && 'curl is not installed');
    test(`${example.page}: ${example.title} (${example.language})`, { skip }, async () => {
      // Examples run at the same time, and some of them write a file of the same name.
      const folder = join(cellwire.folder, `example-${i}`);
      mkdirSync(folder);
      const file = join(folder, `example.${{ sh: 'sh', ts: 'ts', python: 'py' }[example.language]}`);
      // Two seconds may pass on a busy machine before the first event.
      writeFileSync(file, example.text.replace('--max-time 2 ', '--max-time 60 '));
      const program = { sh: 'sh', ts: process.execPath, python: PYTHON ?? '' }[example.language];
      const port = await findFreePort();
      const child = spawn(program, [file], {
        env: { ...env, PORT: String(port) },
        cwd: folder,
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      });
      const { output, errorText, code } = await runExample(child, example, port);
      const expected = EXPECTED_OUTPUT[example.title];
      if (expected !== undefined) assert.match(output, expected, errorText);
      // Examples that follow changes or receive webhooks do not end by themselves: they were killed.
      const isEndless = /Follow|Receive/.test(example.title);
      if (!isEndless) assert.equal(code, 0, errorText);
    });
  }
});

interface ExampleRun {
  readonly output: string;
  readonly errorText: string;
  readonly code: number | null;
}

/** Runs a program to its end. A program without an end is killed after it has printed the expected text. */
async function runExample(child: ChildProcess, { title }: Example, port: number): Promise<ExampleRun> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('the example has no output');
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  let errorText = '';
  stderr.on('data', (part) => {
    errorText += part;
  });
  let output = '';
  let isKilled = false;
  for await (const line of createInterface({ input: stdout })) {
    output += `${line}\n`;
    if (title === 'Receive a webhook' && line === 'listening') await sendWebhook(port);
    const isDone = /Follow|Receive/.test(title) && EXPECTED_OUTPUT[title]?.test(output);
    if (isDone && !isKilled && child.pid !== undefined) {
      isKilled = true;
      // With the programs that a shell has started.
      process.kill(-child.pid);
    }
  }
  return { output, errorText, code: await exit };
}

async function sendWebhook(port: number): Promise<void> {
  const body = JSON.stringify({ documentTitle: 'Example', changes: 'A1 = 1' });
  const seconds = Math.floor(Date.now() / 1000);
  const headers = {
    'webhook-id': 'm-1',
    'webhook-timestamp': String(seconds),
    'webhook-signature': new Webhook(SECRET).sign('m-1', new Date(seconds * 1000), body),
  };
  const forged = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: `${body} `, headers });
  assert.equal(forged.status, 400);
  const genuine = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers });
  assert.equal(genuine.status, 204);
}
