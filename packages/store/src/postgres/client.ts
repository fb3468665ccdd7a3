import pg from 'pg';
import {
  POSTGRES_ANSWER_MS,
  POSTGRES_CONNECT_MS,
  POSTGRES_IDLE_TRANSACTION_MS,
  POSTGRES_KEEPALIVE_MS,
  POSTGRES_LOCK_MS,
  POSTGRES_STATEMENT_MS,
} from '../database/limits.ts';
import { toStoreError, toUnavailable } from './failure.ts';

const APPLICATION = 'cellwire';

/**
 * Settings that a server may have changed:
 * - the isolation level,
 * - durable commits,
 * - TCP keep-alive, so that the server detects a dead client,
 * - a low cost of index access. With the default cost, the server scans tables of a few pages completely, and the pages
 *   of `documents` are full of old row versions: with 64 documents each write read about 300 rows twice.
 */
export const SETTINGS = `select set_config('default_transaction_isolation', 'read committed', false),
  set_config('random_page_cost', least(current_setting('random_page_cost')::float8, 1.1)::text, false),
  set_config('bytea_output', 'hex', false),
  set_config('tcp_keepalives_idle', '${POSTGRES_KEEPALIVE_MS / 1000}', false),
  set_config('tcp_keepalives_interval', '1', false),
  set_config('tcp_keepalives_count', '10', false),
  set_config('synchronous_commit', case current_setting('synchronous_commit') when 'off' then 'on' else current_setting('synchronous_commit') end, false)`;

/**
 * `bounded`: the answer has a time limit, because a caller waits for it. `patient`: a statement may take as long as it
 * needs.
 */
export type StatementPatience = 'bounded' | 'patient';

export const REMOVE_STATEMENT_TIMEOUT = "select set_config('statement_timeout', '0', false)";

/**
 * Creates a client for an address. Reads the files that the address contains, such as certificates. Throws `StoreError`
 * if they are missing.
 */
export function createClient(url: string, patience: StatementPatience): pg.Client {
  try {
    return new pg.Client(toClientSettings(url, patience));
  } catch (error) {
    throw toUnavailable(toStoreError(error));
  }
}

/** The settings of a connection. A patient one waits for answers without a limit. */
function toClientSettings(url: string, patience: StatementPatience): pg.ClientConfig & { readonly pipeline: true } {
  return {
    connectionString: url,
    application_name: APPLICATION,
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: POSTGRES_KEEPALIVE_MS,
    connectionTimeoutMillis: POSTGRES_CONNECT_MS,
    query_timeout: patience === 'patient' ? 0 : POSTGRES_ANSWER_MS,
    statement_timeout: POSTGRES_STATEMENT_MS,
    lock_timeout: POSTGRES_LOCK_MS,
    idle_in_transaction_session_timeout: POSTGRES_IDLE_TRANSACTION_MS,
    types: { getTypeParser: findTypeParser },
  };
}

type TypeParser = (text: string) => unknown;

/** Parsers by the number of the data type (`pg_type`). */
const PARSERS: ReadonlyMap<number, TypeParser> = new Map<number, TypeParser>([
  [17, parseBytes], // bytea
  [20, Number], // bigint: all values in our tables are below 2^53
  [21, Number],
  [23, Number],
  [1700, Number], // numeric: sums of bigint
]);

/** The function that converts a value of a PostgreSQL type, by the type's id, from its text. */
function findTypeParser(type: number): TypeParser {
  return PARSERS.get(type) ?? String;
}

const HEX = '\\x';

/** Parses a binary value. The bytes have separate memory, because they may be transferred to another thread. */
function parseBytes(text: string): Uint8Array {
  if (!text.startsWith(HEX)) throw new Error('bytea_output must be hex');
  return Uint8Array.fromHex(text.slice(HEX.length));
}
