import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { result, spilled } from './harness.ts';

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
    it(`${name} ${args.slice(1).join(' ')}`, () => assert.equal(result(name, args), expected));
  }

  it('REGEXEXTRACT gives all matches, or the groups of the first', () => {
    assert.deepEqual(spilled('REGEXEXTRACT', [NAMES, '[A-Z][a-z]+', 1]), [['Dylan', 'Williams']]);
    assert.deepEqual(spilled('REGEXEXTRACT', [PHONES, '\\(([0-9]+)\\) ([0-9-]+)', 2]), [['378', '555-4195']]);
  });

  it('a hostile pattern takes no more than linear time', () => {
    const start = performance.now();
    assert.equal(result('REGEXTEST', ['a'.repeat(30_000), '(a+)+$x']), false);
    assert.equal(result('REGEXTEST', [`${'a'.repeat(5000)}!`, '^(a|aa)+$']), false);
    assert.ok(performance.now() - start < 2000);
  });
});
