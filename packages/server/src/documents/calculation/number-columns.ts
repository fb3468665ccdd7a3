import { type Edit, type Input, type PlainColumn, plainNumbers } from '@cellwire/engine';
import { type PackedEdit, packEdits } from './packed-edits.ts';

/** Smaller blocks stay rows, because their columns would take more time to build. In cells. */
const MIN_CELLS = 1_024;
/** Cells between two pauses. */
const CELLS_PER_STEP = 16_384;

type NumberValuesEdit = Extract<Edit, { readonly kind: 'setValues' }>;

/** Packs edits like `packEdits`, with large blocks of numbers as columns. Yields regularly. */
export function* packByColumn(edits: readonly Edit[]): Generator<void, readonly PackedEdit[]> {
  return yield* packEdits(yield* packNumberEdits(edits));
}

/**
 * Turns large blocks of numbers into columns in memory that threads share. A calculation thread writes them without an
 * object for each row.
 */
function* packNumberEdits(edits: readonly Edit[]): Generator<void, readonly Edit[]> {
  const converted: Edit[] = [];
  for (const edit of edits) {
    const columns = edit.kind === 'setValues' ? yield* toNumberColumns(edit) : null;
    converted.push(columns === null ? edit : { kind: 'putColumns', sheet: (edit as NumberValuesEdit).sheet, columns });
  }
  return converted;
}

/** Null unless the block is large and all of its cells are numbers. */
function* toNumberColumns({ row, column, values }: NumberValuesEdit): Generator<void, readonly PlainColumn[] | null> {
  const height = values.length;
  const width = values[0]?.length ?? 0;
  if (height * width < MIN_CELLS) return null;
  const numbers = new Float64Array(new SharedArrayBuffer(height * width * Float64Array.BYTES_PER_ELEMENT));
  let done = 0;
  for (let r = 0; r < height; r++) {
    const inputs = values[r] as readonly Input[];
    if (inputs.length !== width) return null;
    for (let c = 0; c < width; c++) {
      const input = inputs[c];
      if (typeof input !== 'number') return null;
      // Adding 0 turns -0 into 0, because a cell never contains -0.
      numbers[c * height + r] = input + 0;
    }
    done += width;
    if (done < CELLS_PER_STEP) continue;
    done = 0;
    yield;
  }
  return plainNumbers({ row, column, height, width }, numbers);
}
