import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { functionsPage } from '../scripts/functions-page.ts';
import * as engine from '../src/index.ts';

const README = new URL('../README.md', import.meta.url);
const FUNCTIONS_PAGE = new URL('../../../docs/functions.md', import.meta.url);
const AsyncFunction = (async () => {}).constructor as new (...args: string[]) => (...args: unknown[]) => Promise<void>;

describe('the engine’s documents', () => {
  it('have an example that prints the output that they show', async () => {
    const example = /```ts\n([\s\S]*?)```/.exec(readFileSync(README, 'utf8'))?.[1] ?? '';
    const said = [...example.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map((match) => match[1]);
    const printed: string[] = [];
    const console = { log: (...parts: unknown[]) => printed.push(parts.join(' ')) };
    const body = example.replace(/^import .*$/gm, '');
    await new AsyncFunction('cellView', 'pageBytes', 'Workbook', 'console', body)(
      engine.cellView,
      engine.pageBytes,
      engine.Workbook,
      console,
    );
    assert.ok(said.length >= 3);
    assert.deepEqual(printed, said);
  });

  it('list the functions there are (npm run docs:functions)', () => {
    assert.equal(readFileSync(FUNCTIONS_PAGE, 'utf8'), functionsPage());
  });
});
