import { REVISION_CONFLICT } from '../database/conflicts.ts';
import type { CommitPart, SqlValue, Statement, Unit } from '../database/database.ts';
import type { SqliteUnitResult } from './transaction.ts';

/** The members of a unit that the executor of transactions reads. */
export type ExecutedUnit = Pick<Unit, 'statements' | 'isConcurrent'>;

/** One unit, or several units that are committed together or not at all. */
interface JoinedUnits extends ExecutedUnit {
  /** Number of units. */
  readonly count: number;
}

/**
 * Joins units that are consecutive commits of one document: the document's row is updated once, from the state before
 * the first commit to the state after the last one. The units keep their order.
 */
export function joinCommits(units: readonly Unit[]): readonly JoinedUnits[] {
  const joined: JoinedUnits[] = [];
  const commits = units.map(parseCommit);
  for (let from = 0, end = 0; from < units.length; from = end) {
    end = findChainEnd(commits, from);
    const { statements, isConcurrent } = units[from] as Unit;
    const count = end - from;
    joined.push({
      statements: count === 1 ? statements : joinChain(commits.slice(from, end) as PlainCommit[]),
      isConcurrent: isConcurrent === true,
      count,
    });
  }
  return joined;
}

/**
 * Returns the results of the units that were joined. If a statement of joined units failed, all of the units get a
 * conflict: the caller then repeats the writes, the first one alone, and only the write that caused the failure fails
 * again.
 */
export function splitResults(
  results: readonly SqliteUnitResult[],
  joined: readonly JoinedUnits[],
): readonly SqliteUnitResult[] {
  return joined.flatMap(({ count }, i) => {
    const result = results[i] as SqliteUnitResult;
    return new Array<SqliteUnitResult>(count).fill(count === 1 ? result : toSharedResult(result));
  });
}

/** `results` may be empty, because the units have a proof. */
const COMMITTED: SqliteUnitResult = { kind: 'committed', results: [] };
const CONFLICT: SqliteUnitResult = { kind: 'conflict', conflict: REVISION_CONFLICT };

function toSharedResult(result: SqliteUnitResult): SqliteUnitResult {
  if (result.kind === 'committed') return COMMITTED;
  return result.kind === 'failed' && result.scope === 'transaction' ? result : CONFLICT;
}

/** The statements of a unit that consists of a commit and entries of the audit log. */
interface PlainCommit {
  /** Advances the document. */
  readonly move: PartStatement;
  readonly commit: PartStatement;
  readonly entries: readonly PartStatement[];
}

type PartStatement = Statement & { readonly part: CommitPart };

/** Null for a unit with other statements, such as a stored reply or a guard for the sender's rights. */
function parseCommit({ proof, isConcurrent, statements }: Unit): PlainCommit | null {
  const [move, commit, ...entries] = statements;
  if (proof === undefined || isConcurrent === true || !isPart(move, 'move') || !isPart(commit, 'commit')) return null;
  return entries.every((entry) => isPart(entry, 'entry')) ? { move, commit, entries } : null;
}

function isPart(statement: Statement | undefined, kind: CommitPart['kind']): statement is PartStatement {
  return statement?.part?.kind === kind;
}

/** The position after the last unit of the chain of commits that begins at `from`. */
function findChainEnd(commits: readonly (PlainCommit | null)[], from: number): number {
  let end = from + 1;
  while (continuesCommit(commits[end - 1] ?? null, commits[end] ?? null)) end++;
  return end;
}

/** True if a commit begins where the previous commit ends, with the same rights. */
function continuesCommit(previous: PlainCommit | null, next: PlainCommit | null): boolean {
  if (previous === null || next === null) return false;
  const [before, after] = [previous.move, next.move];
  return (
    after.part === before.part &&
    readParameter(after, 'id') === readParameter(before, 'id') &&
    readParameter(after, 'revision') === readParameter(before, 'nextRevision') &&
    readParameter(after, 'head') === readParameter(before, 'nextHead') &&
    readParameter(after, 'epoch') === readParameter(before, 'epoch')
  );
}

/** The statements of a chain of commits. */
function joinChain(commits: readonly PlainCommit[]): readonly Statement[] {
  const moves = commits.map(({ move }) => move);
  const [first, last] = [moves[0], moves.at(-1)] as [PartStatement, PartStatement];
  let audited = sumParameter(moves, 'audited');
  let apiAudited = sumParameter(moves, 'apiAudited');
  const start = { revision: readParameter(first, 'revision'), head: readParameter(first, 'head') };
  const joined: Statement[] = [replaceParameters(last, { ...start, audited, apiAudited })];
  for (const { move, commit, entries } of commits) {
    // From here on, the sums are the numbers of entries that follow this commit.
    audited -= readNumber(move, 'audited');
    apiAudited -= readNumber(move, 'apiAudited');
    joined.push(commit);
    for (const entry of entries) joined.push(addToOffsets(entry, audited, apiAudited));
  }
  return joined;
}

function sumParameter(statements: readonly PartStatement[], name: string): number {
  return statements.reduce((sum, statement) => sum + readNumber(statement, name), 0);
}

/** An audit entry that further entries follow: `audited` in the whole log, `apiAudited` in the part for the API. */
function addToOffsets(entry: PartStatement, audited: number, apiAudited: number): Statement {
  if (audited === 0) return entry;
  const apiAfter = readParameter(entry, 'api_after') as number | null;
  return replaceParameters(entry, {
    after: readNumber(entry, 'after') + audited,
    api_after: apiAfter === null ? null : apiAfter + apiAudited,
  });
}

// The parameters that joining reads or replaces occur once in their statement. Their names are few: searching them takes
// 10 ns.

function readParameter({ part, parameters }: PartStatement, name: string): SqlValue {
  return parameters[part.names.indexOf(name)] as SqlValue;
}

function readNumber(statement: PartStatement, name: string): number {
  return readParameter(statement, name) as number;
}

function replaceParameters(statement: PartStatement, values: Readonly<Record<string, SqlValue>>): Statement {
  const parameters = statement.parameters.slice();
  for (const [name, value] of Object.entries(values)) parameters[statement.part.names.indexOf(name)] = value;
  return { ...statement, parameters };
}
