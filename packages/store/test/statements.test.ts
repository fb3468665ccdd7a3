import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { requireValue } from '../../../test/elements.ts';
import { insertNumberedAudits, type NewAuditEntry } from '../src/audit/audit.ts';
import { type Statement, StoreError } from '../src/database/database.ts';
import { isIndependentTable } from '../src/database/independent-rows.ts';
import { INDEPENDENT_SUM_GROUPS, type SumGroup } from '../src/database/sum-groups.ts';
import { insertCommit } from '../src/documents/commits.ts';
import { advanceDocument, recalculateDocument } from '../src/documents/documents.ts';
import { MIGRATIONS } from '../src/migrations/migrations.ts';
import { combineCommit } from '../src/postgres/combined-commit.ts';
import { PostgresConnection } from '../src/postgres/connection.ts';
import { canEncodeGuard, encodeGuard, GUARD_FAILURE } from '../src/postgres/guards.ts';
import { lockStatements } from '../src/postgres/locks.ts';
import { migrate } from '../src/postgres/migrate.ts';
import { DOCUMENT_TABLES, findChangedTable } from './document-scope.ts';
import { createSchema } from './postgres/server.ts';
import { loadStatementModules } from './statement-modules.ts';

/** All statements and queries that depend only on their values. The values are null. */
async function loadStatements(): Promise<ReadonlyMap<string, Statement>> {
  const statements = new Map<string, Statement>();
  const nullValues = new Proxy({}, { get: () => null });
  for (const [file, module] of await loadStatementModules()) {
    for (const [name, exported] of Object.entries(module)) {
      const statement =
        typeof exported === 'function' && exported.length === 1 && !BUILT_EACH_TIME.has(name)
          ? buildStatement(() => exported(nullValues))
          : null;
      if (statement !== null) statements.set(`${file}: ${name}`, statement);
    }
  }
  return statements;
}

function buildStatement(make: () => unknown): Statement | null {
  try {
    const result = make();
    // Functions that execute something instead of returning a statement fail with these values.
    if (result instanceof Promise) result.catch(() => {});
    return typeof result === 'object' && result !== null && 'sql' in result && 'parameters' in result
      ? (result as Statement)
      : null;
  } catch {
    return null;
  }
}

/** Statements that are compiled at each call. Tests of their callers run them. */
const BUILT_EACH_TIME: ReadonlySet<string> = new Set([
  'insertDocument',
  'namesOfUsers',
  'queryUsersByEmail',
  'queryUsersById',
  'windowsOf',
]);

/** Classes of SQL errors that concern the text of a statement, independent of its values. */
const WRONG_TEXT = /^(42|0A)/;

async function openMigratedDatabase(t: TestContext): Promise<{ readonly link: PostgresConnection }> {
  const testSchema = await createSchema();
  const link = await PostgresConnection.open(testSchema.url);
  t.after(async () => {
    await link.close();
    await testSchema.remove();
  });
  await migrate(link, MIGRATIONS);
  return { link };
}

/** Matches the condition that names the document, or the value of a new row. */
const NAMES_DOCUMENT: Readonly<Record<string, RegExp>> = {
  insert: /^insert into "\w+" \((?:"\w+", )*"(?:document_id|id)"/,
  update: / where (?:"\w+"\.)?"(?:document_id|id)" = \?/,
  delete: / where (?:"\w+"\.)?"(?:document_id|id)" = \?/,
};

test('every statement that changes rows of documents names the document', async () => {
  const wrong = [...(await loadStatements())].filter(([, statement]) => {
    const [kind = ''] = statement.sql.split(' ');
    return DOCUMENT_TABLES.has(findChangedTable(statement) ?? '') && !NAMES_DOCUMENT[kind]?.test(statement.sql);
  });
  assert.deepEqual(
    wrong.map(([name, { sql }]) => `${name}: ${sql}`),
    [],
  );
});

/** Matches an innermost pair of parentheses. */
const PARENTHESES = /\([^()]*\)/;

/** The SQL without everything in parentheses. */
function removeParentheses(sql: string): string {
  const shorter = sql.replace(PARENTHESES, '');
  return shorter === sql ? sql : removeParentheses(shorter);
}

/** The columns that a statement writes; none for columns that an update only locks. */
function listWrittenColumns(sql: string): readonly string[] {
  const inserted = /^insert into "\w+" \(([^)]*)\)/.exec(sql)?.[1];
  if (inserted !== undefined) return [...inserted.matchAll(/"(\w+)"/g)].map(([, name]) => name ?? '');
  const [, assignments = ''] = /^update "\w+" set (.*)/.exec(removeParentheses(sql).split(' where ')[0] ?? '') ?? [];
  return [...assignments.matchAll(/"(\w+)" = (?!"\1")/g)].map(([, name]) => name ?? '');
}

