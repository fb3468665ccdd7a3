import { analyse } from 'chardet';

/** Single-byte encodings that spreadsheets and older programs write. */
const SINGLE_BYTE = [
  'windows-1252',
  'windows-1250',
  'iso-8859-2',
  'windows-1251',
  'koi8-r',
  'ibm866',
  'windows-1254',
  'windows-1257',
  'windows-1253',
  'iso-8859-7',
  'windows-1255',
  'windows-1256',
] as const;
const MULTI_BYTE = ['gb18030', 'big5', 'shift_jis', 'euc-jp', 'euc-kr'] as const;

/** Labels of the Encoding Standard, or of a larger encoding that contains it, by the detector's name. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ['iso-8859-1', 'windows-1252'],
  ['iso-8859-9', 'windows-1254'],
  ['iso-8859-8', 'windows-1255'],
]);

/** The encoding that programs mostly write in a language. It decides if the bytes are ambiguous. */
const USUAL_BY_LANGUAGE: ReadonlyMap<string, string> = new Map([
  ['ru', 'windows-1251'],
  ['en', 'windows-1252'],
  ['de', 'windows-1252'],
  ['fr', 'windows-1252'],
  ['es', 'windows-1252'],
  ['it', 'windows-1252'],
]);

/**
 * Minimum confidence of the detector, in percent, for a multi-byte encoding, and its minimum lead over the next one.
 */
const MULTI_BYTE_CONFIDENCE = 40;
const CONFIDENCE_LEAD = 10;
/** Minimum ratio of the detector's confidence in one text to that in any other plausible text. */
const CLEAR_RATIO = 1.6;
/** Maximum share of odd non-ASCII characters in a text that is decoded correctly. */
const MAX_ODD_SHARE = 0.02;
/** Maximum share of odd non-ASCII characters in any candidate. */
const MAX_READ_ODD_SHARE = 0.1;
/** Share of non-ASCII bytes after another non-ASCII byte from which a text is not in the Latin alphabet. */
const MIN_JOINED_SHARE = 0.6;

/** The encoding of a text that is not UTF-8, or the possible encodings. */
type EncodingGuess = { readonly encoding: string } | { readonly candidates: readonly string[] };

/** Guesses an encoding. `sample` contains lines with non-ASCII bytes; `locale` is the document's BCP 47 tag. */
export function guessEncoding(sample: Buffer, locale: string): EncodingGuess {
  if (sample.length === 0) return { candidates: [...SINGLE_BYTE, ...MULTI_BYTE] };
  const confidence = detectConfidences(sample);
  const [best, next] = [...confidence]
    .filter(([label]) => (MULTI_BYTE as readonly string[]).includes(label) && decode(sample, label) !== null)
    .sort((a, b) => b[1] - a[1]);
  const isClear =
    best !== undefined && best[1] >= MULTI_BYTE_CONFIDENCE && best[1] >= (next?.[1] ?? 0) + CONFIDENCE_LEAD;
  if (isClear) return { encoding: best[0] };
  const isJoined = measureJoinedShare(sample) > MIN_JOINED_SHARE;
  const readings = rankSingleByteEncodings(sample, confidence).filter(({ isLatin }) => !isLatin || !isJoined);
  const [first, second] = readings;
  if (first === undefined) {
    const possible: readonly string[] = MULTI_BYTE.filter((label) => decode(sample, label) !== null);
    const [only, other] = possible;
    if (only !== undefined && other === undefined) return { encoding: only };
    return { candidates: possible.length > 0 ? possible : SINGLE_BYTE };
  }
  if (second === undefined || first.confidence > second.confidence * CLEAR_RATIO) return { encoding: first.encoding };
  const usual = USUAL_BY_LANGUAGE.get(locale.slice(0, 2));
  const isUsual = readings.some(({ labels }) => usual !== undefined && labels.includes(usual));
  return usual !== undefined && isUsual
    ? { encoding: usual }
    : { candidates: readings.map(({ encoding }) => encoding) };
}

