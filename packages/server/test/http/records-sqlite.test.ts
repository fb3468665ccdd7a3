import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { queryRecords, readRowNumbers } from './records-support.ts';
import { type Api, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

type CellValue = string | number | null;

/** Rows for a document and for SQLite: a text, a number and another text, each possibly empty. */
const text = fc.constantFrom('riga', 'tallinn', 'vilnius', 'a%b', 'x_y', null);
const number = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.constantFrom(0.5, 1e9), fc.constant(null));
const rowsOfTable = fc.array(fc.tuple(text, number, text), { minLength: 1, maxLength: 40 });

const NAMES = ['a', 'b', 'c'];

interface Condition {
  readonly where: Readonly<Record<string, unknown>>;
  readonly sql: string;
}

const formatLiteral = (value: CellValue) => (typeof value === 'string' ? `'${value}'` : String(value));
const formatLikePattern = (pattern: string, value: string) => pattern.replace('?', value.replace(/[%_]/g, '\\$&'));

function createEquality(column: string, value: CellValue): Condition {
  return {
    where: { [column]: value },
    sql: value === null ? `${column} IS NULL` : `${column} IS ${formatLiteral(value)}`,
  };
}

const comparison: fc.Arbitrary<Condition> = fc.oneof(
  fc.tuple(fc.constantFrom('a', 'c'), text).map(([column, value]) => createEquality(column, value)),
  number.map((value) => createEquality('b', value)),
  fc
    .tuple(fc.constantFrom(['gt', '>'], ['gte', '>='], ['lt', '<'], ['lte', '<=']), fc.integer({ min: -5, max: 5 }))
    .map(([[op = '', sign], value]) => ({
      where: { b: { [op]: value } },
      sql: `(b IS NOT NULL AND b ${sign} ${value})`,
    })),
  fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 3 }).map((values) => ({
    where: { b: values },
    sql: `(b IS NOT NULL AND b IN (${values.join()}))`,
  })),
  fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 3 }).map((values) => ({
    where: { b: { nin: values } },
    sql: `(b IS NULL OR b NOT IN (${values.join()}))`,
  })),
  fc
    .tuple(
      fc.constantFrom(['contains', '%?%'], ['startsWith', '?%'], ['endsWith', '%?']),
      fc.constantFrom('i', '%', '_', 'r'),
    )
    .map(([[op = '', pattern = ''], value]) => ({
      where: { a: { [op]: value } },
      sql: `(a IS NOT NULL AND a LIKE '${formatLikePattern(pattern, value)}' ESCAPE '\\')`,
    })),
  fc.boolean().map((is) => ({ where: { c: { empty: is } }, sql: is ? 'c IS NULL' : 'c IS NOT NULL' })),
);

const filter = fc.record({
  where: comparison,
  any: fc.option(fc.array(comparison, { minLength: 1, maxLength: 2 })),
  none: fc.array(comparison, { maxLength: 2 }),
});

function toQueries({ where, any: oneOf, none }: typeof filter extends fc.Arbitrary<infer F> ? F : never) {
  const parts = [where.sql, ...none.map(({ sql }) => `NOT (${sql})`)];
  if (oneOf !== null) parts.push(`(${oneOf.map(({ sql }) => sql).join(' OR ')})`);
  const body = {
    where: where.where,
    ...(oneOf === null ? {} : { any: oneOf.map((condition) => condition.where) }),
    none: none.map((condition) => condition.where),
  };
  return { body, sql: parts.join(' AND ') };
}

/** Writes the same rows to the document and to SQLite. Empty rows are not records. */
async function writeBoth(book: Api, rows: readonly (readonly CellValue[])[]): Promise<Sqlite.Database> {
  await book.clear('A:C');
  await book.put('A1', [NAMES, ...rows.map((row) => row.map((cell) => cell ?? ''))]);
  const sqlite = new Sqlite(':memory:');
  sqlite.exec('CREATE TABLE t (row INTEGER PRIMARY KEY, a, b, c)');
  const insert = sqlite.prepare('INSERT INTO t VALUES (?, ?, ?, ?)');
  rows.forEach((row, i) => {
    if (row.some((cell) => cell !== null)) insert.run(i + 2, ...row);
  });
  return sqlite;
}

