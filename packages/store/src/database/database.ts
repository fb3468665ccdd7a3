import type { MaybePromise } from '@cellwire/event-loop';
import type { CompiledQuery } from 'kysely';

/** A parameter value that all databases support. */
export type SqlValue = string | number | Uint8Array | null;

declare const ROW: unique symbol;

/** A compiled query. The type parameter is the type of its rows. */
export interface Query<Row> {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
  /** Converts a row that the database returned. Throws `StoreError` if the stored bytes are damaged. */
  finish?(row: Row): Row;
  readonly [ROW]?: Row;
}

/** Applies the query's `finish` to the rows that the database returned. */
export function finishRows<Row>(query: Query<Row>, rows: readonly unknown[]): readonly Row[] {
  const plainRows = rows as readonly Row[];
  return query.finish === undefined ? plainRows : plainRows.map((row) => query.finish?.(row) ?? row);
}

/** A compiled statement of a unit. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
  /** Absent if any number of changed rows is accepted. */
  readonly guard?: RowGuard;
  /** Absent if the statement is always sent separately. */
  readonly part?: CommitPart;
}

/**
 * The form of a statement as a part of one combined commit statement. It advances the document (`move`), adds the
 * commit, adds an entry of the audit log, or stores a reply. It has the same parameters in the same order. A move
 * returns `id`, `audited` and `api_audited`; an entry reads them from `moved`.
 */
export interface CommitPart {
  readonly kind: 'move' | 'commit' | 'entry' | 'reply';
  readonly sql: string;
  /** Names of the parameters. */
  readonly names: readonly string[];
}

/**
 * The statement must change (or return, for a query) exactly `rows` rows; otherwise the whole unit is rolled back. A
 * query with a guard is a precondition that must be true at the time of the commit, even if other writers run
 * concurrently.
 */
export interface RowGuard {
  readonly rows: number;
  /** The conflict in the outcome; a constant of the module that defines the statement. */
  readonly conflict: string;
}

/**
 * Statements that are committed together or not at all. They run in order, and each sees the changes of the earlier
 * ones.
 */
export interface Unit {
  /**
   * The document whose rows the unit reads and changes; null for users, tokens or the installation. Units of one
   * document run one after another, on all nodes. Units of one process and document run and resolve in the order of the
   * calls, even after a failure. All other units run concurrently, in any order.
   */
  readonly document: string | null;
  /** The user who requested the unit; absent for the service itself. */
  readonly user?: number | null;
  readonly statements: readonly Statement[];
  /** True if the caller prepares other units meanwhile. A process without a writer thread then starts one. */
  readonly isConcurrent?: boolean;
  /**
   * Returns a row if and only if the unit is committed. Allowed only if the unit's first guard can never succeed after
   * it has failed once. PostgreSQL then sends such a unit and its commit in one round trip; if the answer is lost, it
   * determines later whether the unit was committed. The outcome of such a unit may lack `results`.
   */
  readonly proof?: Query<unknown>;
}

/** The result of a committed statement. */
export interface StatementResult {
  readonly changes: number;
  /** The rows that a `returning` clause returned. */
  readonly rows: readonly Readonly<Record<string, SqlValue>>[];
}

export type UnitOutcome =
  /** The unit is on disk. `results` has one element for each statement. */
  | { readonly kind: 'committed'; readonly results: readonly StatementResult[] }
  /**
   * Nothing was written, because a guard failed. A commit may also get the conflict of its first guard if another unit
   * that was written together with it failed.
   */
  | { readonly kind: 'conflict'; readonly conflict: string };

/** The row types of several queries, in order. */
export type RowsOf<Queries extends readonly Query<unknown>[]> = {
  readonly [I in keyof Queries]: Queries[I] extends Query<infer Row> ? readonly Row[] : never;
};

/** A position in the commits of all documents. Only the database that returned it can interpret the text. */
export type StoreCommitPosition = string;

interface StoreChangesQuery {
  /** Null if the caller needs only the present position. */
  readonly since: StoreCommitPosition | null;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly now: number;
  /** Maximum number of commits and new documents that are read. */
  readonly maxCommits: number;
  /** Maximum number of open proposals that are read. */
  readonly maxProposals: number;
}

