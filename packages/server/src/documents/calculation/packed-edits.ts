import type { Edit, Input } from '@cellwire/engine';

/** A piece is at most so many values, and about so many characters: text of it is made in a millisecond or two. */
const PIECE_VALUES = 2_048;
const PIECE_CHARACTERS = 64 * 1024;

type Rows = readonly (readonly Input[])[];

/**
 * Rows of values as JSON text in pieces. Handing over the rows themselves takes the sending thread up to half a second:
 * arrays are copied one by one, and a large request has a million rows.
 */
interface PackedRows {
  /** Values of each row. */
  readonly lengths: Uint32Array;
  /** The values of all rows one after another, each piece a JSON list. */
  readonly pieces: readonly string[];
}

/** An edit as one thread tells another of it. */
export type PackedEdit =
  | { readonly kind: 'packed'; readonly edit: Edit; readonly rows: PackedRows }
  | { readonly kind: 'plain'; readonly edit: Edit };

/** Pauses now and then: a batch may have a million values. */
export function* packEdits(edits: readonly Edit[]): Generator<void, readonly PackedEdit[]> {
  const packed: PackedEdit[] = [];
  for (const edit of edits) {
    if (edit.kind !== 'setValues' && edit.kind !== 'append') packed.push({ kind: 'plain', edit });
    else packed.push({ kind: 'packed', edit: { ...edit, values: [] }, rows: yield* packRows(edit.values) });
    if (packed.length % PIECE_VALUES === 0) yield;
  }
  return packed;
}

function* packRows(rows: Rows): Generator<void, PackedRows> {
  const lengths = new Uint32Array(rows.length);
  const pieces: string[] = [];
  let piece: Input[] = [];
  let characters = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as readonly Input[];
    lengths[i] = row.length;
    for (const value of row) {
      piece.push(value);
      if (typeof value === 'string') characters += value.length;
      else if (typeof value === 'object') characters += value?.value.length ?? 0;
      if (piece.length < PIECE_VALUES && characters < PIECE_CHARACTERS) continue;
      pieces.push(JSON.stringify(piece));
      piece = [];
      characters = 0;
      yield;
    }
    if (i % PIECE_VALUES === 0) yield;
  }
  if (piece.length > 0) pieces.push(JSON.stringify(piece));
  return { lengths, pieces };
}

export function unpackEdits(packed: readonly PackedEdit[]): readonly Edit[] {
  return packed.map((one) => (one.kind === 'plain' ? one.edit : ({ ...one.edit, values: rowsOf(one.rows) } as Edit)));
}

function rowsOf({ lengths, pieces }: PackedRows): Rows {
  const values = pieces.flatMap((piece) => JSON.parse(piece) as Input[]);
  let at = 0;
  return Array.from(lengths, (length) => {
    const from = at;
    at += length;
    return values.slice(from, at);
  });
}
