import pg from 'pg';
import type { SqlValue } from '../database/database.ts';

/** A statement as one connection knows it; `text` where it has to be prepared first. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string | null;
  readonly parameters: readonly SqlValue[];
}

/**
 * Statements that the server commits together when all of them are done, or undoes together when one fails: between two
 * `sync` messages of the protocol they are one transaction, without `begin` and `commit`. So writing takes one round trip.
 */
export class TransactionQuery extends pg.Query {
  private readonly statements: readonly PreparedStatement[];
  private completedCount = 0;

  /** `told` without an error: it is committed. */
  constructor(statements: readonly PreparedStatement[], told: (error: Error | undefined) => void) {
    // A text, not an object: see `NamedQuery`.
    super('', told);
    this.statements = statements;
  }

  /** Statements that the server has done; the next one is that which failed, if any did. */
  get completed(): number {
    return this.completedCount;
  }

  override submit = (connection: pg.Connection): void => {
    connection.stream.cork();
    try {
      for (const { name, text, parameters } of this.statements) {
        if (text !== null) prepare(connection, name, text);
        connection.bind({ statement: name, values: parameters.map(toWireValue) }, true);
        connection.execute(null, true);
      }
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
  };

  /** What `pg` calls where the server says that a statement is done. Rows are not described, and nobody wants them. */
  handleCommandComplete(): void {
    this.completedCount++;
  }

  handleDataRow(): void {}
}

/** A name may have been prepared before a transaction failed that was to use it for the first time. */
function prepare(connection: pg.Connection, name: string, text: string): void {
  connection.close({ type: 'S', name }, true);
  connection.parse({ name, text, types: [] }, true);
}

function toWireValue(value: SqlValue): string | Buffer | null {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}
