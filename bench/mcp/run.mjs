// npm run bench -- mcp [--only NAME,…]: the protocol's conformance suite against the product's own tools.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startService } from './service.mjs';

const SUITE = fileURLToPath(
  new URL('../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
);
const LIMIT_MS = 60_000;

export async function run(options) {
  const only = options[options.indexOf('--only') + 1]?.split(',') ?? null;
  const text = await readFile(new URL('./fixtures-only.json', import.meta.url), 'utf8');
  const { scenarios: expected } = JSON.parse(text);
  const folder = await mkdtemp(join(tmpdir(), 'cellwire-conformance-'));
  const suite = (...args) =>
    new Promise((resolve) => {
      const settings = { cwd: folder, timeout: LIMIT_MS, env: { ...process.env, NO_COLOR: '1' } };
      execFile(process.execPath, [SUITE, ...args], settings, (error, out, problems) =>
        resolve({ passed: error === null, text: out + problems }),
      );
    });
  const listed = (await suite('list')).text.split('Client scenarios')[0];
  const names = [...listed.matchAll(/^ {2}- (\S+) \[/gm)].map(([, name]) => name);
  const service = await startService();
  const wrong = [];
  try {
    for (const name of options.includes('--only') ? only : names) {
      const { passed, text } = await suite('server', '--url', service.endpoint, '--scenario', name);
      const isExpected = passed === !Object.hasOwn(expected, name);
      console.log(`${passed ? 'passed' : 'failed'}  ${name}${passed ? '' : `  (${expected[name] ?? 'not expected'})`}`);
      if (!isExpected) wrong.push(`${name}: ${text.slice(0, 600)}`);
    }
  } finally {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  }
  for (const one of wrong) console.error(one);
  process.exitCode = wrong.length > 0 ? 1 : 0;
}