/** A text that one or more encodings decode from the sample. */
interface EncodingCandidate {
  /** The most usual of these encodings. */
  readonly encoding: string;
  readonly labels: readonly string[];
  /** Confidence of the detector, in percent. */
  readonly confidence: number;
  readonly isLatin: boolean;
}

/** Decoded texts with few odd characters, most likely first. */
function rankSingleByteEncodings(
  sample: Buffer,
  confidence: ReadonlyMap<string, number>,
): readonly EncodingCandidate[] {
  const byText = new Map<string, string[]>();
  for (const label of SINGLE_BYTE) {
    const text = decode(sample, label);
    if (text === null) continue;
    const labels = byText.get(text);
    if (labels === undefined) byText.set(text, [label]);
    else labels.push(label);
  }
  const readings = [...byText].map(([text, labels]) => ({
    encoding: labels[0] as string,
    labels,
    confidence: Math.max(...labels.map((label) => confidence.get(label) ?? 0)),
    odd: measureOddShare(text),
    isLatin: !OTHER_SCRIPT.test(text),
  }));
  const least = Math.min(...readings.map(({ odd }) => odd));
  return readings
    .filter(({ odd }) => odd <= Math.max(least, MAX_ODD_SHARE) && odd <= MAX_READ_ODD_SHARE)
    .sort((a, b) => b.confidence - a.confidence);
}

function detectConfidences(sample: Buffer): ReadonlyMap<string, number> {
  const confidenceByEncoding = new Map<string, number>();
  for (const { name, confidence } of analyse(sample)) {
    const label = name.toLowerCase();
    const encoding = LABELS.get(label) ?? label;
    confidenceByEncoding.set(encoding, Math.max(confidenceByEncoding.get(encoding) ?? 0, confidence));
  }
  return confidenceByEncoding;
}

function decode(sample: Buffer, label: string): string | null {
  try {
    return new TextDecoder(label, { fatal: true }).decode(sample);
  } catch {
    return null;
  }
}

const OUTSIDE_ASCII = /[^\0-\x7f]/gu;
const LETTER = /\p{L}/u;
const UPPER = /\p{Lu}/u;
const LOWER = /\p{Ll}/u;
const CURRENCY = /\p{Sc}/u;
/** Signs that occur next to letters: quotation marks, dashes, blanks, dots and the like. */
const USUAL_SIGN = /[\u00a0«»‹›“”„‘’‚–—…•·°©®™№§¡¿]/u;
/** Signs that start or end a word, and never occur inside one. */
const NEVER_WITHIN = /[«»‹›“”„‚…•©®™№§¡¿—]/u;
const OTHER_SCRIPT = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}]/u;
const SCRIPTS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
];

/** Share of non-ASCII characters that look wrong at their position. */
function measureOddShare(text: string): number {
  let all = 0;
  let odd = 0;
  for (const { 0: character, index } of text.matchAll(OUTSIDE_ASCII)) {
    all++;
    if (isOdd(character, text[index - 1] ?? '', text[index + 1] ?? '')) odd++;
  }
  return all === 0 ? 0 : odd / all;
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

function isOdd(character: string, before: string, after: string): boolean {
  if (character === 'ª' || character === 'º') return LETTER.test(after);
  const isWithin = LETTER.test(before) && LETTER.test(after);
  if (LETTER.test(character)) {
    const isOtherScript = [before, after].some(
      (other) => LETTER.test(other) && scriptOf(other) !== scriptOf(character),
    );
    return (
      isOtherScript || (LOWER.test(before) && UPPER.test(character)) || (LOWER.test(character) && UPPER.test(after))
    );
  }
  if (USUAL_SIGN.test(character)) return isWithin && NEVER_WITHIN.test(character);
  if (CURRENCY.test(character)) return LETTER.test(before) || LETTER.test(after);
  // Superscripts occur only after units of length.
  if (/[²³]/.test(character)) return before !== 'm';
  if (/[µ×÷±¼½¾´]/.test(character)) return LETTER.test(before) || LETTER.test(after);
  return true;
}

function scriptOf(letter: string): number {
  return SCRIPTS.findIndex((script) => script.test(letter));
}
