import { type AliasedExpression, sql as raw } from 'kysely';
import { encodeConflict, REVISION_CONFLICT } from '../database/conflicts.ts';
import {
  type Compilable,
  prepareCommitPart,
  prepareForRows,
  prepareQuery,
  prepareStatement,
  type Statement,
} from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import type { AuditTable } from '../database/document-tables.ts';
import { UNLISTED_ORIGINS } from './origins.ts';

export type NewAuditEntry = Omit<{ [K in keyof AuditTable]: AuditTable[K] }, 'id' | 'api_number' | 'run_start'>;

/**
 * How many numbers a list of entries needs. `all`: in the whole log. `api`: in the part of the log that the API lists.
 */
interface AuditEntryCounts {
  readonly all: number;
  readonly api: number;
}

/** How many entries a unit adds: all entries, and entries that the API lists. */
export function countEntries(entries: readonly NewAuditEntry[]): AuditEntryCounts {
  return { all: entries.length, api: entries.filter(isListedByApi).length };
}

/** True if the API's log shows entries of this origin. */
function isListedByApi({ origin }: NewAuditEntry): boolean {
  return !UNLISTED_ORIGINS.includes(origin);
}

const INSERTED_COLUMNS = [
  'document_id',
  'id',
  'action',
  'origin',
  'user_id',
  'user_name',
  'token_id',
  'token_name',
  'request_id',
  'range',
  'cells',
  'at',
  'api_number',
  'run_start',
] as const;

/** Maximum number of entries inserted by one statement. A unit of thousands of statements would block the writer. */
const ENTRIES_PER_STATEMENT = 100;

/**
 * Inserts audit entries of one document, in order, with new numbers. The unit of the recorded operation must contain
 * these statements. All entries must be of one operation: the same user, token and time. If an entry has a subject
 * address but no subject id, the document's newest subscription is the subject, which the same unit has inserted.
 */
export function insertAudits(entries: readonly NewAuditEntry[]): readonly Statement[] {
  const [first] = entries;
  if (first === undefined) return [];
  return [reserveNumbers({ id: first.document_id, ...countEntries(entries) }), ...insertNumberedAudits(entries)];
}

/**
 * Inserts audit entries as `insertAudits` does. An earlier statement of the unit must have added `countEntries` to the
 * document's counters.
 */
export function insertNumberedAudits(entries: readonly NewAuditEntry[]): readonly Statement[] {
  const count = entries.length;
  const grouped = entries.some(hasSubject) ? 0 : count - (count % ENTRIES_PER_STATEMENT);
  const statements: Statement[] = [];
  for (let from = 0; from < grouped; from += ENTRIES_PER_STATEMENT) {
    const group = entries.slice(from, from + ENTRIES_PER_STATEMENT);
    statements.push(
      insertEntryGroup(withOffset(group[0] as NewAuditEntry, count - from - ENTRIES_PER_STATEMENT), group),
    );
  }
  for (let i = grouped; i < count; i++) {
    statements.push(insertEntry(withOffset(entries[i] as NewAuditEntry, count - 1 - i)));
  }
  return statements;
}

/**
 * Adds to an entry the number of entries that follow it. All entries of one operation have the same origin, so the API
 * lists either all of them or none.
 */
function withOffset(entry: NewAuditEntry, after: number): EntryWithOffset {
  return { ...entry, after, api_after: isListedByApi(entry) ? after : null };
}

function insertEntry(entry: EntryWithOffset): Statement {
  if (entry.proposal !== null) return insertAboutProposal(entry);
  return isAboutSubscription(entry) ? insertAboutSubscription(entry) : insertPlainEntry(entry);
}

/** True if the entry is about a proposal or a subscription. */
function hasSubject(entry: NewAuditEntry): boolean {
  return entry.proposal !== null || isAboutSubscription(entry);
}

function isAboutSubscription({ subject_id, subject_address }: NewAuditEntry): boolean {
  return subject_id !== null || subject_address !== null;
}

/**
 * Reserves the next numbers of a document by increasing counters in the document's row. Selecting the greatest number
 * of the log instead took most of the time of an insert.
 */
const reserveNumbers = prepareStatement((p: { id: string } & { [K in keyof AuditEntryCounts]: number }) =>
  sql
    .updateTable('documents')
    .set((eb) => ({ audited: eb('audited', '+', p.all), api_audited: eb('api_audited', '+', p.api) }))
    .where('id', '=', p.id),
);

/**
 * An entry with the number of entries that follow it in its unit (`after`), and the number of such entries that the API
 * lists (`api_after`). `api_after` is null if the API does not list the entry.
 */
