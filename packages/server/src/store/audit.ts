import { type Expression, expressionBuilder, sql as raw } from 'kysely';
import { prepare, prepareStatement, type SqlValue, type Statement } from './database.ts';
import { sql } from './dialect.ts';
import type { AuditTable, Schema } from './schema.ts';

/** Edits made in the browser are kept, but the API's log does not show them (decisions §11). Written out, so that the index of what is shown is used. */
const BROWSER = raw.lit('browser');

type NewEntry = Omit<{ [K in keyof AuditTable]: AuditTable[K] }, 'id'>;

const COLUMNS = [
  'document_id',
  'id',
  'action',
  'origin',
  'user_id',
  'user_name',
  'token_id',
  'token_name',
  'range',
  'cells',
  'at',
  'subject_id',
  'subject_address',
] as const;

/**
 * Adds an entry under the document's next number, which no entry ever had. Belongs in the unit of what it records. An
 * address without a number is that of the document's newest subscription, which the same unit has made.
 */
export const insertAudit = prepareStatement((p: NewEntry) =>
  sql
    .insertInto('audit')
    .columns(COLUMNS)
    .expression(() => entryAt(p, 1)),
);

/** Entries that one statement adds; a unit of thousands of statements would hold up the writer. */
const GROUP = 100;

/** Adds entries of one document, in their order. */
export function insertAudits(entries: readonly NewEntry[]): readonly Statement[] {
  const grouped = entries.length - (entries.length % GROUP);
  const statements: Statement[] = [];
  for (let from = 0; from < grouped; from += GROUP) {
    statements.push(insertGroup(numbered(entries.slice(from, from + GROUP))));
  }
  return [...statements, ...entries.slice(grouped).map((entry) => insertAudit(entry))];
}

/** A statement sees nothing of the rows that it adds itself: each takes its place after the greatest number before. */
const insertGroup = prepareStatement((p: Record<string, SqlValue>) =>
  sql
    .insertInto('audit')
    .columns(COLUMNS)
    .expression(() =>
      Array.from({ length: GROUP - 1 }, (_, i) => entryAt(entryOf(p, i + 1), i + 2)).reduce(
        (all, next) => all.unionAll(next),
        entryAt(entryOf(p, 0), 1),
      ),
    ),
);

/** The members of a group's entries under names of their own. */
function numbered(entries: readonly NewEntry[]): Record<string, SqlValue> {
  const named = entries.flatMap((entry, i) => Object.entries(entry).map(([name, value]) => [`${name} ${i}`, value]));
  return Object.fromEntries(named);
}

function entryOf(p: Record<string, SqlValue>, index: number): NewEntry {
  const names = COLUMNS.filter((name) => name !== 'id');
  return Object.fromEntries(names.map((name) => [name, p[`${name} ${index}`]])) as unknown as NewEntry;
}

/**
 * An entry so many places after the document's last one. Values say what they are: of several entries in one statement
 * a database may not look for it in the table that they are for.
 */
function entryAt(p: NewEntry, places: number) {
  return sql
    .selectFrom('documents')
    .select(({ eb, val, cast, lit, ref, selectFrom }) => [
      val(p.document_id).as('document_id'),
      eb(greatest(lastAudit(p.document_id), ref('documents.audited')), '+', lit(places)).as('id'),
      val(p.action).as('action'),
      val(p.origin).as('origin'),
      cast<number>(val(p.user_id), 'bigint').as('user_id'),
      val(p.user_name).as('user_name'),
      cast<number | null>(val(p.token_id), 'bigint').as('token_id'),
      val(p.token_name).as('token_name'),
      val(p.range).as('range'),
      cast<number>(val(p.cells), 'bigint').as('cells'),
      cast<number>(val(p.at), 'bigint').as('at'),
      eb.fn
        .coalesce(
          cast<number | null>(val(p.subject_id), 'bigint'),
          selectFrom('webhooks')
            .select((of) => of.fn.max('webhooks.id').as('id'))
            .where('webhooks.document_id', '=', p.document_id)
            .where(cast(val(p.subject_address), 'text'), 'is not', null),
        )
        .as('subject_id'),
      val(p.subject_address).as('subject_address'),
    ])
    .where('documents.id', '=', p.document_id);
}