test('every statement that writes a column with a sum also writes the sum', async () => {
  const wrong = [...(await loadStatements())].flatMap(([name, { sql }]) => {
    const table = /^(?:insert into|update) "(\w+)"/.exec(sql)?.[1] ?? '';
    if (!isIndependentTable(table)) return [];
    const written = listWrittenColumns(sql);
    const groups: readonly SumGroup[] = INDEPENDENT_SUM_GROUPS[table];
    return groups
      .filter(({ columns, added = '' }) => [...columns, added].some((column) => written.includes(column)))
      .filter(({ sum }) => !written.includes(sum))
      .map(({ sum }) => `${name}: ${sum}`);
  });
  assert.deepEqual(wrong, []);
});

/** Catalogue data of a table: its primary key columns in order, and whether its rows belong to documents. */
interface TableKey {
  readonly name: string;
  readonly key: string;
  readonly has_document: number;
}

const KEYS = `select tables.relname as name,
    string_agg(columns.attname, ' ' order by array_position(keys.conkey, columns.attnum)) as key,
    max(case when exists (select 1 from pg_attribute of where of.attrelid = tables.oid and of.attname = 'document_id')
      then 1 else 0 end) as has_document
  from pg_class tables
  join pg_constraint keys on keys.conrelid = tables.oid and keys.contype = 'p'
  join pg_attribute columns on columns.attrelid = tables.oid and columns.attnum = any(keys.conkey)
  where tables.relnamespace = current_schema()::regnamespace
  group by tables.relname order by tables.relname`;

test('primary keys of documents’ rows begin with the document', async (t) => {
  const { link } = await openMigratedDatabase(t);
  const keys = (await link.sendStatement(KEYS)).rows as unknown as readonly TableKey[];
  const documentKeys = keys.filter(({ has_document: hasDocument }) => hasDocument === 1);
  assert.deepEqual(new Set([...documentKeys.map(({ name }) => name), 'documents']), DOCUMENT_TABLES);
  assert.deepEqual(
    documentKeys.filter(({ key }) => !key.startsWith('document_id')).map(({ name, key }) => `${name} (${key})`),
    // Each document has only few of these rows, and their ids are unique. The statements also name the document.
    ['webhooks (id)'],
  );
});

function wrapGuard([name, statement]: readonly [string, Statement]): readonly [string, Statement] {
  return [`${name}, breaking off`, canEncodeGuard(statement) ? encodeGuard(statement) : statement];
}

test('every statement is valid for PostgreSQL, also with an encoded guard', async (t) => {
  const { link } = await openMigratedDatabase(t);
  const statements = await loadStatements();
  assert.ok(statements.size > 80, String(statements.size));
  const wrong: string[] = [];
  const guardedStatements = [...statements].filter(([, { guard }]) => guard !== undefined).map(wrapGuard);
  assert.ok(guardedStatements.length > 10, String(guardedStatements.length));
  for (const [name, { sql, parameters }] of [...statements, ...guardedStatements]) {
    await link.sendStatement('begin');
    await link.sendStatement(sql, parameters).catch((error: unknown) => {
      if (!(error instanceof StoreError)) throw error;
      if (WRONG_TEXT.test(error.code)) wrong.push(`${name}: ${error.message}\n${sql}`);
    });
    await link.sendStatement('rollback');
  }
  assert.deepEqual(wrong, []);
});

