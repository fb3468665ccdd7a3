import fc from 'fast-check';

/** Code points but the halves of surrogate pairs, as whole numbers from 0. */
const SURROGATES = 0x800;
const FIRST_SURROGATE = 0xd800;
const LAST = 0x10ffff - SURROGATES;

/** One code point. It draws what fast-check's `unit: 'binary'` draws, which first lists all million of them. */
const character = fc.integer({ min: 0, max: LAST }).map(
  (number) => String.fromCodePoint(number < FIRST_SURROGATE ? number : number + SURROGATES),
  (text) => {
    const point = typeof text === 'string' ? text.codePointAt(0) : undefined;
    if (point === undefined || String.fromCodePoint(point) !== text) throw new Error('Not one character');
    return point < FIRST_SURROGATE ? point : point - SURROGATES;
  },
);

/** Texts of any characters, and those that programs trip over (`__proto__`, `toString`). */
export function anyText(constraints: fc.StringSharedConstraints = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: character });
}