type EntryWithOffset = NewAuditEntry & { readonly after: number; readonly api_after: number | null };

const insertAboutProposal = prepareEntry((p, entryAt) =>
  sql
    .insertInto('audit')
    .columns([...INSERTED_COLUMNS, 'proposal'])
    .expression(() => entryAt(p).select(({ val }) => val(p.proposal).as('proposal'))),
);

const insertPlainEntry = prepareEntry((p, entryAt) =>
  sql
    .insertInto('audit')
    .columns(INSERTED_COLUMNS)
    .expression(() => entryAt(p)),
);

/**
 * The columns that differ between entries are passed as rows, the other columns once. Fewer parameters save time in the
 * calling thread.
 */
const insertEntryGroup = prepareForRows(ENTRIES_PER_STATEMENT, (p: EntryWithOffset, rows: readonly NewAuditEntry[]) =>
  sql
    .insertInto('audit')
    .columns(INSERTED_COLUMNS)
    .expression(() => {
      const [first, ...others] = rows.map((row, i) => selectEntryValues(row, ENTRIES_PER_STATEMENT - 1 - i)) as [
        EntryValuesQuery,
        ...EntryValuesQuery[],
      ];
      const entries = others.reduce((all, next) => all.unionAll(next), first).as('entry');
      return sql
        .selectFrom(['documents', entries])
        .select(({ eb, val, cast, ref, lit }) => [
          val(p.document_id).as('document_id'),
          eb(eb(ref('documents.audited'), '-', cast<number>(val(p.after), 'bigint')), '-', ref('entry.after')).as('id'),
          ref('entry.action').as('action'),
          val(p.origin).as('origin'),
          cast<number>(val(p.user_id), 'bigint').as('user_id'),
          val(p.user_name).as('user_name'),
          cast<number | null>(val(p.token_id), 'bigint').as('token_id'),
          val(p.token_name).as('token_name'),
          cast<string | null>(val(p.request_id), 'text').as('request_id'),
          ref('entry.range').as('range'),
          ref('entry.cells').as('cells'),
          cast<number>(val(p.at), 'bigint').as('at'),
          eb(
            eb(ref('documents.api_audited'), '-', cast<number>(val(p.api_after), 'bigint')),
            '-',
            ref('entry.after'),
          ).as('api_number'),
          // All entries of a group are by one user, so only the first one can begin a run.
          eb
            .case()
            .when('entry.after', '=', lit(ENTRIES_PER_STATEMENT - 1))
            .then(lit(1))
            .end()
            .as('run_start'),
        ])
        .where('documents.id', '=', p.document_id);
    }),
);

type EntryValuesQuery = ReturnType<typeof selectEntryValues>;

/** The values in which the entries of a group differ. `after` is the number of entries that follow in the group. */
function selectEntryValues({ action, range, cells }: NewAuditEntry, after: number) {
  return sql.selectNoFrom(({ val, cast, lit }) => [
    lit(after).as('after'),
    cast<string>(val(action), 'text').as('action'),
    cast<string>(val(range), 'text').as('range'),
    cast<number>(val(cells), 'bigint').as('cells'),
  ]);
}

/**
 * A separate statement, because SQLite recompiles a statement with `max()` at every execution. That took five times as
 * long as the insert.
 */
const insertAboutSubscription = prepareEntry((p, entryAt) =>
  sql
    .insertInto('audit')
    .columns([...INSERTED_COLUMNS, 'subject_id', 'subject_address'])
    .expression(() =>
      entryAt(p).select(({ eb, val, cast, selectFrom }) => [
        eb
          .case()
          .when(cast(val(p.subject_id), 'bigint'), 'is', null)
          .then(
            selectFrom('webhooks')
              .select((eb) => eb.fn.max('webhooks.id').as('id'))
              .where('webhooks.document_id', '=', p.document_id)
              .$asScalar(),
          )
          .else(cast<number | null>(val(p.subject_id), 'bigint'))
          .end()
          .as('subject_id'),
        val(p.subject_address).as('subject_address'),
      ]),
    ),
);

/** Prepares a statement that inserts an entry, either alone or as a part of a combined commit. */
function prepareEntry(build: (p: EntryWithOffset, entryAt: (p: EntryWithOffset) => EntryQuery) => Compilable<unknown>) {
  return prepareCommitPart(
    'entry',
    (p: EntryWithOffset) => build(p, (placed) => selectEntry(placed, selectDocumentNumbers(placed))),
    (p: EntryWithOffset) => build(p, (placed) => selectEntry(placed, selectMovedNumbers(placed))),
  );
}

