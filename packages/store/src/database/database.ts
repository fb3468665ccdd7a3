import type { MaybePromise } from '@cellwire/event-loop';
import type { CompiledQuery } from 'kysely';

/** What a statement's parameter can be, in every database. */
export type SqlValue = string | number | Uint8Array | null;

declare const ROW: unique symbol;

/** A compiled query and (in its type only) the rows that it gives. */
export interface Query<Row> {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
  /** Makes the row of what the database gives. Throws `StoreError` if the stored bytes are not what was written. */
  finish?(row: Row): Row;
  readonly [ROW]?: Row;
}

/** The rows of a query, from those that the database gave. */
export function finishRows<Row>(query: Query<Row>, rows: readonly unknown[]): readonly Row[] {
  const given = rows as readonly Row[];
  return query.finish === undefined ? given : given.map((row) => query.finish?.(row) ?? row);
}

/** A compiled statement of a unit. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
  /** Absent: how many rows change does not matter. */
  readonly guard?: Guard;
  /** Absent: a database that takes a commit as one statement sends this one by itself. */
  readonly part?: CommitPart;
}

/**
 * A statement as a part of the one that is a whole commit: it moves the document, adds the commit, or adds an entry of
 * the audit log. Its text takes the same parameters in the same order. The text of a move gives `id`, `audited` and
 * `api_audited`; that of an entry reads them from `moved`.
 */
export interface CommitPart {
  readonly kind: 'move' | 'commit' | 'entry';
  readonly sql: string;
}

/**
 * The statement must change (or, where it gives rows, give) exactly so many rows, else its whole unit is undone. A query
 * with a guard is a precondition: it holds at the very moment of the commit, whoever else writes meanwhile.
 */
export interface Guard {
  readonly rows: number;
  /** What the outcome then says; a constant of the module that wrote the statement. */
  readonly conflict: string;
}

/** Statements that are durable together or not at all, in their order: each sees what those before it did. */
export interface Unit {
  /**
   * The document whose rows it reads and changes; null: it is about users, tokens or the installation. Units of one
   * document take turns, on whatever machine, and those of one process are executed and answered in the order of the
   * calls, whatever became of those before. All others: at the same time, in any order.
   */
  readonly document: string | null;
  /** The user whose work it is; absent: the service itself. */
  readonly user?: number | null;
  readonly statements: readonly Statement[];
  /**
   * Gives a row once the unit is committed, and before that none. Only for a unit whose first guard, once it fails, never
   * holds again: a database that is asked over a network then needs not be told when to commit, and what became of the
   * unit can be found out. The outcome of such a unit need not have `results`.
   */
  readonly proof?: Query<unknown>;
}

/** What a committed statement did. */
export interface StatementResult {
  readonly changes: number;
  /** The rows of `returning`; empty without it. */
  readonly rows: readonly Readonly<Record<string, SqlValue>>[];
}

export type UnitOutcome =
  /** It is on the disk. One result a statement. */
  | { readonly kind: 'committed'; readonly results: readonly StatementResult[] }
  /** A guard did not hold; nothing was written. */
  | { readonly kind: 'conflict'; readonly conflict: string };

/** The rows of several queries, in their order. */
export type RowsOf<Queries extends readonly Query<unknown>[]> = {
  readonly [I in keyof Queries]: Queries[I] extends Query<infer Row> ? readonly Row[] : never;
};

/** Connections of one process to a database server, and requests that wait for one. */
export interface ConnectionCounts {
  readonly busy: number;
  readonly idle: number;
  readonly waiting: number;
}

/**
 * The one door to the database, which may be far away: everything is done at some moment between the call and its
 * answer, and nobody may count on more. So
 *
 * - a read sees all whose commit anybody had heard of when it was asked. It may also see what was committed after that,
 *   a unit of this process that is not answered yet included; and of two reads the one asked later may see the older
 *   state, unless the first was answered before.
 * - Units are done and answered in any order but for that of a `document`. Whoever needs another order waits for the
 *   answer; whoever needs what was read to hold at the commit gives a `Guard`.
 *
 * A failure that is no outcome (the disk is full, the file is damaged) rejects with `StoreError`; the unit then left
 * nothing.
 */
export interface Database {
  read<Row>(query: Query<Row>): Promise<readonly Row[]>;
  /** The first row, or null. */
  readOne<Row>(query: Query<Row>): Promise<Row | null>;
  /**
   * `readOne` for what every request asks: a look may be shared as long as nobody has committed since, by all who ask
   * with the same object. All is seen that
   * anybody, in whatever process, was told of before it was asked. The answer is there at once where that costs no waiting.
   */
  readLatest<Row>(query: Query<Row>): MaybePromise<Row | null>;
  /** All queries at one moment of the database. */
  readAll<const Queries extends readonly Query<unknown>[]>(queries: Queries): Promise<RowsOf<Queries>>;
  /**
   * `readAll` for queries that may visit many rows: the embedded database runs them in a thread of their own, so that
   * nobody else waits. Their results are small.
   */
  readInBackground<const Queries extends readonly Query<unknown>[]>(queries: Queries): Promise<RowsOf<Queries>>;
  /** The rows of a query of one moment, in their order, `size` at a time. The query runs as in `readBeside`. */
  readInBatches<Row>(query: Query<Row>, size: number): AsyncIterable<readonly Row[]>;
  /** The answer comes when the unit is on the disk, or when it is certain that it left nothing. */
  write(unit: Unit): Promise<UnitOutcome>;
  /** Its connections to a server; null: it is embedded. */
  connections(): ConnectionCounts | null;
  /** Examines the stored bytes, which takes a while on a large database; one text a problem, none when all is well. */
  check(): Promise<readonly string[]>;
  /** Waits for the units under way, then closes. */
  close(): Promise<void>;
}

