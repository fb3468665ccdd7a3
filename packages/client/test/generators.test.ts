import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const DESCRIPTION = join(ROOT, 'openapi.json');
/** The generators need an older TypeScript than the project, so they are installed in a separate folder. */
const GENERATORS = join(ROOT, 'test', 'generators');
const fromGenerators = createRequire(join(GENERATORS, 'package.json'));
const fromProject = createRequire(import.meta.url);
const generatedFolder = mkdtempSync(join(tmpdir(), 'cellwire-generators-'));
after(() => rmSync(generatedFolder, { recursive: true }));

suite('client generators of others', () => {
  test('openapi-typescript generates types that a program compiles with', () => {
    const folder = join(generatedFolder, 'types');
    runProgram('openapi-typescript', 'openapi-typescript', [DESCRIPTION, '--output', join(folder, 'api.d.ts')]);
    compile(folder, TYPES_PROGRAM);
  });

  test('@hey-api/openapi-ts generates a client that a program compiles with', () => {
    const folder = join(generatedFolder, 'client');
    runProgram('@hey-api/openapi-ts', 'openapi-ts', [
      '--input',
      DESCRIPTION,
      '--output',
      join(folder, 'client'),
      '--silent',
    ]);
    compile(folder, CLIENT_PROGRAM);
  });
});

/** Runs a program of a package outside the project, so that it finds none of the project's configuration. */
function runProgram(name: string, program: string, args: readonly string[]): void {
  execFileSync(process.execPath, [findProgram(fromGenerators, name, program), ...args], {
    cwd: generatedFolder,
    stdio: 'pipe',
  });
}

function compile(folder: string, program: string): void {
  writeFileSync(join(folder, 'program.ts'), program);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const options = '--ignoreConfig --strict --noEmit --module esnext --moduleResolution bundler --target es2023';
  const libraries = ['--lib', 'es2023,dom,dom.iterable,dom.asynciterable'];
  execFileSync(
    process.execPath,
    [findProgram(fromProject, 'typescript', 'tsc'), ...options.split(' '), ...libraries, ...files],
    { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] },
  );
}

function findProgram(from: NodeJS.Require, name: string, program: string): string {
  const manifest = from.resolve(`${name}/package.json`);
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly bin: Readonly<Record<string, string>> };
  return join(dirname(manifest), bin[program] ?? '');
}

const TYPES_PROGRAM = `
import type { operations } from './api';
type Document = operations['getDocument']['responses'][200]['content']['application/json']['document'];
export const epochOf = ({ dateSystem }: Document): '1899-12-30' | '1900' | '1904' => dateSystem;
type Body = NonNullable<operations['putValues']['requestBody']>['content']['application/json'];
export const body: Body = { values: [['Number', 12.5, null]] };
`;

const CLIENT_PROGRAM = `
import { client } from './client/client.gen';
import { getDocument, putValues } from './client/sdk.gen';
client.setConfig({ auth: () => 'token' });
export async function titleOf(document: string): Promise<string | undefined> {
  await putValues({ path: { document, range: 'A1' }, body: { values: [[1]] } });
  return (await getDocument({ path: { document } })).data?.document.title;
}
`;
