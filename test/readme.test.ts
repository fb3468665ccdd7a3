import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import { configFrom } from '../packages/server/src/config/config.ts';
import { type Installation, type Json, newInstallation, type Serving } from '../packages/server/test/main/support.ts';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** A command and the answer printed below it. */
const EXAMPLE = /```sh\n(curl [\s\S]*?)\n```\n```json\n([\s\S]*?)\n```/g;
const EXAMPLES = [...README.matchAll(EXAMPLE)].map(([, command = '', answer = '']) => ({ command, answer }));

/** Different at every run: compared by kind alone. */
const PASSING: ReadonlyMap<string, RegExp> = new Map([
  ['createdAt', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/],
  ['at', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/],
  ['secret', /^whsec_/],
  ['revisionId', /^\d+$/],
  ['requestId', /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/],
]);

suite('the examples of the README', { concurrency: false }, () => {
  let cellwire: Installation;
  let serving: Serving;
  let variables: Readonly<Record<string, string>>;

  before(async () => {
    cellwire = await newInstallation({ CELLWIRE_LOG_LEVEL: 'warn' });
    const config = join(cellwire.folder, 'config.json');
    writeFileSync(config, JSON.stringify({ plans: { enterprise: { requestsPerSecond: null } } }));
    serving = await cellwire.with({ CELLWIRE_CONFIG: config }).serve();
    const token = serving.given('token');
    variables = {
      API: `${serving.address}/api/v1`,
      TOKEN: token,
      DOC: serving.given('document'),
      AUTH: `Authorization: Bearer ${token}`,
      JSON: 'Content-Type: application/json',
    };
  });
  after(async () => {
    await serving.end('SIGTERM');
    await cellwire.remove();
  });

  test('are at least ten', () => assert.ok(EXAMPLES.length >= 10));

  // In their order: each finds what those before it wrote.
  for (const { command, answer } of EXAMPLES) {
    test(command.split('\n')[0] ?? '', async () => {
      const { url, ...request } = curlRequest(shellWords(command, variables));
      const response = await fetch(url, request);
      const given: Json = await response.json();
      assert.deepEqual(withoutPassing(given), withoutPassing(JSON.parse(answer)));
    });
  }

  test('tracking orders takes what the page says, in thirty lines', async () => {
    const page = readFileSync(new URL('../docs/track-orders.md', import.meta.url), 'utf8');
    const program = /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? assert.fail('there is none');
    assert.ok(
      program
        .trim()
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('//')).length < 30,
    );
    const file = join(cellwire.folder, 'orders.mjs');
    writeFileSync(file, program);
    const { API = '', TOKEN = '', DOC = '' } = variables;
    const { stdout } = await promisify(execFile)(process.execPath, [file], {
      env: { ...process.env, API, TOKEN, DOC },
    });
    assert.match(stdout, /^open A-2001 258$/m);
    assert.match(stdout, /^updated A-2001 shipped$/m);
  });
});

test('the configuration file that the README shows is accepted', () => {
  const file = /```json\n(\{\n {2}"port"[\s\S]*?)\n```/.exec(README)?.[1] ?? assert.fail('there is none');
  const config = configFrom({ CELLWIRE_CONFIG: 'config.json' }, () => file);
  assert.ok(!('kind' in config), JSON.stringify(config));
});

/** The words of a shell command with `'…'`, `"…"`, `$NAME` and lines that end in `\`; nothing more of the language. */
function shellWords(command: string, variables: Readonly<Record<string, string>>): readonly string[] {
  const expanded = (text: string) =>
    text.replace(/\$([A-Z]+)/g, (_, name: string) => variables[name] ?? assert.fail(name));
  const words = command.replaceAll('\\\n', ' ').match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  return words.map((word) =>
    word.replace(
      /'([^']*)'|"([^"]*)"|[^'"]+/g,
      (part, literal?: string, quoted?: string) => literal ?? expanded(quoted ?? part),
    ),
  );
}

/** The request that such a curl command sends. */
function curlRequest(words: readonly string[]): { url: string; method: string; headers: Headers; body?: string } {
  const headers = new Headers();
  const query: string[] = [];
  let method: string | undefined;
  let body: string | undefined;
  let url = '';
  const rest = words.slice(1)[Symbol.iterator]();
  const next = (): string => rest.next().value ?? assert.fail('a word is missing');
  for (const word of rest) {
    if (word === '-s' || word === '-G') continue;
    if (word === '-X') method = next();
    else if (word === '-H') headers.append(...splitAt(next(), ': '));
    else if (word === '-d') body = next();
    else if (word === '--data-urlencode') query.push(splitAt(next(), '=').map(encodeURIComponent).join('='));
    else if (word.startsWith('http') && url === '') url = word;
    else assert.fail(`curl ${word} is not known here`);
  }
  const search = query.length > 0 ? `?${query.join('&')}` : '';
  return {
    url: url + search,
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers,
    ...(body === undefined ? {} : { body }),
  };
}

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return [text.slice(0, at), text.slice(at + mark.length)];
}

/** The answer with what differs at every run replaced by its name. */
function withoutPassing(answer: Json): Json {
  return JSON.parse(JSON.stringify(answer), (key, value) => {
    const kind = PASSING.get(key);
    return kind !== undefined && typeof value === 'string' && kind.test(value) ? key : value;
  });
}
