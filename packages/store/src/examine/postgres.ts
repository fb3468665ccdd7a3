import { MIGRATIONS } from '../migrations/migrations.ts';
import { PostgresConnection } from '../postgres/connection.ts';
import { isMigrated, verifyRights } from '../postgres/migrate.ts';
import { type SealedSecrets, sealedSecrets } from '../webhooks/webhooks.ts';

/** A database that is looked at and never changed. */
export interface PostgresExamination {
  /** As the server tells it, e.g. `15.18`. */
  readonly version: string;
  readonly major: number;
  /** What is sealed in it; null where the schema is not the one of this version. */
  readonly sealed: readonly SealedSecrets[] | null;
  /** Rows of `meta`. */
  readonly facts: readonly { readonly name: string; readonly value: string }[];
  /** Whether the connection is encrypted, as the server tells it. */
  readonly isEncrypted: boolean;
}

/**
 * Rejects with `StoreError` where the database cannot be reached or used, and where the schema is newer than this
 * version, or not one of Cellwire's, and where a start would be refused for the database's encoding or its user's rights.
 */
export async function examinePostgres(url: string): Promise<PostgresExamination> {
  const connection = await PostgresConnection.open(url);
  try {
    const told = await connection.send("select current_setting('server_version') as version");
    const version = String(told.rows[0]?.['version']);
    const isCurrent = await isMigrated(connection, MIGRATIONS);
    await verifyRights(connection);
    const sealed = isCurrent ? (await connection.send(sealedSecrets({}).sql)).rows : null;
    const facts = isCurrent ? (await connection.send('select name, value from meta')).rows : [];
    const encrypted = await connection.send(
      'select case when ssl then 1 else 0 end as ssl from pg_stat_ssl where pid = pg_backend_pid()',
    );
    return {
      version,
      major: Number.parseInt(version, 10),
      sealed: sealed as readonly SealedSecrets[] | null,
      facts: facts as unknown as PostgresExamination['facts'],
      isEncrypted: Number(encrypted.rows[0]?.['ssl']) === 1,
    };
  } finally {
    await connection.close();
  }
}
