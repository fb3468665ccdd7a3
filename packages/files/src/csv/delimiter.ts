import { type FieldForm, FieldSplitter } from './fields.ts';
import { parseNumberShapes } from './number-shape.ts';

/**
 * Candidates in order of preference. A character that rarely occurs in values comes first, because it is stronger
 * evidence.
 */
const DELIMITERS = ['\t', ';', '|', ','];
/** Share of lines that must agree on a candidate. */
const MIN_AGREEMENT = 0.9;
/** Matches a first line such as `sep=;`, which specifies the delimiter for Excel. */
const SEP_LINE = /^sep=(.)(?:\r\n|\r|\n)/;
/** Maximum length of that line, in bytes. */
const MAX_SEP_LINE_BYTES = 16;
/** The first byte of a comment, `#`. */
const COMMENT = 0x23;
const COMMA = 0x2c;

export interface Delimiter extends Required<FieldForm> {
  /** Bytes before the first row. */
  readonly head: number;
}

/** The beginning of a text in UTF-8. `isWhole`: true if it is the whole text. */
export interface CsvSample {
  readonly bytes: Buffer;
  readonly isWhole: boolean;
}

/** Returns the delimiter that the caller or the text specifies, or else the detected one. */
export function chooseDelimiter(sample: CsvSample, specified: string | undefined): Delimiter {
  const named = SEP_LINE.exec(sample.bytes.toString('utf8', 0, MAX_SEP_LINE_BYTES));
  const head = Buffer.byteLength(named?.[0] ?? '');
  const delimiter = specified ?? named?.[1];
  if (delimiter === undefined) return { ...detectForm(sample), head };
  return { ...tryCandidate({ ...sample, bytes: sample.bytes.subarray(head) }, delimiter).form, head };
}

/** Statistics of splitting lines by a candidate. */
interface SplitResult {
  readonly form: Required<FieldForm>;
  /**
   * True if there are blanks before the quotation marks of all quoted fields that follow a delimiter, and only blanks
   * after the closing marks. Otherwise such marks belong to the text: `x, "y" or "z"`.
   */
  readonly hasPaddedQuotes: boolean;
  /** Number of fields with unclosed quotation marks, or with text after the closing one. */
  readonly broken: number;
  /** Share of lines with the most frequent number of fields; 0 if that number is one. */
  readonly agreement: number;
  /** Number of delimiters outside quotation marks. */
  readonly marks: number;
  /** True if nearly all fields with a comma are numbers, in which the comma is the decimal mark. */
  readonly hasDecimalCommas: boolean;
}

/**
 * Returns the candidate for which most lines have the same number of fields; if several are equal, the most frequent
 * one. A candidate that breaks quotation marks is used only if no other qualifies. Empty if there is none.
 */
function detectForm(sample: CsvSample): Required<FieldForm> {
  const agreed = DELIMITERS.filter((delimiter) => sample.bytes.includes(delimiter))
    .map((delimiter) => tryCandidate(sample, delimiter))
    .filter(({ agreement }) => agreement >= MIN_AGREEMENT);
  const whole = agreed.filter(({ broken }) => broken === 0);
  const usable = whole.length > 0 ? whole : agreed;
  const hasDecimalCommas = usable.some(({ form, hasDecimalCommas }) => form.delimiter !== ',' && hasDecimalCommas);
  const [best] = usable
    .filter(({ form }) => form.delimiter !== ',' || !hasDecimalCommas)
    .sort(
      (a, b) => b.agreement - a.agreement || Number(a.hasPaddedQuotes) - Number(b.hasPaddedQuotes) || b.marks - a.marks,
    );
  return best?.form ?? { delimiter: '', hasPaddedQuotes: false, hasBackslashes: false };
}

/**
 * Splits the sample by a candidate, with the form of fields that fits the text. The form has blanks before quotation
 * marks if the text does. It has backslashes before quotation marks in texts only if the quotation marks are broken
 * without them.
 */
