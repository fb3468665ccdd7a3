import fc from 'fast-check';

/** Code points that are no characters: the halves of surrogate pairs. */
const SURROGATE_COUNT = 0x800;
const FIRST_SURROGATE = 0xd800;
/** Characters are numbered from 0 to this number, without gaps. */
const LAST_CHARACTER = 0x10ffff - SURROGATE_COUNT;

/** One character, like fast-check's `unit: 'binary'`, which would first build a list of a million characters. */
const character = fc.integer({ min: 0, max: LAST_CHARACTER }).map(
  (number) => String.fromCodePoint(number < FIRST_SURROGATE ? number : number + SURROGATE_COUNT),
  (text) => {
    const point = typeof text === 'string' ? text.codePointAt(0) : undefined;
    if (point === undefined || String.fromCodePoint(point) !== text) throw new Error('Not one character');
    return point < FIRST_SURROGATE ? point : point - SURROGATE_COUNT;
  },
);

/** Texts of any characters, and texts that often cause errors in programs (`__proto__`, `toString`). */
export function createTextArbitrary(constraints: fc.StringSharedConstraints = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: character });
}
