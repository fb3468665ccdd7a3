import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { invokeFunction } from '../../src/functions/invoke.ts';
import { estimatePatternSize } from '../../src/functions/text/regex-size.ts';
import { assertLinear } from '../growth.ts';
import { callAndReadRows, callAndReadScalar, createContext, findSpec } from './call.ts';

const NAMES = 'DylanWilliams';
const PHONES = 'Sonia Rees (378) 555-4195, Angel Brown (878) 555-8622';

describe('regular expressions', () => {
  for (const [name, args, expected] of [
    ['REGEXTEST', ['alfalfa', 'a'], true],
    ['REGEXTEST', ['alfalfa', '[A-Z]'], false],
    ['REGEXTEST', ['alfalfa', '[A-Z]', 1], true],
    ['REGEXTEST', ['alfalfa', '[aeiou]{2}'], false],
    ['REGEXTEST', ['мир', '^\\p{L}+$'], true],
    ['REGEXTEST', ['x', '('], '#VALUE!'],
    ['REGEXTEST', ['x', 'x', 2], '#VALUE!'],
    ['REGEXMATCH', ['Spreadsheets', 'S.r'], true],
    ['REGEXEXTRACT', [NAMES, '[A-Z][a-z]+'], 'Dylan'],
    ['REGEXEXTRACT', [NAMES, '[0-9]'], '#N/A'],
    ['REGEXEXTRACT', [NAMES, '[a-z]', 3], '#VALUE!'],
    ['REGEXREPLACE', [PHONES, '[0-9]+-', '***-'], 'Sonia Rees (378) ***-4195, Angel Brown (878) ***-8622'],
    ['REGEXREPLACE', [PHONES, '[0-9]+-', '***-', -1], 'Sonia Rees (378) 555-4195, Angel Brown (878) ***-8622'],
    ['REGEXREPLACE', [NAMES, '([A-Z][a-z]+)([A-Z][a-z]+)', '$2, $1'], 'Williams, Dylan'],
    ['REGEXREPLACE', ['abc', 'b', '$$'], 'a$c'],
    ['REGEXREPLACE', ['abc', 'b', '$1'], '#VALUE!'],
    ['REGEXREPLACE', ['abc', 'x', 'y', 5], 'abc'],
    ['REGEXREPLACE', ['abc', '', '-'], '-a-b-c-'],
  ] as const) {
    it(`${name} ${args.slice(1).join(' ')}`, () => assert.equal(callAndReadScalar(name, args), expected));
  }

  it('REGEXEXTRACT returns all matches, or the groups of the first match', () => {
    assert.deepEqual(callAndReadRows('REGEXEXTRACT', [NAMES, '[A-Z][a-z]+', 1]), [['Dylan', 'Williams']]);
    assert.deepEqual(callAndReadRows('REGEXEXTRACT', [PHONES, '\\(([0-9]+)\\) ([0-9-]+)', 2]), [['378', '555-4195']]);
  });

  it('a hostile pattern takes no more than linear time', () => {
    assertLinear(7_500, (size) => {
      assert.equal(callAndReadScalar('REGEXTEST', ['a'.repeat(size), '(a+)+$x']), false);
      assert.equal(callAndReadScalar('REGEXTEST', [`${'a'.repeat(size)}!`, '^(a|aa)+$']), false);
    });
  });

  it('refuses patterns of too many instructions before compiling them', () => {
    for (const pattern of [
      'a{1000}'.repeat(140),
      '(a?){1000}',
      `${'('.repeat(4)}a?${'){9}'.repeat(4)}`,
      '([)]a{30}){30}a{900}a{900}a{900}',
      '(\\Q)\\Ea{1000}){4}',
      '([[:alpha:])]a{1000}){4}',
    ]) {
      assert.equal(callAndReadScalar('REGEXTEST', ['aaa', pattern]), '#VALUE!', pattern);
    }
    assert.equal(callAndReadScalar('REGEXTEST', ['a'.repeat(1000), '^a{1,1000}$']), true);
  });

  it('estimates at least half of the instructions', () => {
    const part = fc.constantFrom(
      'a',
      'b?',
      '[a)]',
      '[]x]',
      '[[:alpha:](]',
      '\\(',
      '\\pL',
      '\\Q(a\\E',
      'c{3}',
      'd{2,5}',
      'e{2,}',
      '.*',
      'f|g',
    );
    const pattern: fc.Arbitrary<string> = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        part,
        fc.array(tie('node'), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
        fc
          .tuple(tie('node'), fc.constantFrom('', '{4}', '{0,3}', '*', '?'))
          .map(([inner, mark]) => `(${inner})${mark}`),
      ),
    })).node;
    fc.assert(
      fc.property(pattern, (text) => {
        assert.ok(RE2JS.compile(text).programSize() <= 2 * estimatePatternSize(text) + 8, text);
      }),
    );
  });

  it('refuses searches that could take too long, and charges the budget for others', () => {
    const pattern = `(${'ab?'.repeat(60)})+x`;
    assert.equal(callAndReadScalar('REGEXTEST', ['a'.repeat(32_000), pattern]), '#VALUE!');
    let checks = 0;
    const context = {
      ...createContext(),
      reportWork: (work: number) => {
        checks += work;
      },
    };
    invokeFunction(findSpec('REGEXREPLACE'), context, ['a'.repeat(1000), 'a.*b|a', '-']);
    assert.ok(checks > 1000 * 1000);
  });
});
