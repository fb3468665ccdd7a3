import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { functionsPage } from '../scripts/functions-page.ts';
import * as engine from '../src/index.ts';

const README = new URL('../README.md', import.meta.url);
const FUNCTIONS_PAGE = new URL('../../../docs/functions.md', import.meta.url);
const AsyncFunction = (async () => {}).constructor as new (...args: string[]) => (...args: unknown[]) => Promise<void>;

describe('the documents of the engine', () => {
  it('contain an example that prints the documented output', async () => {
    const example = /```ts\n([\s\S]*?)```/.exec(readFileSync(README, 'utf8'))?.[1] ?? '';
    const expected = [...example.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map((match) => match[1]);
    const output: string[] = [];
    const console = { log: (...parts: unknown[]) => output.push(parts.join(' ')) };
    const body = example.replace(/^import .*$/gm, '');
    await new AsyncFunction('cellView', 'pageBytes', 'Workbook', 'console', body)(
      engine.cellView,
      engine.pageBytes,
      engine.Workbook,
      console,
    );
    assert.ok(expected.length >= 3);
    assert.deepEqual(output, expected);
  });

  it('list all functions (update with npm run docs:functions)', () => {
    assert.equal(readFileSync(FUNCTIONS_PAGE, 'utf8'), functionsPage());
  });
});