/** Cuts rows into parts of `size`; the last one may be shorter. */
export function* splitIntoBatches<Row>(rows: readonly Row[], size: number): Generator<readonly Row[]> {
  for (let from = 0; from < rows.length; from += size) yield rows.slice(from, from + size);
}

/**
 * The database could not do what it was told. `code` is the database's own, e.g. `SQLITE_FULL`, or one of ours, among
 * them `OVERLOADED` (too much waits) and `UNAVAILABLE` (it cannot be reached): whoever asked may come again.
 */
export class StoreError extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.name = 'StoreError';
    this.code = code;
  }
}

export interface Compilable<Row> {
  compile(): CompiledQuery<Row>;
}

/** A query built at each call; for those that run rarely or have a varying shape. */
export function query<Row>(builder: Compilable<Row>): Query<Row> {
  const { sql, parameters } = builder.compile();
  return { sql, parameters: parameters as readonly SqlValue[] };
}

/** A statement built at each call; of few shapes, as the writer keeps the texts (`unit-message.ts`). */
export function statement(builder: Compilable<unknown>, guard?: Guard): Statement {
  const { sql, parameters } = query(builder);
  return guard ? { sql, parameters, guard } : { sql, parameters };
}

/** Stands for a parameter while a statement is compiled. `row`: of the row in that place; null: of none. */
class Placeholder {
  readonly name: string;
  readonly row: number | null;

  constructor(name: string, row: number | null) {
    this.name = name;
    this.row = row;
  }
}

type StatementParameters = Readonly<Record<string, SqlValue>>;

/**
 * A query compiled once, at its first use. `build` gets a stand-in for each parameter and may only pass it on as a
 * value: `prepare((p: { id: string }) => sql.selectFrom('documents').select('title').where('id', '=', p.id))`.
 */
export function prepare<P extends StatementParameters, Row>(
  build: (p: P) => Compilable<Row>,
): (values: P) => Query<Row> {
  const compiled = compileLazily(build);
  return (values) => {
    const { sql, slots } = compiled();
    return { sql, parameters: fillParameters(slots, values) };
  };
}

/** Like `prepare`, for a statement of a unit. */
export function prepareStatement<P extends StatementParameters>(
  build: (p: P) => Compilable<unknown>,
  guard?: Guard,
): (values: P) => Statement {
  const compiled = compileLazily(build);
  return (values) => {
    const { sql, slots } = compiled();
    const parameters = fillParameters(slots, values);
    return guard ? { sql, parameters, guard } : { sql, parameters };
  };
}

/** Like `prepareStatement`, for a statement that is a part of a commit, too. `buildPart` builds its text as that part. */
export function prepareCommitPart<P extends StatementParameters>(
  kind: CommitPart['kind'],
  build: (p: P) => Compilable<unknown>,
  buildPart: (p: P) => Compilable<unknown>,
  guard?: Guard,
): (values: P) => Statement {
  const prepared = prepareStatement(build, guard);
  const compiledPart = compileLazily(buildPart);
  let part: CommitPart | undefined;
  return (values) => {
    part ??= { kind, sql: compiledPart().sql };
    return { ...prepared(values), part };
  };
}

/** Like `prepareStatement`, where some parameters are those of `count` rows alike: `build` gets a stand-in for each. */
export function prepareForRows<P extends StatementParameters, R extends StatementParameters>(
  count: number,
  build: (p: P, rows: readonly R[]) => Compilable<unknown>,
): (values: P, rows: readonly R[]) => Statement {
  const compiled = compileLazily((p: P) =>
    build(
      p,
      Array.from({ length: count }, (_, row) => createPlaceholders<R>(row)),
    ),
  );
  return (values, rows) => {
    const { sql, slots } = compiled();
    return { sql, parameters: fillParameters(slots, values, rows) };
  };
}

interface CompiledStatement {
  readonly sql: string;
  readonly slots: readonly unknown[];
}

function compileLazily<P extends StatementParameters>(build: (p: P) => Compilable<unknown>): () => CompiledStatement {
  let compiled: CompiledStatement | undefined;
  return () => {
    if (compiled === undefined) {
      const { sql, parameters } = build(createPlaceholders<P>(null)).compile();
      compiled = { sql, slots: parameters };
    }
    return compiled;
  };
}

function createPlaceholders<P extends StatementParameters>(row: number | null): P {
  return new Proxy({}, { get: (_, name) => new Placeholder(String(name), row) }) as P;
}

function fillParameters(
  slots: readonly unknown[],
  values: StatementParameters,
  rows: readonly StatementParameters[] = [],
): SqlValue[] {
  const parameters = new Array<SqlValue>(slots.length);
  for (let i = 0; i < slots.length; i++) {
    const slot = slots[i];
    parameters[i] = slot instanceof Placeholder ? valueAt(slot, values, rows) : (slot as SqlValue);
  }
  return parameters;
}

function valueAt(
  { name, row }: Placeholder,
  values: StatementParameters,
  rows: readonly StatementParameters[],
): SqlValue {
  return (row === null ? values : (rows[row] as StatementParameters))[name] as SqlValue;
}