describe('records and SQLite with the same rows', () => {
  it('return the same rows in the same order', async () => {
    const book = await world.createBook();
    await fc.assert(
      fc.asyncProperty(
        rowsOfTable,
        filter,
        fc.constantFrom('b', '-b', '-a', 'c'),
        async (rows, filterCase, sortKey) => {
          const sqlite = await writeBoth(book, rows);
          const { body, sql } = toQueries(filterCase);
          const column = sortKey.replace('-', '');
          const order = `${column} IS NULL, ${column} ${sortKey.startsWith('-') ? 'DESC' : 'ASC'}, row`;
          const expected = sqlite.prepare(`SELECT row FROM t WHERE ${sql} ORDER BY ${order}`).pluck().all();
          const answer = await queryRecords(book, { range: 'A:C', ...body, sort: [sortKey] });
          assert.deepEqual(readRowNumbers(answer), expected, JSON.stringify(answer.body['errors']));
          sqlite.close();
        },
      ),
      { numRuns: scaleRunCount(45) },
    );
  });

  it('group and count equally', async () => {
    const book = await world.createBook();
    const measures = {
      n: { count: '*' },
      filled: { count: 'b' },
      low: { min: 'b' },
      high: { max: 'b' },
      kinds: { countDistinct: 'b' },
    };
    const figures =
      'COUNT(*) n, COUNT(b) filled, MIN(b) low, MAX(b) high, COUNT(DISTINCT b) kinds, TOTAL(b) total, AVG(b) mean';
    await fc.assert(
      fc.asyncProperty(rowsOfTable, filter, async (rows, filterCase) => {
        const sqlite = await writeBoth(book, rows);
        const { body, sql } = toQueries(filterCase);
        const expected = sqlite
          .prepare(`SELECT a, ${figures} FROM t WHERE ${sql} GROUP BY a ORDER BY a IS NULL, a`)
          .all();
        const aggregate = { groupBy: ['a'], measures: { ...measures, total: { sum: 'b' }, mean: { average: 'b' } } };
        const answer = await queryRecords(book, { range: 'A:C', ...body, aggregate, sort: ['a'] });
        const groups = (answer.body['records'] as unknown as { fields: object }[]).map(({ fields }) => fields);
        assert.deepEqual(groups, expected);
        sqlite.close();
      }),
      { numRuns: scaleRunCount(30) },
    );
  });

  it('return the same rows with and without an index, after any writes', async () => {
    const book = await world.createBook();
    const rows = Array.from({ length: 1_500 }, (_, i) => [`k${i % 700}`, i % 9, null]);
    const sqlite = await writeBoth(book, rows);
    const set = sqlite.prepare('UPDATE t SET a = ? WHERE row = ?');
    for (let turn = 0; turn < 12; turn++) {
      const row = 2 + turn * 100;
      await book.put(`A${row}`, [[`k${turn}`]]);
      set.run(`k${turn}`, row);
      const expected = sqlite.prepare('SELECT row FROM t WHERE a IN (?, ?) AND b > 2 ORDER BY row').pluck();
      const where = { a: [`K${turn}`, 'k42'], b: { gt: 2 } };
      assert.deepEqual(
        readRowNumbers(await queryRecords(book, { range: 'A:C', where })),
        expected.all(`k${turn}`, 'k42'),
      );
    }
    sqlite.close();
  });

  it('have the same rows after upserts, updates and deletions', async () => {
    const book = await world.createBook();
    const key = fc.constantFrom('k1', 'k2', 'K2', 'k3', 'k4', 'k5');
    const fields = fc.record({ b: number, c: text }, { requiredKeys: [] });
    const step = fc.oneof(
      fc.record({ kind: fc.constant('upsert' as const), key, fields }),
      fc.record({ kind: fc.constant('update' as const), key, fields }),
      fc.record({ kind: fc.constant('delete' as const), least: fc.integer({ min: -5, max: 5 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const sqlite = await writeBoth(book, []);
        sqlite.exec('CREATE UNIQUE INDEX one ON t (a COLLATE NOCASE)');
        for (const condition of steps) {
          const answer = await book.post(`/records/${condition.kind}`, { range: 'A:C', ...createBody(condition) });
          assert.equal(answer.status, 200, JSON.stringify(answer.body));
          perform(sqlite, condition);
        }
        const answer = await queryRecords(book, { range: 'A:C' });
        const groups = (answer.body['records'] as unknown as { fields: object }[]).map((record) => record.fields);
        assert.deepEqual(groups, sqlite.prepare('SELECT a, b, c FROM t ORDER BY row').all());
        sqlite.close();
      }),
      { numRuns: scaleRunCount(30) },
    );
  });
});

type RecordStep =
  | { readonly kind: 'upsert' | 'update'; readonly key: string; readonly fields: { b?: CellValue; c?: CellValue } }
  | { readonly kind: 'delete'; readonly least: number };

function createBody(step: RecordStep): object {
  if (step.kind === 'delete') return { where: { b: { gte: step.least } } };
  if (step.kind === 'upsert') return { key: ['a'], records: [{ a: step.key, ...step.fields }] };
  return { where: { a: step.key }, set: Object.keys(step.fields).length > 0 ? step.fields : { b: 1 } };
}

function perform(sqlite: Sqlite.Database, step: RecordStep): void {
  if (step.kind === 'delete') {
    sqlite.prepare('DELETE FROM t WHERE b >= ?').run(step.least);
    return;
  }
  if (step.kind === 'upsert') sqlite.prepare('INSERT INTO t (a) VALUES (?) ON CONFLICT DO NOTHING').run(step.key);
  const fields = step.kind === 'update' && Object.keys(step.fields).length === 0 ? { b: 1 } : step.fields;
  for (const [name, value] of Object.entries(fields)) {
    sqlite.prepare(`UPDATE t SET ${name} = ? WHERE a = ? COLLATE NOCASE`).run(value, step.key);
  }
}
