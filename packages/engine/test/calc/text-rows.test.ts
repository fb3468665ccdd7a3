import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { elementAt } from '../../../../test/elements.ts';
import { toList } from '../../src/calc/indexes/row-lists.ts';
import { TextRows } from '../../src/calc/indexes/text-rows.ts';

const text = fc.oneof(
  fc.constantFrom('a', 'A', 'ab', 'aB', 'я', 'Я', 'ß', 'İ', 'K', 'k', ''),
  fc.nat(400).map((n) => `text ${n}`),
);
const steps = fc.array(fc.tuple(text, fc.nat(50), fc.boolean()), { maxLength: 2_000 });

/** Compares letter by letter. Texts are different if folding changes their length. */
function areEqualIgnoringCase(a: string, b: string): boolean {
  return a.length === b.length && a.toLowerCase() === b.toLowerCase();
}

/** Pairs of words with the same FNV-1a state, as an attacker could find them. */
const PARTS: readonly (readonly [string, string])[] = [
  ['105lp', '1bpmd'],
  ['kc4p', '31k87'],
  ['55lp', 'gpmd'],
  ['mopa', '13l50'],
  ['6ppp', 'd5id'],
  ['13ppp', '1a5id'],
  ['13ppp', '1a5id'],
  ['13ppp', '1a5id'],
  ['13ppp', '1a5id'],
];

/** 512 texts with the same hash. */
function createCollidingTexts(): readonly string[] {
  return PARTS.reduce<string[]>((texts, [a, b]) => texts.flatMap((text) => [text + a, text + b]), ['']);
}

function computeFnvHash(text: string): number {
  return [...text].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 0x01000193), 0x811c9dc5);
}

describe('an index of rows by text', () => {
  it('returns the rows that were added and not removed, in order, ignoring letter case', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const table = new TextRows();
        const entries: { readonly text: string; readonly row: number }[] = [];
        for (const [key, row, adds] of list) {
          const at = entries.findIndex((entry) => entry.row === row && areEqualIgnoringCase(entry.text, key));
          if (adds && at < 0) {
            entries.push({ text: key, row });
            table.add(key, row);
          } else if (!adds) {
            if (at >= 0) entries.splice(at, 1);
            table.remove(key, row);
          }
        }
        for (const [key] of list) {
          const rows = entries.filter((entry) => areEqualIgnoringCase(entry.text, key)).map((entry) => entry.row);
          assert.deepEqual(
            toList(table.get(key)),
            rows.sort((a, b) => a - b),
            key,
          );
        }
      }),
    );
  });

  it('distinguishes texts with equal hashes', () => {
    const table = new TextRows();
    const keys = createCollidingTexts();
    assert.equal(new Set(keys.map(computeFnvHash)).size, 1);
    for (const [row, key] of keys.entries()) table.add(key, row);
    for (const [row, key] of keys.entries()) assert.deepEqual(toList(table.get(key.toUpperCase())), [row]);
    table.remove(elementAt(keys, 5), 5);
    assert.equal(table.get(elementAt(keys, 5)), undefined);
  });
});
