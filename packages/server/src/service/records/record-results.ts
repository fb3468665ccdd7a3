/** The outcome of a request for a record. */
export type RecordOutcome = (typeof OUTCOMES)[number];
const OUTCOMES = ['skipped', 'created', 'updated', 'unchanged', 'deleted'] as const;

/** The outcome for one record; `row` counts from 1. */
interface RecordResult {
  readonly row: number | null;
  /** Row numbers of the record; several if several rows have the key. */
  readonly rows?: readonly number[];
  readonly result: RecordOutcome;
}

/** The outcomes of a request's records, in arrays: a batch of an upload needs only their counts. */
export class RecordResults {
  readonly length: number;
  /** The index of each outcome. A record is skipped unless it is set. */
  private readonly outcomes: Uint8Array;
  /** Row numbers; 0: none. */
  private readonly rows: Uint32Array;
  private readonly severalRows = new Map<number, readonly number[]>();

  constructor(length: number) {
    this.length = length;
    this.outcomes = new Uint8Array(length);
    this.rows = new Uint32Array(length);
  }

  /** Sets the outcome of a record in a zero-based row. */
  setResult(record: number, row: number, outcome: RecordOutcome): void {
    this.outcomes[record] = OUTCOMES.indexOf(outcome);
    this.rows[record] = row + 1;
  }

  /** Sets the zero-based rows of a record whose key several rows have. */
  setRows(record: number, rows: readonly number[]): void {
    this.severalRows.set(
      record,
      rows.map((row) => row + 1),
    );
  }

  count(outcome: RecordOutcome): number {
    const index = OUTCOMES.indexOf(outcome);
    let count = 0;
    for (const one of this.outcomes) if (one === index) count++;
    return count;
  }

  /** The greatest row number; 0: no record has a row. */
  findLastRow(): number {
    return this.rows.reduce((last, row) => Math.max(last, row), 0);
  }

  toList(): readonly RecordResult[] {
    return Array.from(this.outcomes, (outcome, record) => {
      const rows = this.severalRows.get(record);
      const row = this.rows[record] as number;
      return {
        row: row === 0 ? null : row,
        ...(rows === undefined ? {} : { rows }),
        result: OUTCOMES[outcome] as RecordOutcome,
      };
    });
  }
}
