import { FieldSplitter } from './fields.ts';

/** In order of preference: the rarer a mark is within values, the more its presence says. */
const DELIMITERS = ['\t', ';', '|', ','];
/** Two delimiters that explain the rows equally well up to this share are settled by preference. */
const TIE = 0.02;
/** `sep=;` as the first line names the delimiter to Excel. */
const NAMED = /^sep=(.)(?:\r\n|\r|\n)/;
/** It is no longer than this. */
const NAMED_BYTES = 16;

export interface Delimiter {
  readonly delimiter: string;
  /** Bytes before the first row. */
  readonly head: number;
}

/** The delimiter that was told, or that the beginning of a text, in UTF-8, names, or else shows. */
export function delimiterOf(sample: Buffer, told: string | undefined): Delimiter {
  const named = NAMED.exec(sample.toString('utf8', 0, NAMED_BYTES));
  const head = Buffer.byteLength(named?.[0] ?? '');
  return { delimiter: told ?? named?.[1] ?? shownDelimiter(sample), head };
}

/** The one by which most rows have as many fields as the first. */
function shownDelimiter(sample: Buffer): string {
  let best = ',';
  let bestShare = 0;
  for (const delimiter of DELIMITERS) {
    const share = agreement(sample, delimiter);
    if (share <= bestShare + TIE) continue;
    best = delimiter;
    bestShare = share;
  }
  return best;
}

/** The share of rows with as many fields as the first row; 0 when that has only one. */
function agreement(sample: Buffer, delimiter: string): number {
  const counts: number[] = [];
  let fields = 0;
  const splitter = new FieldSplitter(delimiter, {
    field: () => {
      fields++;
    },
    endRow: () => {
      counts.push(fields);
      fields = 0;
    },
  });
  splitter.write(sample);
  // The last row may be cut off, unless it is all there is.
  if (counts.length === 0) splitter.end();
  const first = counts[0] ?? 0;
  return first < 2 ? 0 : counts.filter((count) => count === first).length / counts.length;
}