function tryCandidate(sample: CsvSample, delimiter: string): SplitResult {
  const plain = trySplitWithBlanks(sample, { delimiter, hasBackslashes: false });
  if (plain.broken === 0 || !sample.bytes.includes(ESCAPED_QUOTE)) return plain;
  const escaped = trySplitWithBlanks(sample, { delimiter, hasBackslashes: true });
  return escaped.broken === 0 ? escaped : plain;
}

/** Splits the sample. Allows blanks before quotation marks only if the result then has `hasPaddedQuotes`. */
function trySplitWithBlanks(sample: CsvSample, form: Omit<Required<FieldForm>, 'hasPaddedQuotes'>): SplitResult {
  if (PADDED_QUOTES.some((bytes) => sample.bytes.includes(bytes))) {
    const padded = trySplit(sample, { ...form, hasPaddedQuotes: true });
    if (padded.hasPaddedQuotes) return padded;
  }
  return trySplit(sample, { ...form, hasPaddedQuotes: false });
}

const PADDED_QUOTES = [' "', '\t"'];
const ESCAPED_QUOTE = '\\"';

/** Share of the fields with a comma that must be numbers. */
const MIN_DECIMAL_SHARE = 0.9;

/** Splits the sample in one form, and counts the fields and the errors. */
function trySplit({ bytes, isWhole }: CsvSample, form: Required<FieldForm>): SplitResult {
  const counts: number[] = [];
  const comments: number[] = [];
  let fields = 0;
  let isBlank = true;
  let isComment = false;
  let broken = 0;
  let commas = 0;
  let decimals = 0;
  let padded = 0;
  let unpadded = 0;
  const splitter = new FieldSplitter(form, {
    addField: (buffer, start, end, quoted, isBroken, isPadded) => {
      if (isPadded) padded++;
      else if (quoted ? fields > 0 : buffer[start] === QUOTE) unpadded++;
      if (fields === 0) isComment = !quoted && buffer[start] === COMMENT;
      if (isBroken || (!quoted && hasOddQuotes(buffer, start, end))) broken++;
      if (start < end) isBlank = false;
      if (!quoted && buffer.subarray(start, end).includes(COMMA)) {
        commas++;
        if (parseNumberShapes(buffer.toString('utf8', start, end).trim()).length > 0) decimals++;
      }
      fields++;
    },
    endRow: () => {
      // An empty line is not evidence, but a line of delimiters is.
      if (fields > 1 || !isBlank) (isComment ? comments : counts).push(fields);
      fields = 0;
      isBlank = true;
    },
  });
  splitter.writeChunk(bytes);
  // The last row of a truncated sample may be incomplete.
  if ((isWhole || counts.length === 0) && !splitter.endText()) {
    broken++;
    counts.push(fields + 1);
  }
  const lines = counts.length > 0 ? counts : comments;
  const marks = lines.reduce((sum, count) => sum + count - 1, 0);
  const hasDecimalCommas = decimals > 0 && decimals >= commas * MIN_DECIMAL_SHARE;
  const hasPaddedQuotes = padded > 0 && unpadded === 0 && broken === 0;
  return { form, hasPaddedQuotes, broken, agreement: measureAgreement(lines), marks, hasDecimalCommas };
}

/** Returns the share of the lines that have the most frequent number of fields; 0 if that number is 1. */
function measureAgreement(counts: readonly number[]): number {
  const lines = new Map<number, number>();
  for (const count of counts) lines.set(count, (lines.get(count) ?? 0) + 1);
  let [most, mostLines] = [0, 0];
  for (const [count, times] of lines) if (times > mostLines) [most, mostLines] = [count, times];
  return most < 2 ? 0 : mostLines / counts.length;
}

const QUOTE = 0x22;

/** True if the number of quotation marks between two offsets is odd. */
function hasOddQuotes(bytes: Buffer, start: number, end: number): boolean {
  let quotes = 0;
  for (let at = start; at < end; at++) if (bytes[at] === QUOTE) quotes++;
  return quotes % 2 === 1;
}
