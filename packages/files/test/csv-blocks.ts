import type { Scalar } from '@cellwire/engine';
import type { CsvBlock } from '../src/index.ts';

/** A cell of a `.csv` file to write. */
export interface CsvCell {
  readonly value: Scalar;
  /** Number format code; absent for General. */
  readonly format?: string;
}

/** Maximum rows of a block, so that most files have several. */
const BLOCK_ROWS = 3;

/** Rows of cells in the form in which `writeCsv` takes them. */
export function* toCsvBlocks(rows: readonly (readonly (CsvCell | null)[])[]): Generator<CsvBlock> {
  for (let top = 0; top < rows.length; top += BLOCK_ROWS) {
    const blockRows = rows.slice(top, top + BLOCK_ROWS);
    const width = Math.max(...blockRows.map((row) => row.length));
    const columns = Array.from({ length: width }, (_, column) => ({
      numbers: listNumbers(blockRows.map((row) => row[column] ?? null)),
      value: (row: number) => blockRows[row]?.[column]?.value ?? null,
      format: (row: number) => blockRows[row]?.[column]?.format ?? '',
    }));
    yield { rows: blockRows.length, columns };
  }
}

function listNumbers(cells: readonly (CsvCell | null)[]): Float64Array | null {
  const formats = new Set(cells.map((cell) => cell?.format));
  const numbers = cells.flatMap((cell) => (typeof cell?.value === 'number' ? [cell.value] : []));
  return formats.size === 1 && numbers.length === cells.length ? Float64Array.from(numbers) : null;
}
