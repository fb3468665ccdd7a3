import type { Query, SqlValue } from '../database/database.ts';
import type { ConnectionPool } from './connection-pool.ts';

interface BatchedRead {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
  readonly row: Promise<unknown>;
  readonly resolve: (row: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Batches small reads that every request makes. Equal calls in one turn of the event loop share one read, and all reads
 * of a turn are sent together on one connection. The reads start after the calls, so they see every commit that was
 * acknowledged before.
 */
export class ReadBatcher {
  private readonly pool: ConnectionPool;
  private next = new Map<string, BatchedRead>();

  constructor(pool: ConnectionPool) {
    this.pool = pool;
  }

  readFirstRow<Row>({ sql, parameters }: Query<Row>): Promise<Row | null> {
    const key = `${sql}\n${parameters.join()}`;
    let read = this.next.get(key);
    if (read === undefined) {
      const { promise: row, resolve, reject } = Promise.withResolvers<unknown>();
      read = { sql, parameters, row, resolve, reject };
      if (this.next.size === 0) setImmediate(() => void this.sendBatch());
      this.next.set(key, read);
    }
    return read.row as Promise<Row | null>;
  }

  /** Sends the waiting reads together on one connection. */
  private async sendBatch(): Promise<void> {
    const reads = [...this.next.values()];
    this.next = new Map();
    try {
      const answers = await this.pool.read((connection) =>
        Promise.all(
          connection.sendTogether(() => reads.map(({ sql, parameters }) => connection.sendStatement(sql, parameters))),
        ),
      );
      for (const [i, { resolve }] of reads.entries()) resolve(answers[i]?.rows[0] ?? null);
    } catch (error) {
      for (const { reject } of reads) reject(error);
    }
  }
}
