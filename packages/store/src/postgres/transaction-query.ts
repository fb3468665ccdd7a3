import pg from 'pg';
import type { SqlValue } from '../database/database.ts';

/** A statement for one connection. `text`: null if it is already prepared. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string | null;
  readonly parameters: readonly SqlValue[];
}

/**
 * Statements that the server commits together, or rolls back together if one fails: between two `sync` messages of the
 * protocol they form one transaction without `begin` and `commit`. A write therefore takes one round trip.
 */
export class TransactionQuery extends pg.Query {
  private readonly statements: readonly PreparedStatement[];
  private readonly firstColumns: string[][] = [];
  private completedCount = 0;

  /** `onEnd`: called at the end. If it gets no error, the transaction is committed. */
  constructor(statements: readonly PreparedStatement[], onEnd: (error: Error | undefined) => void) {
    // The query is a text, not an object: see `NamedQuery`.
    super('', onEnd);
    this.statements = statements;
  }

  /** Number of completed statements. After a failure it is the index of the failed one. */
  get completed(): number {
    return this.completedCount;
  }

  /** The first column of the rows that a statement returned, as texts. */
  listFirstColumn(statement: number): readonly string[] {
    return this.firstColumns[statement] ?? [];
  }

  /** Sends all statements in one write to the socket; the driver calls it. */
  override submit = (connection: pg.Connection): void => {
    connection.stream.cork();
    try {
      for (const { name, text, parameters } of this.statements) {
        if (text !== null) prepareOnConnection(connection, name, text);
        connection.bind({ statement: name, values: parameters.map(toWireValue) }, true);
        connection.execute(null, true);
      }
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
  };

  /** Called by `pg` when a statement is complete. */
  handleCommandComplete(): void {
    this.completedCount++;
  }

  /** The driver calls it for each row. */
  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    this.firstColumns[this.completedCount] ??= [];
    this.firstColumns[this.completedCount]?.push(fields[0] ?? '');
  }
}

/** Prepares a statement. The name may already be prepared by a transaction that failed before using it. */
function prepareOnConnection(connection: pg.Connection, name: string, text: string): void {
  connection.close({ type: 'S', name }, true);
  connection.parse({ name, text, types: [] }, true);
}

/** A value as the driver sends it: text, bytes or null. */
function toWireValue(value: SqlValue): string | Buffer | null {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}
