import { StoreError } from '../database/database.ts';
import type { PostgresConnection } from './connection.ts';
import { UNAVAILABLE } from './failure.ts';
import { UNKNOWN_OUTCOME } from './transaction-outcome.ts';

/** Writes an entry to the server's log without changing data. */
const DURABILITY_MARK = { sql: "select pg_logical_emit_message(true, 'cellwire', 'settled')", parameters: [] };

/**
 * Resolves when everything that was committed on the server is as durable as an acknowledged commit. After a restart, a
 * server with a synchronous standby may show a commit that the standby does not have. A later commit is acknowledged
 * only when the standby has both. Rejects with `StoreError`: `UNAVAILABLE` if a retry may help, else `UNKNOWN_OUTCOME`.
 */
export async function waitUntilDurable(connection: PostgresConnection): Promise<void> {
  const answer = await connection.commitStatements([DURABILITY_MARK]);
  if (answer.kind === 'committed') return;
  const { code, message } = answer.error;
  throw code === UNAVAILABLE ? answer.error : new StoreError(message, UNKNOWN_OUTCOME);
}