const OWNER = [
  "insert into workspaces (name, plan, created_at) values ('W', 'standard', 0)",
  "insert into users (email, email_key, name, password_hash, workspace_id, created_at) values ('o', 'o', 'O', '', 1, 0)",
];
const DOCUMENTS = `insert into documents (id, owner_id, title, type, format, locale, date_system, time_zone, revision, head,
    calculated_at, created_at, updated_at)
  select lpad(i::text, 36, '0'), 1, 'T', 'table', 'collaborative', 'en-US', 'google', 'UTC', 0, '', 0, 0, 0
  from generate_series(1, 64) as i`;

test('a commit uses the primary key to find its document, also among few documents', async (t) => {
  const { link } = await openMigratedDatabase(t);
  for (const sql of [...OWNER, DOCUMENTS, 'analyze documents']) await link.sendStatement(sql);
  const statements = await loadStatements();
  for (const name of ['documents/documents.ts: advanceDocument', 'documents/documents.ts: documentHead']) {
    const { sql, parameters } = requireValue(statements.get(name), name);
    const { rows } = await link.sendStatement(
      `explain ${sql}`,
      parameters.map(() => '1'),
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    assert.match(plan, /Index Scan using documents_pkey on documents/, plan);
  }
});

const BY_NO_TOKEN = { origin: 'api', token_id: null, token_name: null, request_id: null };

function createEntry(document: string, range: string): NewAuditEntry {
  const author = { ...BY_NO_TOKEN, user_id: 1, user_name: 'O' };
  const nobody = { subject_id: null, subject_address: null, proposal: null };
  return { document_id: document, action: 'write', ...author, ...nobody, range, cells: 1, at: 1 };
}

/** The statements of a commit after revision 0, with two audit entries. */
function createCommit(id: string, advance: typeof advanceDocument): readonly Statement[] {
  const times = { calculatedAt: 1, committedAt: 1 };
  const entry = {
    delta: new Uint8Array([1]),
    areas: '{}',
    row_orders: null,
    structure: null,
    inverse: new Uint8Array([2]),
  };
  return [
    advance({
      id,
      revision: 0,
      head: '',
      nextRevision: 1,
      nextHead: 'h',
      ...times,
      epoch: 1,
      audited: 2,
      apiAudited: 2,
    }),
    insertCommit({
      document_id: id,
      revision: 1,
      head: 'h',
      parent: '',
      at: 1,
      author_id: 1,
      ...BY_NO_TOKEN,
      ...entry,
    }),
    ...insertNumberedAudits(['A1', 'B2'].map((range) => createEntry(id, range))),
  ];
}

for (const [name, advance] of Object.entries({ advanceDocument, recalculateDocument })) {
  test(`one statement writes the document, the commit and the audit entries, or nothing: ${name}`, async (t) => {
    const { link } = await openMigratedDatabase(t);
    for (const sql of [...OWNER, DOCUMENTS]) await link.sendStatement(sql);
    const write = (id: string) => {
      const statements = createCommit(id, advance);
      const combined = combineCommit(statements);
      assert.ok(combined !== null);
      return link.commitStatements([combined, ...statements.slice(3)]);
    };
    const id = '1'.padStart(36, '0');
    assert.equal((await write(id)).kind, 'committed');
    const storedRows = async () => [
      ...(await link.sendStatement('select id, revision, head, audited, api_audited from documents where revision > 0'))
        .rows,
      ...(await link.sendStatement('select document_id, revision, head, parent from commits')).rows,
      ...(await link.sendStatement('select document_id, id, api_number, range from audit order by id')).rows,
    ];
    const allRows = [
      { id, revision: 1, head: 'h', audited: 2, api_audited: 2 },
      { document_id: id, revision: 1, head: 'h', parent: '' },
      { document_id: id, id: 1, api_number: 1, range: 'A1' },
      { document_id: id, id: 2, api_number: 2, range: 'B2' },
    ];
    assert.deepEqual(await storedRows(), allRows);
    for (const without of [id, 'a document that is gone']) {
      const outcome = await write(without);
      assert.ok(outcome.kind === 'failed' && outcome.at === 0, outcome.kind);
      assert.equal(outcome.error.code, GUARD_FAILURE);
    }
    await link.sendStatement('update access_epoch set version = 2');
    assert.equal((await write('2'.padStart(36, '0'))).kind, 'failed');
    assert.deepEqual(await storedRows(), allRows);
  });
}

test('an audit entry finds the previous entry by the primary key before the table has statistics', async (t) => {
  const { link } = await openMigratedDatabase(t);
  const entries = insertNumberedAudits([createEntry('1'.padStart(36, '0'), 'A1')]);
  for (const { sql, parameters } of entries) {
    const { rows } = await link.sendStatement(`explain ${sql}`, parameters);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    assert.match(plan, /Index Scan using audit_pkey on audit previous/, plan);
  }
});

const TABLES = 'select tablename as name from pg_tables where schemaname = current_schema()';

test('prepared statements keep working after a newer version added columns to every table', async (t) => {
  const { link } = await openMigratedDatabase(t);
  const queries = [...(await loadStatements())].filter(([, { sql }]) => sql.startsWith('select'));
  assert.ok(queries.length > 50, String(queries.length));
  const wrong: string[] = [];
  const askAll = async (): Promise<void> => {
    for (const [name, { sql, parameters }] of queries) {
      await link.sendStatement(sql, parameters).catch((error: unknown) => {
        if (!(error instanceof StoreError)) throw error;
        if (WRONG_TEXT.test(error.code)) wrong.push(`${name}: ${error.message}`);
      });
    }
  };
  // The first execution prepares the statements. A prepared statement keeps its original columns.
  await askAll();
  const { rows } = await link.sendStatement(TABLES);
  for (const { name } of rows) await link.sendStatement(`alter table "${name}" add column added text`);
  await askAll();
  assert.deepEqual(wrong, []);
});

/** Matches a subquery without an alias. PostgreSQL 16 and later accept it, so tests there would not fail. */
const UNNAMED_PART = /\b(?:from|join) \((?:[^()]|\([^()]*\))*\)(?! as )/;

test('every subquery of a statement has an alias, as PostgreSQL 15 requires', async () => {
  const statements = [...(await loadStatements())];
  const locks = lockStatements('document', 'alone').map((lock): [string, Statement] => ['lock', lock]);
  const combined = requireValue(combineCommit(createCommit('document', advanceDocument)), 'the combined statement');
  const guardedStatements = statements.filter(([, { guard }]) => guard !== undefined).map(wrapGuard);
  const checkedStatements = [...statements, ...guardedStatements, ...locks, ['a whole commit', combined] as const];
  assert.match('select 1 from (select 1 as one), other', UNNAMED_PART);
  const withoutAlias = checkedStatements.filter(([, { sql }]) => UNNAMED_PART.test(sql));
  assert.deepEqual(
    withoutAlias.map(([name, { sql }]) => `${name}: ${sql}`),
    [],
  );
});

test('audit entries of one operation pass shared values once per statement', () => {
  const entries = Array.from({ length: 1000 }, (_, i) => createEntry('D', `A${i + 1}`));
  const values = insertNumberedAudits(entries).flatMap(({ parameters }) => parameters);
  const sharedValues = values.filter((value) => value === 'O');
  assert.ok(
    sharedValues.length * 10 <= entries.length,
    `${sharedValues.length} of ${values.length} values are the same name`,
  );
});
