// npm run bench -- mcp [--only NAME,…]: runs the protocol's conformance suite against the service. Scenarios that need
// tools, resources or prompts of the suite run against fixtures.mjs on the same transport.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startFixtures } from './fixtures.mjs';
import { startService } from './service.mjs';

const SUITE = fileURLToPath(
  new URL('../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
);
const LIMIT_MS = 60_000;

export async function run(options) {
  const only = options[options.indexOf('--only') + 1]?.split(',') ?? null;
  const { fixtures: onFixtures, unsupported } = JSON.parse(
    await readFile(new URL('./scenarios.json', import.meta.url), 'utf8'),
  );
  const folder = await mkdtemp(join(tmpdir(), 'cellwire-conformance-'));
  const runSuite = (...args) =>
    new Promise((resolve) => {
      const settings = { cwd: folder, timeout: LIMIT_MS, env: { ...process.env, NO_COLOR: '1' } };
      execFile(process.execPath, [SUITE, ...args], settings, (error, out, problems) =>
        resolve({ passed: error === null, text: out + problems }),
      );
    });
  const list = (await runSuite('list')).text.split('Client scenarios')[0];
  const names = [...list.matchAll(/^ {2}- (\S+) \[/gm)].map(([, name]) => name);
  const [service, fixtures] = [await startService(), await startFixtures()];
  const wrong = [];
  try {
    for (const name of options.includes('--only') ? only : names) {
      const { endpoint } = onFixtures.includes(name) ? fixtures : service;
      const { passed: isPassed, text } = await runSuite('server', '--url', endpoint, '--scenario', name);
      const reason = unsupported[name];
      console.log(`${isPassed ? 'passed' : 'failed'}  ${name}${reason === undefined ? '' : `  (${reason})`}`);
      if (isPassed !== (reason === undefined)) wrong.push(`${name}: ${text.slice(0, 600)}`);
    }
  } finally {
    await Promise.all([service.close(), fixtures.close()]);
    await rm(folder, { recursive: true, force: true });
  }
  for (const problem of wrong) console.error(problem);
  process.exitCode = wrong.length > 0 ? 1 : 0;
}
