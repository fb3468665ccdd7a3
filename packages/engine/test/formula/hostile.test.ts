import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Node } from '../../src/formula/ast.ts';
import { FILE, parse, print, templateKey, WIRE, walk } from '../../src/formula/index.ts';
import { advice, D5, meaning, NAMES, printed, wire } from './support.ts';

/** Far above what the texts below need, far below what a quadratic reader would take. */
const PATIENCE_MS = 500;

function quickly(text: string): Node {
  const start = performance.now();
  const node = wire(text);
  const elapsed = performance.now() - start;
  assert.ok(elapsed < PATIENCE_MS, `${elapsed} ms`);
  return node;
}

describe('texts that are far too deep are refused', () => {
  const times = 100_000;
  for (const [name, text, message] of [
    ['brackets', `=${'('.repeat(times)}1${')'.repeat(times)}`, /more than 256 brackets/],
    ['calls', `=${'F('.repeat(times)}`, /more than 256 brackets/],
    ['applications', `=F${'()'.repeat(times)}`, /too deeply/],
    ['signs', `=${'-'.repeat(times)}1`, /too deeply/],
    ['percents', `=1${'%'.repeat(times)}`, /too deeply/],
    ['sums', `=1${'+1'.repeat(times)}`, /too deeply/],
    ['unions', `=A1${'~A1'.repeat(times)}`, /too deeply/],
    ['intersections', `=A1${' A1'.repeat(times)}`, /too deeply/],
    ['ranges', `=A1${':A1'.repeat(times)}`, /too deeply/],
    ['anchors', `=A1${'#'.repeat(times)}`, /too deeply/],
  ] as const) {
    it(name, () => assert.match(advice(quickly(text)), message));
  }
});

describe('long texts take linear time', () => {
  const times = 50_000;
  for (const [name, text] of [
    ['blanks', `=A1${' '.repeat(times)}`],
    ['blanks in brackets', `=${'('.repeat(200)}A1${' '.repeat(times)}${')'.repeat(200)}`],
    ['arguments', `=SUM(1${';1'.repeat(times)})`],
    ['missing arguments', `=SUM(${';'.repeat(times)})`],
    ['words', `=${'a'.repeat(times)}`],
    ['digits', `=${'1'.repeat(times)}`],
    ['colons in a sheet name', `='${':'.repeat(times)}'!A1`],
    ['quotes', `="${'""'.repeat(times)}"`],
    ['apostrophes', `='${"''".repeat(times)}'!A1`],
    ['open apostrophes', `='${"''".repeat(times)}`],
    ['square brackets', `=${'[a'.repeat(times)}`],
    ['tables', `=SUM(T[a]${';T[a]'.repeat(times)})`],
    ['colons and words', `=${'a:'.repeat(times)}a`],
    ['braces', `=${'{'.repeat(times)}`],
    ['columns of an array', `={1${'\\1'.repeat(times)}}`],
    ['prefixes', `=${'_xlfn.'.repeat(times)}F(1)`],
    ['errors', `=SUM(#N/A${';#REF!A1'.repeat(times)})`],
  ] as const) {
    it(name, () => {
      quickly(text);
    });
  }
});

it('a sum that fills a formula of 8,192 characters is read, printed and visited', () => {
  const text = `=${'1+'.repeat(4_095)}1`;
  const node = quickly(text);
  assert.equal(node.k, 'binary');
  assert.equal(printed(node), text);
  assert.equal(templateKey(JSON.parse(templateKey(node))), templateKey(node));
  let numbers = 0;
  walk(node, (next) => {
    if (next.k === 'number') numbers++;
    return true;
  });
  assert.equal(numbers, 4_096);
});

describe('any text at all', () => {
  const pieces = fc.constantFrom(
    ...['A1', '$', 'Sheet1', "'a b'", '!', ':', ';', ',', '.', '\\', '~', '(', ')', '[', ']', '{', '}', '"', "'"],
    ...['#', '@', '%', '-', '+', '*', '/', '^', '&', '=', '<', '>', ' ', '\n', '1', '1,5', 'E5', 'TRUE', 'SUM(', 'x'],
    ...['#REF!', '#N/A', '_xlfn.', '[1]', 'T[', '[@', '[#All]', 'B:B', '2:3', '🙂', '\u0000', 'é'],
  );
  const text = fc.oneof(
    fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  for (const [name, grammar] of [
    ['on the wire', WIRE],
    ['in files', FILE],
  ] as const) {
    it(`${name} is read without an exception, and what was read reads back`, () => {
      fc.assert(
        fc.property(text, (body) => {
          const node = parse(`=${body}`, grammar, D5, NAMES);
          const again = print(node, grammar, D5, NAMES);
          if (node.k === 'invalid') assert.equal(again, `=${body}`);
          else {
            const read = parse(again, grammar, D5, NAMES);
            assert.deepEqual(meaning(read), meaning(node), again);
            assert.equal(print(read, grammar, D5, NAMES), again);
          }
        }),
        { numRuns: 20_000 },
      );
    });
  }
});