interface ChangesSince {
  readonly position: StoreCommitPosition;
  /**
   * Documents with commits after `since`, and documents created after it. Null if there are more than `maxCommits`, or
   * if `since` belongs to another history of the database.
   */
  readonly documents: readonly string[] | null;
  /** A text that changes when a proposal is opened or closed; null if more than `maxProposals` are open. */
  readonly openProposals: string | null;
}

/** Detects cheaply whether any process has changed documents. */
export interface CommitPositions {
  changesSince(query: StoreChangesQuery): MaybePromise<ChangesSince>;
}

/** Numbers of a process's connections to a database server, and of the callers that wait for one. */
export interface ConnectionCounts {
  readonly busy: number;
  readonly idle: number;
  readonly waiting: number;
}

/** One moment of the database, whose rows can be read without a wait. */
export interface StoreSnapshot {
  read<Row>(query: Query<Row>): readonly Row[];
  /** Call it soon: until then, the database keeps the old versions of changed rows. */
  close(): void;
}

/**
 * Access to the database, which may be remote. An operation takes effect at some time between the call and its result:
 *
 * - A read sees every commit that was acknowledged, to any client, before the call. It may also see later commits,
 *   including unacknowledged units of this process. Of two concurrent reads, the one called later may see the older
 *   state.
 * - Units run and resolve in any order, except units of one `document`. A caller that needs another order must await
 *   the earlier result. A caller for which a value must not change between its read and the commit adds a `RowGuard`.
 *
 * Failures that are not outcomes (a full disk, a damaged file) reject with `StoreError`. The unit then changed nothing.
 */
export interface Database {
  read<Row>(query: Query<Row>): Promise<readonly Row[]>;
  /** The first row, or null. */
  readOne<Row>(query: Query<Row>): Promise<Row | null>;
  /**
   * Reads the first row, for reads of every request. Calls with the same query object may share one read while no unit
   * is committed. The result includes every commit that was acknowledged, by any process, before the call. The result
   * is a plain value if no wait is needed.
   */
  readLatest<Row>(query: Query<Row>): MaybePromise<Row | null>;
  /** Runs all queries on one snapshot of the database. */
  readAll<const Queries extends readonly Query<unknown>[]>(queries: Queries): Promise<RowsOf<Queries>>;
  /**
   * Runs queries as `readAll` does, for queries that may scan many rows and return few. The embedded database runs them
   * in a separate thread, so that they do not block other reads.
   */
  readInBackground<const Queries extends readonly Query<unknown>[]>(queries: Queries): Promise<RowsOf<Queries>>;
  /**
   * Returns the rows of a query on one snapshot, in order, in batches of `size`. The query runs as in
   * `readInBackground`.
   */
  readInBatches<Row>(query: Query<Row>, size: number): AsyncIterable<readonly Row[]>;
  /** Opens the present moment of the embedded database. Null if the database is remote: each read needs a wait then. */
  readonly openSnapshot: (() => StoreSnapshot) | null;
  readonly commitPositions: CommitPositions;
  /** Resolves when the unit is on disk, or when it is certain that it changed nothing. */
  write(unit: Unit): Promise<UnitOutcome>;
  /** The connections to a server; null for the embedded database. */
  countConnections(): ConnectionCounts | null;
  /** Checks the stored bytes, which takes long for a large database. Returns one text for each problem. */
  checkIntegrity(): Promise<readonly string[]>;
  /** Waits for running units, then closes the database. */
  close(): Promise<void>;
}

/** Splits rows into batches of `size`; the last one may be shorter. */
export function* splitIntoBatches<Row>(rows: readonly Row[], size: number): Generator<readonly Row[]> {
  for (let from = 0; from < rows.length; from += size) yield rows.slice(from, from + size);
}

/**
 * A failed database operation. `code`: the database's own code, for example `SQLITE_FULL`; or a code of this package,
 * such as `OVERLOADED` (the queue is full) and `UNAVAILABLE` (no connection). After these two the caller may retry.
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

/** Compiles a query at each call. For rare queries, and for queries with a variable shape. */
export function compileQuery<Row>(builder: Compilable<Row>): Query<Row> {
  const { sql, parameters } = builder.compile();
  return { sql, parameters: parameters as readonly SqlValue[] };
}

/**
 * Compiles a statement at each call. Its SQL must have few variants, because the writer caches the texts
 * (`unit-message.ts`).
 */
export function compileStatement(builder: Compilable<unknown>, guard?: RowGuard): Statement {
  const { sql, parameters } = compileQuery(builder);
  return guard ? { sql, parameters, guard } : { sql, parameters };
}

