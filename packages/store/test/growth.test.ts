import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTemporaryFolder } from '../../server/test/documents/support.ts';
import type { Query, Statement } from '../src/database/database.ts';
import { listedDocuments } from '../src/documents/document-lists.ts';
import { MIGRATIONS } from '../src/migrations/migrations.ts';
import { SqliteConnection } from '../src/sqlite/connection.ts';
import { migrate } from '../src/sqlite/migrate.ts';
import { countedDeliveryTotal, deliveryPage, storedDeliveryTotal } from '../src/webhooks/delivery-list.ts';
import { loadStatementModules } from './statement-modules.ts';

/** Tables with hundreds of thousands of rows in a large installation. */
const GROWING = [
  'account_log',
  'audit',
  'base_chunks',
  'chunks',
  'commits',
  'deliveries',
  'documents',
  'file_parts',
  'idempotency',
  'makings',
  'notifications',
  'proposal_events',
  'proposals',
  'retention',
  'shares',
  'used_confirmations',
];

/** Statements that may scan a growing table, with the reason. */
const READ_ALL: Readonly<Record<string, string>> = {
  'accounts/users.ts: accountEntriesQuoting': 'the erasure of a person, a rare request, in the background',
  'accounts/personal-data.ts: proposalsForExport': 'the export of personal data, a rare request',
};

/** Statements that are compiled from lists at each call. In this test the lists are empty. */
const BUILT_EACH_TIME: ReadonlySet<string> = new Set([
  'transfer/bundle.ts: queryUsersByEmail',
  'transfer/bundle.ts: queryUsersById',
  'documents/documents.ts: insertDocument',
  'webhooks/subscriptions.ts: namesOfUsers',
]);

type PreparedText = Statement | Query<unknown>;

test('no statement scans a growing table', async (t) => {
  const connection = new SqliteConnection(join(createTemporaryFolder(t), 'growth.db'));
  migrate(connection, MIGRATIONS);
  const scanningStatements = [];
  for (const [name, statement] of await loadPreparedStatements()) {
    if (BUILT_EACH_TIME.has(name)) continue;
    const scans = findTableScans(connection, statement);
    if (scans.length > 0 && READ_ALL[name] === undefined) scanningStatements.push(`${name}: ${scans.join(', ')}`);
  }
  connection.close();
  assert.deepEqual(scanningStatements, []);
});

test('lists of documents and deliveries use indexes with any filter', async (t) => {
  const connection = new SqliteConnection(join(createTemporaryFolder(t), 'lists.db'));
  migrate(connection, MIGRATIONS);
  const user = { user: 1, type: null, title: null };
  const page = { until: null, after: null, limit: 50 };
  const filter = { document: 'd', webhook: 1, since: null, until: null };
  const queries = [
    listedDocuments({ ...user, roles: null, only: null, now: 0 }, page),
    listedDocuments({ ...user, roles: ['view'], only: null, now: 0 }, page),
    listedDocuments({ ...user, roles: null, only: ['a', 'b'], now: 0 }, page),
    deliveryPage({ ...filter, state: null, revision: null }, 1_000, 0, 50),
    deliveryPage({ ...filter, state: 'exhausted', revision: null }, 1_000, 900, 50),
    deliveryPage({ ...filter, state: null, revision: 7 }, 1_000, 0, 50),
    storedDeliveryTotal({ ...filter, state: null, revision: null }),
  ];
  assert.deepEqual(
    queries.flatMap((query) => findTableScans(connection, query)),
    [],
  );
  const revisionPlan = readQueryPlan(connection, countedDeliveryTotal({ ...filter, state: null, revision: 7 }));
  assert.ok(
    revisionPlan.some((step) => step.includes('INDEX deliveries_by_notification')),
    revisionPlan.join('\n'),
  );
  const limited = readQueryPlan(connection, listedDocuments({ ...user, roles: null, only: ['a', 'b'], now: 0 }, page));
  assert.ok(
    limited.some((step) => step === 'SEARCH documents USING PRIMARY KEY (id=?)'),
    limited.join('\n'),
  );
  connection.close();
});

/** Returns the steps of a query plan that scan a growing table. */
function findTableScans(connection: SqliteConnection, statement: PreparedText): readonly string[] {
  return readQueryPlan(connection, statement).filter((step) => {
    const [, table] = /^SCAN (\w+)/.exec(step) ?? [];
    return table !== undefined && GROWING.includes(findTableByAlias(statement, table)) && !scansPartialIndex(step);
  });
}

/** True if a step scans a partial index. Such an index contains only the few rows that wait for work. */
function scansPartialIndex(step: string): boolean {
  return / INDEX (?:audit_unnumbered|deliveries_claimed|deliveries_due)\b/.test(step);
}

function readQueryPlan(connection: SqliteConnection, { sql, parameters }: PreparedText): readonly string[] {
  return connection.readRows(`explain query plan ${sql}`, parameters).map(({ detail }) => String(detail));
}

/** Returns the table of an alias in a query plan. */
function findTableByAlias({ sql }: PreparedText, alias: string): string {
  return new RegExp(`"(\\w+)" as "${alias}"`).exec(sql)?.[1] ?? alias;
}

/** All statements and queries that depend only on their values. The values are null. */
async function loadPreparedStatements(): Promise<ReadonlyMap<string, PreparedText>> {
  const statements = new Map<string, PreparedText>();
  const nullValues = new Proxy({}, { get: () => null });
  for (const [file, module] of await loadStatementModules()) {
    for (const [name, exported] of Object.entries(module)) {
      const statement =
        typeof exported === 'function' && exported.length === 1 ? prepareText(() => exported(nullValues)) : null;
      if (statement !== null) statements.set(`${file}: ${name}`, statement);
    }
  }
  return statements;
}

function prepareText(make: () => unknown): PreparedText | null {
  try {
    const result = make();
    if (result instanceof Promise) result.catch(() => {});
    const isStatement = typeof result === 'object' && result !== null && 'sql' in result && 'parameters' in result;
    return isStatement && /^(?:select|with|update|delete|insert)/.test(String(result.sql))
      ? (result as PreparedText)
      : null;
  } catch {
    return null;
  }
}