type EntryQuery = ReturnType<typeof selectEntry>;

/** Numbers of a document's newest entries. */
type NumbersQuery = AliasedExpression<{ audited: number; api_audited: number }, 'numbers'>;

/** The counters in the document's row from which entries get their numbers. */
function selectDocumentNumbers(p: EntryWithOffset): NumbersQuery {
  return sql.selectFrom('documents').select(['audited', 'api_audited']).where('id', '=', p.document_id).as('numbers');
}

/**
 * Selects the numbers from the row that the update in the same statement returns (`moved`); the updated table itself is
 * not visible there. If no row was updated, casting the conflict text makes the statement fail.
 */
function selectMovedNumbers(p: EntryWithOffset): NumbersQuery {
  const conflict = raw.lit(encodeConflict(REVISION_CONFLICT));
  const audited = raw`cast(coalesce(cast("moved"."audited" as text), ${conflict}) as bigint) as "audited"`;
  const rows = raw`(select ${p.document_id} as "id") as "target" left join "moved" on "moved"."id" = "target"."id"`;
  return raw<{ audited: number; api_audited: number }>`(select ${audited}, "moved"."api_audited" from ${rows})`.as(
    'numbers',
  );
}

/**
 * Selects the values of an entry that concerns no subscription. Values are cast, because a database may not infer their
 * types from the target table if one statement inserts several entries.
 */
function selectEntry(p: EntryWithOffset, numbers: NumbersQuery) {
  const entry = sql
    .selectFrom(numbers)
    .select(({ eb, val, cast, ref }) => [
      cast<string>(val(p.document_id), 'text').as('document_id'),
      eb(ref('numbers.audited'), '-', cast<number>(val(p.after), 'bigint')).as('id'),
      val(p.action).as('action'),
      val(p.origin).as('origin'),
      cast<number>(val(p.user_id), 'bigint').as('user_id'),
      val(p.user_name).as('user_name'),
      cast<number | null>(val(p.token_id), 'bigint').as('token_id'),
      cast<string | null>(val(p.token_name), 'text').as('token_name'),
      val(p.request_id).as('request_id'),
      val(p.range).as('range'),
      cast<number>(val(p.cells), 'bigint').as('cells'),
      cast<number>(val(p.at), 'bigint').as('at'),
      eb(ref('numbers.api_audited'), '-', cast<number>(val(p.api_after), 'bigint')).as('api_number'),
    ])
    .as('entry');
  return sql
    .selectFrom(entry)
    .selectAll('entry')
    .select(({ eb, exists, selectFrom, lit }) =>
      eb
        .case()
        .when(
          exists(
            selectFrom('audit as previous')
              .select('previous.id')
              .whereRef('previous.document_id', '=', 'entry.document_id')
              .where(({ eb: of, ref }) => of('previous.id', '=', of(ref('entry.id'), '-', lit(1))))
              .where(({ eb: of, ref }) => of('previous.api_number', '=', of(ref('entry.api_number'), '-', lit(1))))
              // Without the sum, PostgreSQL reads all entries of the user by index while the table has no statistics.
              .where(({ eb: of, ref }) => of(of(ref('previous.user_id'), '+', lit(0)), '=', ref('entry.user_id')))
              .whereRef('previous.token_name', 'is not distinct from', 'entry.token_name'),
          ),
        )
        .then(null)
        .else(lit(1))
        .end()
        .as('run_start'),
    );
}

const REMOVED_DOCUMENT_COLUMNS = ['document_id', 'title', 'owner_id', 'removed_at'] as const;

/** Deleted documents after the id `after` that still have a log, in order of id. */
export const removedDocuments = prepareQuery((p: { after: string; limit: number }) =>
  sql
    .selectFrom('removed')
    .select(REMOVED_DOCUMENT_COLUMNS)
    .where('document_id', '>', p.after)
    .orderBy('document_id')
    .limit(p.limit),
);

export const removedDocument = prepareQuery((p: { id: string }) =>
  sql.selectFrom('removed').select(REMOVED_DOCUMENT_COLUMNS).where('document_id', '=', p.id),
);

/** Deletes the record of a deleted document that has no more entries and is not in the trash. */
export const deleteRemovedDocument = prepareStatement((p: { id: string }) =>
  sql
    .deleteFrom('removed')
    .where('document_id', '=', p.id)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('audit').select('audit.id').where('audit.document_id', '=', p.id))),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('trash').select('trash.document_id').where('trash.document_id', '=', p.id))),
    ),
);
