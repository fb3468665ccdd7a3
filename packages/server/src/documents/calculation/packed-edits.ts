import { type Edit, type Input, SharedMemory } from '@cellwire/engine';
import { runSynchronously } from '@cellwire/event-loop';

/**
 * Maximum values in a piece. Together with the limit of characters, converting one piece to text takes one or two
 * milliseconds.
 */
const PIECE_VALUES = 2_048;
const PIECE_CHARACTERS = 64 * 1024;

type ValueRows = readonly (readonly Input[])[];

/** Consecutive values: numbers in memory that threads share, anything else as a JSON list. */
type ValuePiece = Float64Array | string;

/**
 * Rows of values in pieces. Structured cloning copies arrays one by one: a request with a million rows would block the
 * sending thread for up to half a second. Packing and unpacking 26,000 numbers takes 1.7 ms of processor time; as text
 * it took 4.8 ms.
 */
export interface PackedRows {
  /** Number of values in each row. */
  readonly lengths: Uint32Array;
  /** The values of all rows. */
  readonly pieces: readonly ValuePiece[];
}

/** An edit in the form sent between threads. */
export type PackedEdit =
  | { readonly kind: 'packed'; readonly edit: Edit; readonly rows: PackedRows }
  | { readonly kind: 'plain'; readonly edit: Edit };

/** Packs edits for a calculation thread. Yields between pieces: a batch may have a million values. */
export function* packEdits(edits: readonly Edit[]): Generator<void, readonly PackedEdit[]> {
  const packed: PackedEdit[] = [];
  for (const edit of edits) {
    if (edit.kind !== 'setValues' && edit.kind !== 'append') packed.push({ kind: 'plain', edit });
    else packed.push({ kind: 'packed', edit: { ...edit, values: [] }, rows: yield* packRows(edit.values) });
    if (packed.length % PIECE_VALUES === 0) yield;
  }
  return packed;
}

/** Packs rows of values for a calculation thread; numbers go to shared memory. Pauses between pieces. */
export function* packRows(rows: ValueRows): Generator<void, PackedRows> {
  const lengths = new Uint32Array(rows.length);
  const pieces: ValuePiece[] = [];
  const memory = new SharedMemory();
  const piece: Input[] = [];
  let characters = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as readonly Input[];
    lengths[i] = row.length;
    for (const value of row) {
      piece.push(value);
      if (typeof value === 'string') characters += value.length;
      else if (typeof value === 'object') characters += typeof value?.value === 'string' ? value.value.length : 0;
      if (piece.length < PIECE_VALUES && characters < PIECE_CHARACTERS) continue;
      pieces.push(packValues(piece, memory));
      piece.length = 0;
      characters = 0;
      yield;
    }
    if (i % PIECE_VALUES === 0) yield;
  }
  if (piece.length > 0) pieces.push(packValues(piece, memory));
  return { lengths, pieces };
}

/** The numbers of the piece that is being packed. */
const NUMBERS = new Float64Array(PIECE_VALUES);

/** Numbers alone become an array in shared memory, any other list becomes JSON. */
function packValues(values: readonly Input[], memory: SharedMemory): ValuePiece {
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (typeof value !== 'number') return JSON.stringify(values);
    NUMBERS[i] = value;
  }
  return memory.array(NUMBERS.subarray(0, values.length));
}

export function unpackEdits(packed: readonly PackedEdit[]): readonly Edit[] {
  return packed.map((one) =>
    one.kind === 'plain' ? one.edit : ({ ...one.edit, values: runSynchronously(unpackRows(one.rows)) } as Edit),
  );
}

/** The rows that `packRows` packed. Yields between pieces, too. */
export function* unpackRows({ lengths, pieces }: PackedRows): Generator<void, ValueRows> {
  const rows: Input[][] = [];
  let row: Input[] = [];
  for (const piece of pieces) {
    const values = typeof piece === 'string' ? (JSON.parse(piece) as Input[]) : piece;
    for (let at = 0; at < values.length; ) {
      for (; row.length === lengths[rows.length]; row = []) rows.push(row);
      const end = Math.min(values.length, at + (lengths[rows.length] as number) - row.length);
      // `Array.from` of a typed array takes ten times longer.
      while (at < end) row.push(values[at++] as Input);
    }
    yield;
  }
  // Empty rows at the end belong to no piece.
  for (; rows.length < lengths.length; row = []) rows.push(row);
  return rows;
}
