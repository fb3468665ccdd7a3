import { FieldSplitter } from './fields.ts';

/** In order of preference: the rarer a mark is within values, the more its presence says. */
const DELIMITERS = ['\t', ';', '|', ','];
/** Two delimiters that explain the rows equally well up to this share are settled by preference. */
const TIE = 0.02;
/** `sep=;` as the first line names the delimiter to Excel. */
const NAMED = /^sep=(.)(?:\r\n|\r|\n)/;

export interface Delimiter {
  readonly delimiter: string;
  /** Characters before the first row. */
  readonly skip: number;
}

/** Finds the delimiter from the beginning of a text: the one by which most rows have as many fields as the first. */
export function detectDelimiter(sample: string): Delimiter {
  const named = NAMED.exec(sample);
  if (named) return { delimiter: named[1] as string, skip: named[0].length };
  let best = ',';
  let bestShare = 0;
  for (const delimiter of DELIMITERS) {
    const share = agreement(sample, delimiter);
    if (share <= bestShare + TIE) continue;
    best = delimiter;
    bestShare = share;
  }
  return { delimiter: best, skip: 0 };
}

/** The share of rows with as many fields as the first row; 0 when that has only one. */
function agreement(sample: string, delimiter: string): number {
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
