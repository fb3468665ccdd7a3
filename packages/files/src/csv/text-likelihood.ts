import { LANGUAGES, type Language, type Script } from './languages.ts';

/** A non-ASCII byte of a text, with its neighbours. */
export interface ByteContext {
  readonly before: number;
  readonly byte: number;
  readonly after: number;
  /** Weight of the byte: repetitions of the same bytes have a lower weight. */
  readonly weight: number;
}

/** Finds the non-ASCII bytes. At the ends of the text, the neighbour is `END`. */
export function findByteContexts(bytes: Uint8Array): readonly ByteContext[] {
  const counts = new Map<number, number>();
  for (const [i, byte] of bytes.entries()) {
    if (byte < FIRST_BYTE) continue;
    const key = ((bytes[i - 1] ?? END) << 16) | (byte << 8) | (bytes[i + 1] ?? END);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Array.from(counts, ([key, count]) => ({
    before: key >> 16,
    byte: (key >> 8) & 0xff,
    after: key & 0xff,
    weight: 1 + Math.log2(count),
  }));
}

const FIRST_BYTE = 0x80;
const END = 0x0a;

/** How likely a text is in a language. */
interface TextLikelihood {
  /** Sum of logarithms of probabilities. */
  readonly score: number;
  /** Mean score per non-ASCII character. */
  readonly mean: number;
}

/**
 * Measures the likelihood of the non-ASCII characters, in the language in which they are most likely. `characters`: the
 * decoded text of each byte. `bonusByLanguage`: added to the score of a language.
 */
export function measureLikelihood(
  contexts: readonly ByteContext[],
  characters: readonly string[],
  bonusByLanguage: ReadonlyMap<string, number>,
): TextLikelihood {
  const weightByLetter = new Map<string, number>();
  const findTraitsOfByte = (byte: number): CharacterTraits => findTraits(characters[byte] as string);
  let totalWeight = 0;
  let shape = 0;
  for (const { before, byte, after, weight } of contexts) {
    const traits = findTraitsOfByte(byte);
    totalWeight += weight;
    shape += weight * scoreShape(findTraitsOfByte(before), traits, findTraitsOfByte(after));
    if (!traits.isLetter) continue;
    const letter = traits.character === 'İ' ? 'i' : traits.character.toLowerCase();
    weightByLetter.set(letter, (weightByLetter.get(letter) ?? 0) + weight);
  }
  const scores = findTables(characters).map(({ language, logarithms }) => {
    let score = language.frequency + (bonusByLanguage.get(language.code) ?? 0);
    for (const [letter, weight] of weightByLetter) score += weight * (logarithms.get(letter) ?? OTHER_LETTER);
    return score;
  });
  const score = shape + Math.max(...scores);
  return { score, mean: totalWeight === 0 ? 0 : score / totalWeight };
}

/** The properties of a character that matter for its position in a text. */
interface CharacterTraits {
  readonly character: string;
  readonly script: Script | null;
  readonly isLetter: boolean;
  readonly isUpper: boolean;
  readonly isLower: boolean;
  readonly isVowel: boolean;
  readonly isAscii: boolean;
}

const SCRIPTS: readonly (readonly [Script, RegExp])[] = [
  ['latin', /\p{Script=Latin}/u],
  ['cyrillic', /\p{Script=Cyrillic}/u],
  ['greek', /\p{Script=Greek}/u],
  ['hebrew', /\p{Script=Hebrew}/u],
  ['arabic', /\p{Script=Arabic}/u],
  ['thai', /\p{Script=Thai}/u],
];
/** Signs that Unicode counts as letters. */
const LETTER_LIKE_SIGNS = 'ªºµ';
const VOWEL = /^[aeiouyæœøı]/;

const traitsByCharacter = new Map<string, CharacterTraits>();

/** The script and letter case of a character, cached. */
function findTraits(character: string): CharacterTraits {
  let traits = traitsByCharacter.get(character);
  if (traits === undefined) {
    traits = {
      character,
      script: SCRIPTS.find(([, pattern]) => pattern.test(character))?.[0] ?? null,
      isLetter: /[\p{L}\p{M}]/u.test(character) && !LETTER_LIKE_SIGNS.includes(character),
      isUpper: /\p{Lu}/u.test(character),
      isLower: /\p{Ll}/u.test(character),
      isVowel: VOWEL.test(character.normalize('NFD').toLowerCase()),
      isAscii: character <= '\x7f',
    };
    traitsByCharacter.set(character, traits);
  }
  return traits;
}

/** Logarithm of the probability of a letter that no known language has. */
const OTHER_LETTER = -9;
const DIGIT = /\d/;
/** Share of a text's letters that come from other languages of the script, for example in names. */
const FOREIGN_SHARE = 0.1;

interface LetterTable {
  readonly language: Language;
  /** Logarithm of the probability for each letter in lower case. */
  readonly logarithms: ReadonlyMap<string, number>;
}

const TABLES: readonly LetterTable[] = LANGUAGES.map((language) => {
  const shares = new Map<string, number>();
  const relatives = LANGUAGES.filter(({ script }) => script === language.script);
  for (const relative of relatives) addShares(shares, relative, FOREIGN_SHARE / relatives.length);
  addShares(shares, language, 1 - FOREIGN_SHARE);
  return { language, logarithms: new Map(Array.from(shares, ([letter, share]) => [letter, Math.log(share)])) };
});

/** Number of letters that an encoding must have to be used for a language. */
const ESSENTIAL_LETTERS = 5;

const tablesByCharacters = new WeakMap<readonly string[], readonly LetterTable[]>();

/** Returns the languages whose letters an encoding with these characters contains. */
function findTables(characters: readonly string[]): readonly LetterTable[] {
  let tables = tablesByCharacters.get(characters);
  if (tables === undefined) {
    const encodable = new Set(characters);
    tables = TABLES.filter(({ language: { letters } }) => {
      return [...letters].slice(0, ESSENTIAL_LETTERS).every((letter) => encodable.has(letter));
    });
    tablesByCharacters.set(characters, tables);
  }
  return tables;
}

/** Adds the probability of each letter of a language, by Zipf's law, times `part`. */
function addShares(shares: Map<string, number>, { letters }: Language, part: number): void {
  const ranks = [...letters].map((letter, rank) => ({ letter, share: 1 / (rank + 2) }));
  const total = ranks.reduce((sum, { share }) => sum + share, 0);
  for (const { letter, share } of ranks) shares.set(letter, (shares.get(letter) ?? 0) + (share / total) * part);
}

/** Logarithms of the probabilities of signs, for a text in any language. */
const SIGNS: ReadonlyMap<string, number> = new Map(
  (
    [
      ['–’°€…', -3.5],
      ['\u00a0«»“”„‘—', -4.5],
      ['№§£¿¡²³©®™•ªºµ×±½', -4.8],
      ['´·', -6],
      ['¥¼¾‰†‹›‚÷¹', -5.2],
    ] as const
  ).flatMap(([signs, logarithm]) => [...signs].map((sign) => [sign, logarithm] as const)),
);
const OTHER_SIGN = -10;
const CONTROL = -16;
const CONTROLS = /[\p{Cc}\p{Co}\p{Cn}\ufffd]/u;
/** Signs between two letters of a word. */
const WITHIN_WORD = /[’·\u00a0–—]/u;
/** Signs that may follow a letter. */
const AFTER_LETTER = /[’”“»›…–—\u00a0®™©²³·‘°ªº]/u;
/** Signs that may precede a letter. */
const BEFORE_LETTER = /[’“”„«‹‘‚¿¡–—\u00a0•§№µ©…·]/u;

const MISPLACED = -5;

/**
 * Returns the logarithm of the probability of a character's position; for a sign, including the probability of the
 * sign.
 */
function scoreShape(before: CharacterTraits, character: CharacterTraits, after: CharacterTraits): number {
  if (!character.isLetter) return scoreSign(before, character, after);
  let score = 0;
  for (const neighbour of [before, after]) {
    if (DIGIT.test(neighbour.character)) score -= 2;
    if (neighbour.isLetter && neighbour.script !== character.script) score += MISPLACED;
  }
  if (character.script === 'latin') score += scoreLatin(before, character, after);
  else if (!before.isLetter && !after.isLetter) score -= 2;
  if (character.isUpper) {
    if (before.isLower || (before.isLetter && after.isLower)) score += MISPLACED;
    else score -= 0.7;
  }
  if (character.isLower) {
    if (after.isUpper) score += MISPLACED;
    else if (before.isUpper && !after.isLetter) score -= 1.5;
    else if (!before.isLetter) score -= 2;
  }
  return score;
}

/** Scores a letter: letters outside ASCII seldom follow each other, and vowels and consonants alternate. */
function scoreLatin(before: CharacterTraits, letter: CharacterTraits, after: CharacterTraits): number {
  const { character, isVowel } = letter;
  if (!before.isLetter && !after.isLetter) return SINGLE_WORDS.has(character) ? -1.5 : MISPLACED;
  let score = before.isLetter && !before.isAscii ? -1.5 : 0;
  const neighbours = [before, after].filter(({ isLetter }) => isLetter);
  const vowels = neighbours.filter((neighbour) => neighbour.isVowel).length;
  if (isVowel) score -= /[œŒ]/.test(character) && /[uU]/.test(after.character) ? -1 : vowels;
  else if (vowels === 0) score -= 2.5;
  if (/[ñÑ]/.test(character) && !after.isVowel) score += MISPLACED;
  if (/[ńŃ]/.test(character) && after.isVowel) score += MISPLACED;
  if (/[çÇ]/.test(character) && !after.isVowel) score -= 3.5;
  return score;
}

const SINGLE_WORDS = new Set(LANGUAGES.filter(({ script }) => script === 'latin').flatMap(({ words }) => [...words]));

/** Returns the logarithm that a sign between two letters adds to the probability of a text. */
function scoreWithinWord(before: CharacterTraits, sign: string, after: CharacterTraits): number {
  if (!WITHIN_WORD.test(sign)) return 2 * MISPLACED;
  if (sign === '’') return -1.5;
  return before.isLower && after.isLower ? MISPLACED : 0;
}

/** Returns the logarithm of the probability of a sign, by the characters before and after it. */
function scoreSign(before: CharacterTraits, { character: sign }: CharacterTraits, after: CharacterTraits): number {
  if (CONTROLS.test(sign)) return CONTROL;
  let score = SIGNS.get(sign) ?? OTHER_SIGN;
  if (before.isLetter && after.isLetter) return score + scoreWithinWord(before, sign, after);
  if (sign === '’' && after.isLetter) score -= 2;
  if (before.isLetter && !AFTER_LETTER.test(sign)) score += MISPLACED;
  const isTemperature = sign === '°' && /[CFK]/.test(after.character);
  if (after.isLetter && !BEFORE_LETTER.test(sign) && !isTemperature) score += MISPLACED;
  if (/[²³]/.test(sign) && !/[mM\d]/.test(before.character)) score += MISPLACED;
  if (sign === '§' && !/[\d ]/.test(after.character)) score -= 2;
  if (/[ªº°]/.test(sign) && !/[\dNn. ]/.test(before.character)) score += MISPLACED;
  return score;
}