/** The greatest number in a document's log. */
function lastAudit(document: string) {
  return sql
    .selectFrom('audit')
    .select(({ fn, lit }) => fn.coalesce(fn.max('audit.id'), lit(0)).as('last'))
    .where('audit.document_id', '=', document)
    .$asScalar();
}

function greatest(a: Expression<number>, b: Expression<number>) {
  const where = expressionBuilder<Schema, never>();
  return where.case().when(a, '>', b).then(a).else(b).end();
}

/** Remembers the numbers that are given away before the entries that have them go: a unit that deletes begins with it. */
export const keepAuditNumbers = prepareStatement((p: { id: string; before: number }) =>
  sql
    .updateTable('documents')
    .set(({ selectFrom }) => ({
      audited: selectFrom('audit')
        .select(({ fn, lit }) => fn.coalesce(fn.max('audit.id'), lit(0)).as('last'))
        .where('audit.document_id', '=', p.id),
    }))
    .where('id', '=', p.id)
    .where(({ eb, selectFrom }) =>
      eb(
        selectFrom('audit')
          .select('audit.at')
          .where('audit.document_id', '=', p.id)
          .orderBy('audit.id', 'desc')
          .limit(1),
        '<',
        p.before,
      ),
    ),
);

/** The documents after `after` that were deleted and still have a log, by id. */
export const removedDocuments = prepare((p: { after: string; limit: number }) =>
  sql.selectFrom('removed').selectAll().where('document_id', '>', p.after).orderBy('document_id').limit(p.limit),
);

export const removedDocument = prepare((p: { id: string }) =>
  sql.selectFrom('removed').selectAll().where('document_id', '=', p.id),
);

/** Forgets a deleted document of which no entry is left. */
export const forgetRemoved = prepareStatement((p: { id: string }) =>
  sql
    .deleteFrom('removed')
    .where('document_id', '=', p.id)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('audit').select('audit.id').where('audit.document_id', '=', p.id))),
    ),
);

/** Newest first. */
export const auditPage = prepare((p: { document_id: string; offset: number; limit: number }) =>
  sql
    .selectFrom('audit')
    .select([
      'id',
      'action',
      'origin',
      'user_id',
      'user_name',
      'token_name',
      'range',
      'cells',
      'at',
      'subject_id',
      'subject_address',
    ])
    .where('document_id', '=', p.document_id)
    .where('origin', '!=', BROWSER)
    .orderBy('id', 'desc')
    .limit(p.limit)
    .offset(p.offset),
);

export const auditTotal = prepare((p: { document_id: string }) =>
  sql
    .selectFrom('audit')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('document_id', '=', p.document_id)
    .where('origin', '!=', BROWSER),
);

/** Distinct names of tokens in the whole log, each found in the index after the one before: not all entries are read. */
export const auditTokens = prepare((p: { document_id: string }) =>
  sql
    .withRecursive('names(token_name)', (cte) =>
      cte.selectNoFrom(leastName(p.document_id).as('token_name')).unionAll(
        cte
          .selectFrom('names')
          .select(({ ref }) => leastName(p.document_id, ref('names.token_name')).as('token_name'))
          .where('names.token_name', 'is not', null),
      ),
    )
    .selectFrom('names')
    .select('token_name')
    .where('token_name', 'is not', null),
);

/** The first name of the log, in their order, or the first after another. */
function leastName(document: string, after?: Expression<string | null>) {
  const names = sql
    .selectFrom('audit')
    .select(({ fn }) => fn.min('audit.token_name').as('least'))
    .where('audit.document_id', '=', document)
    .where('audit.origin', '!=', BROWSER);
  return (after === undefined ? names : names.where('audit.token_name', '>', after)).$asScalar();
}
