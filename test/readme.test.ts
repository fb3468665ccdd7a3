import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { parseConfig } from '../packages/server/src/config/config.ts';
import { buildProgram } from '../packages/server/src/main/program.ts';
import {
  createInstallation,
  type Installation,
  type Json,
  type LocalService,
} from '../packages/server/test/main/support.ts';

/** In reading order: examples of docs/api.md use data that the examples of README.md write. */
const PAGES = ['README.md', 'docs/api.md'].map(readText);
const MAX_README_LINES = 150;

/** A command and the response below it. */
const EXAMPLE = /```sh\n(curl [\s\S]*?)\n```\n```json\n([\s\S]*?)\n```/g;
const EXAMPLES = PAGES.flatMap((page) => [...page.matchAll(EXAMPLE)]).map(([, command = '', answer = '']) => ({
  command,
  answer,
}));

/** Values that differ in each run; only their form is compared. */
const VARIABLE_VALUES: ReadonlyMap<string, RegExp> = new Map([
  ['createdAt', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/],
  ['at', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/],
  ['secret', /^whsec_/],
  ['revisionId', /^\d+$/],
  ['requestId', /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/],
]);

suite('the examples in README.md and docs/api.md', { concurrency: false }, () => {
  let cellwire: Installation;
  let serving: LocalService;
  let variables: Readonly<Record<string, string>>;

  before(async () => {
    cellwire = await createInstallation({ CELLWIRE_LOG_LEVEL: 'warn' });
    const config = join(cellwire.folder, 'config.json');
    writeFileSync(config, JSON.stringify({ plans: { enterprise: { requestsPerSecond: null } } }));
    serving = await cellwire.addEnvironment({ CELLWIRE_CONFIG: config }).serveInProcess();
    const token = serving.readFirstStartValue('token');
    variables = {
      API: `${serving.address}/api/v1`,
      TOKEN: token,
      DOC: serving.readFirstStartValue('document'),
      AUTH: `Authorization: Bearer ${token}`,
      JSON: 'Content-Type: application/json',
    };
  });
  after(async () => {
    await serving.end();
    await cellwire.remove();
  });

  test('are at least ten', () => assert.ok(EXAMPLES.length >= 10));

  test('all have responses', () => {
    const commands = PAGES.flatMap((page) => [...page.matchAll(/^```sh\ncurl /gm)]);
    assert.equal(EXAMPLES.length, commands.length);
  });

  // The examples run in order, because each example uses data of the previous ones.
  for (const { command, answer } of EXAMPLES) {
    test(command.split('\n')[0] ?? '', async () => {
      const { url, ...request } = parseCurl(splitShellWords(command, variables));
      const response = await fetch(url, request);
      const responseBody: Json = await response.json();
      assert.deepEqual(removeVariableValues(responseBody), removeVariableValues(JSON.parse(answer)));
    });
  }

  test('the program in docs/track-orders.md works and has less than thirty lines', async () => {
    const page = readText('docs/track-orders.md');
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

test(`the README has at most ${MAX_README_LINES} lines`, () => {
  const lines = readText('README.md').trimEnd().split('\n').length;
  assert.ok(lines <= MAX_README_LINES, `${lines} lines`);
});

test('the configuration file in docs/configuration.md is valid', () => {
  const file =
    /```json\n(\{\n {2}"port"[\s\S]*?)\n```/.exec(readText('docs/configuration.md'))?.[1] ??
    assert.fail('there is none');
  const config = parseConfig({ CELLWIRE_CONFIG: 'config.json' }, () => file);
  assert.ok(!('kind' in config), JSON.stringify(config));
});

/** Options that docs/command-line.md describes once for all lists. */
const PAGING_OPTIONS: ReadonlySet<string> = new Set(['--limit', '--cursor']);

suite('docs/command-line.md', () => {
  const rows = readText('docs/command-line.md').matchAll(/^\| `((?:[^`])+)`/gm);
  /** Rows by command: `user disable\\|enable --user U` contains two commands. */
  const rowTexts = new Map<string, string>();
  for (const [, row = ''] of rows) {
    const [words = ''] = /^[a-z-]+(?: [a-z\\|]+)*/.exec(row) ?? [];
    const [group = '', subcommands] = words.split(' ');
    const paths = subcommands?.split('\\|').map((name) => `${group} ${name}`) ?? [group];
    for (const path of paths) rowTexts.set(path, `${rowTexts.get(path) ?? ''} ${row}`);
  }

  for (const { path, options } of listCommands(buildProgram(process))) {
    test(`contains ${path} with its options`, () => {
      const text = rowTexts.get(path) ?? assert.fail('no row');
      const missing = options.filter((option) => !PAGING_OPTIONS.has(option) && !text.includes(option));
      assert.deepEqual(missing, []);
    });
  }
});

interface CommandOptions {
  readonly path: string;
  readonly options: readonly string[];
}

/** Executable commands with the long names of their own options. */
function listCommands(command: Command, path: readonly string[] = []): readonly CommandOptions[] {
  const options = command.options.flatMap(({ long }) => long ?? []);
  const below = command.commands.flatMap((one) => listCommands(one, [...path, one.name()]));
  // A group of commands has no own options; `backup` is a command with a subcommand.
  const isCommand = path.length > 0 && (below.length === 0 || options.length > 0);
  return isCommand ? [{ path: path.join(' '), options }, ...below] : below;
}

/** Text of a file of the repository. */
function readText(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
}

/** Splits a shell command into words. Supports only `'…'`, `"…"`, `$NAME` and `\` at the end of a line. */
function splitShellWords(command: string, variables: Readonly<Record<string, string>>): readonly string[] {
  const expandVariables = (text: string) =>
    text.replace(/\$([A-Z]+)/g, (_, name: string) => variables[name] ?? assert.fail(name));
  const words = command.replaceAll('\\\n', ' ').match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  return words.map((word) =>
    word.replace(
      /'([^']*)'|"([^"]*)"|[^'"]+/g,
      (part, literal?: string, quoted?: string) => literal ?? expandVariables(quoted ?? part),
    ),
  );
}

/** The request of a curl command. */
function parseCurl(words: readonly string[]): { url: string; method: string; headers: Headers; body?: string } {
  const headers = new Headers();
  const query: string[] = [];
  let method: string | undefined;
  let body: string | undefined;
  let url = '';
  const rest = words.slice(1)[Symbol.iterator]();
  const takeNext = (): string => rest.next().value ?? assert.fail('a word is missing');
  for (const word of rest) {
    if (word === '-s' || word === '-G') continue;
    if (word === '-X') method = takeNext();
    else if (word === '-H') headers.append(...splitAt(takeNext(), ': '));
    else if (word === '-d') body = takeNext();
    else if (word === '--data-urlencode') query.push(splitAt(takeNext(), '=').map(encodeURIComponent).join('='));
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

/** A response in which values that differ in each run are replaced by their names. */
function removeVariableValues(answer: Json): Json {
  return JSON.parse(JSON.stringify(answer), (key, value) => {
    const kind = VARIABLE_VALUES.get(key);
    return kind !== undefined && typeof value === 'string' && kind.test(value) ? key : value;
  });
}
