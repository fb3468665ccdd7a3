import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createTextArbitrary } from '../../../../test/any-text.ts';
import { createTemplateKey, FILE, MAX_NESTING, parse, print, WIRE, walkTree } from '../../src/formula/index.ts';
import { assertLinear } from '../growth.ts';
import { D5, getAdvice, NAMES, parseWire, printNode, removeParentheses } from './support.ts';

describe('refuses texts that are nested far too deeply', () => {
  const times = 100_000;
  const deep = /nested too deeply: more than 256 levels/;
  const long = /too many operators: more than 4200 in a row/;
  for (const [name, text, message] of [
    ['brackets', `=${'('.repeat(times)}1${')'.repeat(times)}`, deep],
    ['calls', `=${'F('.repeat(times)}`, deep],
    ['applications', `=F${'()'.repeat(times)}`, deep],
    ['signs', `=${'-'.repeat(times)}1`, deep],
    ['percents', `=1${'%'.repeat(times)}`, deep],
    ['anchors', `=A1${'#'.repeat(times)}`, deep],
    ['sums', `=1${'+1'.repeat(times)}`, long],
    ['unions', `=A1${'~A1'.repeat(times)}`, long],
    ['unions in brackets', `=(A1${';A1'.repeat(times)})`, long],
    ['intersections', `=A1${' A1'.repeat(times)}`, long],
    ['ranges', `=A1${':A1'.repeat(times)}`, long],
  ] as const) {
    it(name, () => assert.match(getAdvice(parseWire(text)), message));
  }
});

describe('the limit on nesting', () => {
  const kinds: readonly [string, (levels: number) => string][] = [
    ['brackets', (n) => `=${'('.repeat(n)}1${')'.repeat(n)}`],
    ['calls', (n) => `=${'ABS('.repeat(n)}1${')'.repeat(n)}`],
    ['signs', (n) => `=${'-'.repeat(n)}1`],
    ['percents', (n) => `=1${'%'.repeat(n)}`],
    ['anchors', (n) => `=A1${'#'.repeat(n)}`],
    ['applications', (n) => `=F${'()'.repeat(n)}`],
    ['sums in brackets', (n) => `=${'1+('.repeat(n / 2)}1${')'.repeat(n / 2)}`],
  ];
  for (const [name, text] of kinds) {
    it(`is the same for ${name}`, () => {
      assert.notEqual(parseWire(text(MAX_NESTING)).k, 'invalid');
      const deeper = parseWire(text(MAX_NESTING + 2));
      assert.ok(deeper.k === 'invalid' && deeper.tooDeep);
    });
  }

  it('counts a chain of operators as one level', () => {
    for (const text of [`=1${'+1'.repeat(4_000)}`, `=A1${'&"x"'.repeat(2_000)}`, `=SUM((A1${'~A1'.repeat(2_500)}))`]) {
      assert.notEqual(parseWire(text).k, 'invalid');
    }
  });
});

describe('long texts take linear time', () => {
  for (const [name, text] of [
    ['blanks', (times) => `=A1${' '.repeat(times)}`],
    ['blanks in brackets', (times) => `=${'('.repeat(200)}A1${' '.repeat(times)}${')'.repeat(200)}`],
    ['arguments', (times) => `=SUM(1${';1'.repeat(times)})`],
    ['missing arguments', (times) => `=SUM(${';'.repeat(times)})`],
    ['words', (times) => `=${'a'.repeat(times)}`],
    ['digits', (times) => `=${'1'.repeat(times)}`],
    ['colons in a sheet name', (times) => `='${':'.repeat(times)}'!A1`],
    ['quotes', (times) => `="${'""'.repeat(times)}"`],
    ['apostrophes', (times) => `='${"''".repeat(times)}'!A1`],
    ['open apostrophes', (times) => `='${"''".repeat(times)}`],
    ['square brackets', (times) => `=${'[a'.repeat(times)}`],
    ['tables', (times) => `=SUM(T[a]${';T[a]'.repeat(times)})`],
    ['colons and words', (times) => `=${'a:'.repeat(times)}a`],
    ['braces', (times) => `=${'{'.repeat(times)}`],
    ['columns of an array', (times) => `={1${'\\1'.repeat(times)}}`],
    ['prefixes', (times) => `=${'_xlfn.'.repeat(times)}F(1)`],
    ['errors', (times) => `=SUM(#N/A${';#REF!A1'.repeat(times)})`],
  ] as readonly [string, (times: number) => string][]) {
    it(name, () => assertLinear(12_500, (times) => parseWire(text(times))));
  }
});

it('parses, prints and visits a sum of 8,192 characters', () => {
  const text = `=${'1+'.repeat(4_095)}1`;
  const node = parseWire(text);
  assert.equal(node.k, 'binary');
  assert.equal(printNode(node), text);
  assert.equal(createTemplateKey(JSON.parse(createTemplateKey(node))), createTemplateKey(node));
  let numbers = 0;
  walkTree(node, (next) => {
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
    createTextArbitrary({ maxLength: 20 }),
  );
  for (const [name, grammar] of [
    ['on the wire', WIRE],
    ['in files', FILE],
  ] as const) {
    it(`${name} parses without an exception, and printed formulas parse to the same tree`, () => {
      fc.assert(
        fc.property(text, (body) => {
          const node = parse(`=${body}`, grammar, D5, NAMES);
          const printed = print(node, grammar, D5, NAMES);
          if (node.k === 'invalid') assert.equal(printed, `=${body}`);
          else {
            const reparsed = parse(printed, grammar, D5, NAMES);
            assert.deepEqual(removeParentheses(reparsed), removeParentheses(node), printed);
            assert.equal(print(reparsed, grammar, D5, NAMES), printed);
          }
        }),
        { numRuns: 20_000 },
      );
    });
  }
});
