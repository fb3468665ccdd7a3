import { analyse } from 'chardet';
import { createTextDecoder } from './text-decoder.ts';
import { type ByteContext, findByteContexts, measureLikelihood } from './text-likelihood.ts';

/**
 * Encodings with one byte per character that spreadsheet programs and older programs write, with the logarithm of their
 * frequency. If several encodings decode a text in the same way, the first one is used.
 */
const SINGLE_BYTE: readonly (readonly [label: string, frequency: number])[] = [
  ['windows-1252', 0],
  ['windows-1250', -1],
  ['windows-1251', -1],
  ['windows-1253', -1],
  ['windows-1254', -1.5],
  ['windows-1255', -1],
  ['windows-1256', -1],
  ['windows-1257', -2],
  ['windows-874', -1],
  ['iso-8859-2', -2],
  ['iso-8859-15', -2],
  ['iso-8859-7', -2],
  ['iso-8859-5', -4],
  ['koi8-r', -2],
  ['koi8-u', -3],
  ['ibm866', -2],
  ['macintosh', -2],
  ['ibm850', -2],
  ['ibm437', -3],
  ['ibm852', -3],
  ['x-mac-cyrillic', -3],
  ['x-mac-ce', -4],
  ['ibm857', -4],
  ['x-mac-turkish', -4],
  ['ibm737', -4],
  ['x-mac-greek', -4],
  ['ibm775', -4],
];
const MULTI_BYTE = ['gb18030', 'big5', 'shift_jis', 'euc-jp', 'euc-kr'] as const;

/**
 * Minimum confidence of the detector, in percent, for a multi-byte encoding, and the minimum difference to the second
 * most likely one.
 */
const MIN_CONFIDENCE = 40;
const CONFIDENCE_LEAD = 10;
/**
 * Matches ideographs, kana and Hangul. Half-width kana are not included, because bytes of Cyrillic texts are half-width
 * kana in Shift_JIS.
 */
const WIDE_CHARACTER = /[\p{Script=Han}\p{Script=Hangul}\u3040-\u30ff]/u;
/**
 * If at least this share of the non-ASCII bytes follows another non-ASCII byte, the text is not in the Latin alphabet.
 */
const MIN_JOINED_SHARE = 0.6;
/** Minimum difference between the likelihoods of the most likely text and any other text, as a logarithm. */
const CLEAR_LEAD = 2.5;
/** Minimum mean likelihood of the non-ASCII characters in a correctly decoded text, as a logarithm. */
const MIN_MEAN = -5.2;
/** The same minimum for a text whose bytes could also be in a multi-byte encoding. */
const SURE_MEAN = -4.6;
/** Added to the likelihood of the language of the document's locale. */
const LANGUAGE_BONUS = 1.5;
/** Added to the likelihood of the encodings that Windows programs use in the countries of the document's locale. */
const WINDOWS_BONUS = 1.7;
/** Maximum number of encodings in a refusal. */
const MAX_CANDIDATES = 6;

/** The encoding of a text that is not UTF-8; or the possible encodings, each with a word in this encoding. */
type EncodingGuess = { readonly encoding: string } | { readonly candidates: readonly EncodingCandidate[] };

export interface EncodingCandidate {
  readonly encoding: string;
  /** The first word with a character outside ASCII. */
  readonly example: string;
}

/** Guesses an encoding. `sample` contains lines with non-ASCII bytes; `locale` is the document's BCP 47 tag. */
export function guessEncoding(sample: Buffer, locale: string): EncodingGuess {
  if (sample.length === 0) return { candidates: [] };
  const multiByte = MULTI_BYTE.filter((label) => WIDE_CHARACTER.test(decodeSample(sample, label) ?? ''));
  const ranked = rankSingleByteEncodings(sample, locale);
  const isJoined = multiByte.length > 0 && measureJoinedShare(sample) > MIN_JOINED_SHARE;
  const clear = findClearSingleByte(ranked);
  if (clear !== null && clear.mean >= SURE_MEAN) return { encoding: clear.encoding };
  const wide = findClearMultiByte(sample, multiByte);
  if (wide !== null) return { encoding: wide };
  if (clear !== null && !isJoined) return { encoding: clear.encoding };
  const [only, other] = multiByte;
  if (isJoined && only !== undefined && other === undefined) return { encoding: only };
  const best = ranked[0]?.score ?? 0;
  const near = ranked.filter(({ score }) => score >= best - 2 * CLEAR_LEAD);
  const plausible = near.filter(({ mean }) => mean >= (isJoined ? SURE_MEAN : MIN_MEAN));
  // If all texts are implausible, any of them can be the right one.
  const isPlausible = isJoined || plausible.length > 0;
  const labels = [
    ...(isJoined || !isPlausible ? multiByte : []),
    ...(isPlausible ? plausible : near).map(({ encoding }) => encoding),
  ];
  return {
    candidates: labels
      .slice(0, MAX_CANDIDATES)
      .map((encoding) => ({ encoding, example: findExample(sample, encoding) })),
  };
}

