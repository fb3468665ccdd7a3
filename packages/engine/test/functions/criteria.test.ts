import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createMatcher } from '../../src/functions/criteria.ts';
import { compileWildcard, matchesWildcard, searchWildcard } from '../../src/functions/wildcard.ts';
import { DIV0, NA } from '../../src/value/errors.ts';
import type { Scalar } from '../../src/value/scalar.ts';
import { assertLinear } from '../growth.ts';

const EN = { locale: 'en-US', dateSystem: '1900' } as const;
const RU = { locale: 'ru-RU', dateSystem: 'google' } as const;

describe('a criterion selects cells', () => {
  it('reads the digits of an operand as a number in every locale', () => {
    for (const conventions of [EN, RU]) {
      const numbers = [7, 70, 999_999_999_999_999, 1_000_000_000_000_000, 2026];
      const select = (criterion: string) => numbers.filter(createMatcher(criterion, conventions));
      assert.deepEqual(select('007'), [7]);
      assert.deepEqual(select('=2026'), [2026]);
      assert.deepEqual(select('>=999999999999999'), [999_999_999_999_999, 1_000_000_000_000_000]);
      assert.deepEqual(select('1000000000000000'), [1_000_000_000_000_000]);
      assert.deepEqual(select('>-1'), numbers);
      assert.deepEqual(select('<>70'), [7, 999_999_999_999_999, 1_000_000_000_000_000, 2026]);
    }
  });

  const cells: readonly Scalar[] = [5, '5', 0, 'apple', 'Apple pie', '', null, true, NA, -3, 'a*b'];
  for (const [criterion, description] of [
    [5, [5, '5']],
    ['5', [5, '5']],
    ['=5', [5, '5']],
    ['>0', [5]],
    ['>=0', [5, 0]],
    ['<0', [-3]],
    ['apple', ['apple']],
    ['APPLE*', ['apple', 'Apple pie']],
    ['*', ['5', 'apple', 'Apple pie', '', 'a*b']],
    ['?pple', ['apple']],
    ['a~*b', ['a*b']],
    ['>apple', ['Apple pie']],
    ['', ['', null]],
    ['=', [null]],
    ['TRUE', [true]],
    [true, [true]],
    ['#N/A', [NA]],
    [NA, [NA]],
    [DIV0, []],
    [null, [0]],
  ] as const) {
    it(String(criterion === '' ? 'an empty text' : criterion), () => {
      const meets = createMatcher(criterion, EN);
      assert.deepEqual(cells.filter(meets), description);
    });
  }

  it('<> selects every other cell, including blank ones', () => {
    for (const text of ['apple', 'a*', 'TRUE', '']) {
      const isEqual = createMatcher(`=${text}`, EN);
      const isUnequal = createMatcher(`<>${text}`, EN);
      for (const cell of cells) assert.notEqual(isEqual(cell), isUnequal(cell), `${text}: ${String(cell)}`);
    }
  });

  it('<> excludes the number only, not texts that can be read as it', () => {
    assert.deepEqual([5, '5', 6, null].filter(createMatcher('<>5', EN)), ['5', 6, null]);
  });

  it('an ordering operator without an operand selects no cell', () => {
    for (const criterion of ['<', '<=', '>', '>=']) assert.deepEqual(cells.filter(createMatcher(criterion, EN)), []);
  });

  it('numbers and dates are read in the document’s locale', () => {
    assert.equal(createMatcher('>2,5', RU)(2.6), true);
    assert.equal(createMatcher('>2,5', RU)(2.4), false);
    assert.equal(createMatcher('>=2024-01-01', EN)(45292), true);
    assert.equal(createMatcher('>=2024-01-01', EN)(45291), false);
    assert.equal(createMatcher('50%', EN)(0.5), true);
  });
});

/** A simple implementation of wildcard patterns, too slow for hostile texts. */
function matchesPattern(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  if (pattern[0] === '*') {
    for (let i = 0; i <= text.length; i++) if (matchesPattern(pattern.slice(1), text.slice(i))) return true;
    return false;
  }
  if (pattern[0] === '~')
    return pattern.length === 1
      ? text === ''
      : text[0] === pattern[1] && matchesPattern(pattern.slice(2), text.slice(1));
  if (text === '') return false;
  return (pattern[0] === '?' || pattern[0] === text[0]) && matchesPattern(pattern.slice(1), text.slice(1));
}

describe('wildcards', () => {
  const piece = fc.constantFrom('a', 'b', '*', '?', '~');
  const pattern = fc.array(piece, { maxLength: 6 }).map((parts) => parts.join(''));
  const text = fc.array(fc.constantFrom('a', 'b', '*', '?', '~'), { maxLength: 7 }).map((parts) => parts.join(''));

  it('match the same texts as a simple implementation', () => {
    fc.assert(
      fc.property(pattern, text, (p, t) => {
        assert.equal(matchesWildcard(compileWildcard(p), t), matchesPattern(p, t));
      }),
    );
  });

  it('are found at their first position in a text', () => {
    fc.assert(
      fc.property(pattern, text, (p, t) => {
        // A tilde at the end would escape the star that is added below.
        fc.pre(!/(^|[^~])(~~)*~$/.test(p));
        const starts = Array.from({ length: t.length + 1 }, (_, i) => i);
        const first = starts.find((i) => matchesPattern(`${p}*`, t.slice(i))) ?? -1;
        assert.equal(searchWildcard(compileWildcard(p), t, 0), first);
      }),
    );
  });

  it('take hostile texts in linear time', () => {
    const hostile = compileWildcard(`${'*a'.repeat(100)}b`);
    assertLinear(50_000, (size) => assert.equal(matchesWildcard(hostile, 'a'.repeat(size)), false));
  });
});
