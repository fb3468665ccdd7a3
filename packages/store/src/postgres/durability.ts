import { StoreError } from '../database/database.ts';
import type { PostgresConnection } from './connection.ts';
import { UNAVAILABLE } from './failure.ts';
import { UNKNOWN_OUTCOME } from './transaction-outcome.ts';

/** Writes to the server's log, and changes nothing. */
const DURABILITY_MARK = { sql: "select pg_logical_emit_message(true, 'cellwire', 'settled')", parameters: [] };

/**
 * Resolves once all that is committed on that server by now is as safe as a commit that was answered. A server that was
 * to wait for its standby shows a commit after a restart though the standby may not have it; one that is made behind it
 * is answered only when the standby has both. Rejects with `StoreError`:
 * `UNAVAILABLE` where it may be asked again, `UNKNOWN_OUTCOME` where that would not help.
 */
export async function waitUntilDurable(connection: PostgresConnection): Promise<void> {
  const told = await connection.commit([DURABILITY_MARK]);
  if (told.kind === 'committed') return;
  const { code, message } = told.error;
  throw code === UNAVAILABLE ? told.error : new StoreError(message, UNKNOWN_OUTCOME);
}
