import { MIGRATIONS } from '../migrations/migrations.ts';
import { PostgresConnection } from '../postgres/connection.ts';
import { isMigrated, verifyRights } from '../postgres/migrate.ts';
import { type SealedSecrets, sealedSecrets } from '../webhooks/webhooks.ts';

/** The result of a read-only examination of a database. */
interface PostgresExamination {
  /** Version reported by the server, for example `15.18`. */
  readonly version: string;
  readonly major: number;
  /** Sealed secrets; null if the schema is not the one of this version. */
  readonly sealed: readonly SealedSecrets[] | null;
  /** Rows of `meta`. */
  readonly facts: readonly { readonly name: string; readonly value: string }[];
  /** Whether the server reports an encrypted connection. */
  readonly isEncrypted: boolean;
}

/**
 * Examines a database. Rejects with `StoreError` if it is unreachable or unusable, if its schema is newer than this
 * version or is not a schema of Cellwire, or if a start would be refused because of its encoding or the user's rights.
 */
export async function examinePostgres(url: string): Promise<PostgresExamination> {
  const connection = await PostgresConnection.open(url);
  try {
    const answer = await connection.sendStatement("select current_setting('server_version') as version");
    const version = String(answer.rows[0]?.['version']);
    const isCurrent = await isMigrated(connection, MIGRATIONS);
    await verifyRights(connection);
    const sealed = isCurrent ? (await connection.sendStatement(sealedSecrets({}).sql)).rows : null;
    const facts = isCurrent ? (await connection.sendStatement('select name, value from meta')).rows : [];
    const encrypted = await connection.sendStatement(
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