/**
 * Returns the most likely encoding if the difference to the second one is large enough and its text is plausible; else
 * null.
 */
function findClearSingleByte([first, second]: readonly SingleByteCandidate[]): SingleByteCandidate | null {
  if (first === undefined || first.mean < MIN_MEAN) return null;
  return second === undefined || first.score >= second.score + CLEAR_LEAD ? first : null;
}

/** Returns the encoding of `labels` in which the detector is confident; null if there is none. */
function findClearMultiByte(sample: Buffer, labels: readonly string[]): string | null {
  const confidence = detectConfidences(sample);
  const [best, next] = labels
    .map((label) => ({ label, percent: confidence.get(label) ?? 0 }))
    .sort((a, b) => b.percent - a.percent);
  const isClear =
    best !== undefined && best.percent >= MIN_CONFIDENCE && best.percent >= (next?.percent ?? 0) + CONFIDENCE_LEAD;
  return isClear ? best.label : null;
}

interface SingleByteCandidate {
  readonly encoding: string;
  readonly score: number;
  readonly mean: number;
}

/** Returns the distinct texts that result from single-byte encodings, the most likely first. */
function rankSingleByteEncodings(sample: Buffer, locale: string): readonly SingleByteCandidate[] {
  const contexts = findByteContexts(sample);
  const language = locale.slice(0, 2);
  const bonus = new Map([[language, LANGUAGE_BONUS]]);
  const usual = language === 'ru' ? ['windows-1251', 'windows-1252'] : ['windows-1252'];
  const byText = new Map<string, SingleByteCandidate>();
  for (const [encoding, frequency] of SINGLE_BYTE) {
    const characters = listCharacters(encoding);
    const text = joinCharacters(contexts, characters);
    if (byText.has(text)) continue;
    const { score, mean } = measureLikelihood(contexts, characters, bonus);
    byText.set(text, { encoding, score: score + frequency + (usual.includes(encoding) ? WINDOWS_BONUS : 0), mean });
  }
  return [...byText.values()].sort((a, b) => b.score - a.score);
}

/** Returns the non-ASCII characters of a text. `characters`: the character of each byte. */
function joinCharacters(contexts: readonly ByteContext[], characters: readonly string[]): string {
  return contexts.map(({ byte }) => characters[byte]).join('');
}

const charactersByEncoding = new Map<string, readonly string[]>();

/** The character of each byte in an encoding. */
function listCharacters(encoding: string): readonly string[] {
  let characters = charactersByEncoding.get(encoding);
  if (characters === undefined) {
    const decoder = createTextDecoder(encoding, false);
    characters = Array.from({ length: 256 }, (_, byte) => decoder.decode(Uint8Array.of(byte)));
    charactersByEncoding.set(encoding, characters);
  }
  return characters;
}

/** Returns the confidence of the detector in percent, by the name of the encoding in lower case. */
function detectConfidences(sample: Buffer): ReadonlyMap<string, number> {
  return new Map(analyse(sample).map(({ name, confidence }) => [name.toLowerCase(), confidence]));
}

function decodeSample(sample: Buffer, label: string): string | null {
  try {
    return createTextDecoder(label, true).decode(sample);
  } catch {
    return null;
  }
}

const WORD = /[\p{L}\p{M}]*[^\0-\x7f][^\s,;|"]*/u;
const MAX_EXAMPLE_LENGTH = 30;

/**
 * Returns the beginning of the first word with a non-ASCII character, as an encoding decodes it. Empty if there is none
 * or bytes are invalid in the encoding.
 */
function findExample(sample: Buffer, encoding: string): string {
  return [...(WORD.exec(decodeSample(sample, encoding) ?? '')?.[0] ?? '')].slice(0, MAX_EXAMPLE_LENGTH).join('');
}

/** Share of non-ASCII bytes that follow another non-ASCII byte. */
function measureJoinedShare(sample: Buffer): number {
  let all = 0;
  let joined = 0;
  for (const [i, byte] of sample.entries()) {
    if (byte < 0x80) continue;
    all++;
    if ((sample[i - 1] ?? 0) >= 0x80) joined++;
  }
  return all === 0 ? 0 : joined / all;
}