/** Placeholder for a parameter during compilation. `row`: index of a row in `prepareForRows`, else null. */
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
 * Compiles a query once, at its first use. `build` receives a placeholder for each parameter, which it may only pass on
 * as a value: `prepareQuery((p: { id: string }) => sql.selectFrom('documents').select('title').where('id', '=',
 * p.id))`.
 */
export function prepareQuery<P extends StatementParameters, Row>(
  build: (p: P) => Compilable<Row>,
): (values: P) => Query<Row> {
  const compiled = compileLazily(build);
  return (values) => {
    const statement = compiled();
    return { sql: statement.sql, parameters: fillParameters(statement, values) };
  };
}

/** Compiles a statement of a unit as `prepareQuery` compiles a query. */
export function prepareStatement<P extends StatementParameters>(
  build: (p: P) => Compilable<unknown>,
  guard?: RowGuard,
): (values: P) => Statement {
  const compiled = compileLazily(build);
  return (values) => {
    const statement = compiled();
    const { sql } = statement;
    const parameters = fillParameters(statement, values);
    return guard ? { sql, parameters, guard } : { sql, parameters };
  };
}

/**
 * Compiles a statement as `prepareStatement` does, and its form as a part of a combined commit, which `buildPart`
 * builds.
 */
export function prepareCommitPart<P extends StatementParameters>(
  kind: CommitPart['kind'],
  build: (p: P) => Compilable<unknown>,
  buildPart: (p: P) => Compilable<unknown>,
  guard?: RowGuard,
): (values: P) => Statement {
  const compiled = compileLazily(build);
  const compiledPart = compileLazily(buildPart);
  let part: CommitPart | undefined;
  return (values) => {
    part ??= toCommitPart(kind, compiledPart());
    const statement = compiled();
    const { sql } = statement;
    const parameters = fillParameters(statement, values);
    return guard ? { sql, parameters, guard, part } : { sql, parameters, part };
  };
}

function toCommitPart(kind: CommitPart['kind'], { sql, names }: CompiledStatement): CommitPart {
  return { kind, sql, names: names.map((name) => name ?? '') };
}

/**
 * Compiles a statement as `prepareStatement` does, for `count` rows of equal shape. `build` receives placeholders for
 * each row.
 */
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
    const statement = compiled();
    return { sql: statement.sql, parameters: fillRowParameters(statement, values, rows) };
  };
}

interface CompiledStatement {
  readonly sql: string;
  /** The parameters: placeholders and constants. */
  readonly slots: readonly unknown[];
  /** The names of the placeholders; null for a constant. */
  readonly names: readonly (string | null)[];
}

/** Builds the SQL of a statement at its first use. */
function compileLazily<P extends StatementParameters>(build: (p: P) => Compilable<unknown>): () => CompiledStatement {
  let compiled: CompiledStatement | undefined;
  return () => {
    if (compiled === undefined) {
      const { sql, parameters } = build(createPlaceholders<P>(null)).compile();
      const names = parameters.map((slot) => (slot instanceof Placeholder ? slot.name : null));
      compiled = { sql, slots: parameters, names };
    }
    return compiled;
  };
}

/** An object whose every member is a placeholder for the parameter of that name; `row` is its row in a list of rows. */
function createPlaceholders<P extends StatementParameters>(row: number | null): P {
  return new Proxy({}, { get: (_, name) => new Placeholder(String(name), row) }) as P;
}

/** The parameters of a compiled statement, with values in place of placeholders. */
function fillParameters({ slots, names }: CompiledStatement, values: StatementParameters): SqlValue[] {
  const parameters = new Array<SqlValue>(names.length);
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string | null;
    parameters[i] = name === null ? (slots[i] as SqlValue) : (values[name] as SqlValue);
  }
  return parameters;
}

/** Fills parameters as `fillParameters` does, for a statement that also has placeholders in rows. */
function fillRowParameters(
  { slots }: CompiledStatement,
  values: StatementParameters,
  rows: readonly StatementParameters[],
): SqlValue[] {
  return slots.map((slot) => {
    if (!(slot instanceof Placeholder)) return slot as SqlValue;
    const { name, row } = slot;
    return (row === null ? values : (rows[row] as StatementParameters))[name] as SqlValue;
  });
}
