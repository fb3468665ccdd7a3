import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { translateToRussian } from '../packages/console/src/text/ru-service.ts';

const ROOT = new URL('..', import.meta.url).pathname;

/** Sources whose messages reach people in the console. */
const SOURCES: readonly string[] = [
  'packages/server/src/service/refusal.ts',
  'packages/server/src/service/engine-refusal.ts',
  'packages/server/src/http/errors.ts',
  'packages/server/src/http/console',
  'packages/server/src/service/accounts',
  'packages/server/src/service/cells',
  'packages/server/src/service/history',
  'packages/server/src/service/sharing',
  'packages/server/src/service/structure/sheets.ts',
  'packages/server/src/service/webhooks',
  'packages/engine/src/calc/explain.ts',
  'packages/engine/src/workbook/names.ts',
  'packages/engine/src/workbook/sheet-names.ts',
  'packages/files/src',
];

/**
 * Messages in a source: `message: '…'`, the last argument of `invalidRequest`, the first of `refuse`, returned sentences
 * and the values of tables. Parts in `${}` become `…`.
 */
const MESSAGES: readonly RegExp[] = [
  /message: (['"`])((?:(?!\1)[^\\]|\\.)+)\1/g,
  /invalidRequest\(\s*(?:[^,()'"`]+|(['"`])[^'"`]*\1),\s*(['"`])((?:(?!\2)[^\\]|\\.)+)\2,?\s*\)/g,
  /\brefuse\(\s*(['"`])((?:(?!\1)[^\\]|\\.)+)\1/g,
  /return (['"`])((?:The|A|a) (?:(?!\1)[^\\]|\\.)+)\1;/g,
  /'#[^']+': (['"`])((?:(?!\1)[^\\]|\\.)+)\1/g,
];

function* listSourceFiles(path: string): Iterable<string> {
  if (path.endsWith('.ts')) return yield path;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory() || entry.name.endsWith('.ts')) yield* listSourceFiles(join(path, entry.name));
  }
}

function* findMessages(source: string): Iterable<string> {
  const text = readFileSync(source, 'utf8').replace(/^\s*(?:\/?\*|\/\/).*$/gm, '');
  for (const pattern of MESSAGES) {
    for (const found of text.matchAll(pattern)) yield (found.at(-1) ?? '').replace(/\$\{[^}]*\}/g, '…');
  }
}

test('each message of the service that the console shows has a Russian translation', () => {
  const found = SOURCES.flatMap((path) =>
    [...listSourceFiles(join(ROOT, path))].flatMap((file) => [...findMessages(file)]),
  );
  assert.ok(found.length > 100);
  // A message without words of its own consists of parts that are messages themselves.
  const sentences = found.filter((message) => /\p{L}{2}/u.test(message));
  const untranslated = new Set(sentences.filter((message) => translateToRussian(message) === null));
  assert.deepEqual([...untranslated], []);
});

test('a translation repeats the names and numbers of the message', () => {
  assert.equal(translateToRussian('There is no sheet Data'), 'Листа Data нет');
  assert.equal(
    translateToRussian('A formula may be nested 64 levels deep at most, and that of Sheet1!B2 is deeper'),
    'Вложенность формулы не может превышать 64, а в Sheet1!B2 она больше',
  );
  assert.equal(translateToRussian('some other text'), null);
});
