import { REVISION_CONFLICT } from '../database/conflicts.ts';
import type { CommitPart, SqlValue, Statement, Unit } from '../database/database.ts';
import type { SqliteUnitResult } from './transaction.ts';

/** What the executor of transactions needs of a unit. */
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
  for (let from = 0, end = 0; from < units.length; from = end) {
    const first = units[from] as Unit;
    end = findChainEnd(units, from);
    const count = end - from;
    const statements = count === 1 ? first.statements : joinChain(units.slice(from, end));
    joined.push({ statements, isConcurrent: first.isConcurrent === true, count });
  }
  return joined;
}

/**
 * Returns the results of the units that were joined. If joined units failed, all of them get a conflict: their writes
 * are then repeated one by one, so that only the unit that caused the failure fails again.
 */
export function splitResults(
  results: readonly SqliteUnitResult[],
  joined: readonly JoinedUnits[],
): readonly SqliteUnitResult[] {
  const split: SqliteUnitResult[] = [];
  for (let i = 0; i < joined.length; i++) {
    const { count } = joined[i] as JoinedUnits;
    const result = results[i] as SqliteUnitResult;
    const each = count === 1 ? result : toSharedResult(result);
    for (let unit = 0; unit < count; unit++) split.push(each);
  }
  return split;
}

const COMMITTED: SqliteUnitResult = { kind: 'committed', results: [] };
const CONFLICT: SqliteUnitResult = { kind: 'conflict', conflict: REVISION_CONFLICT };

function toSharedResult({ kind }: SqliteUnitResult): SqliteUnitResult {
  return kind === 'committed' ? COMMITTED : CONFLICT;
}

/** One past the last unit of the chain of commits that begins with a unit. */
function findChainEnd(units: readonly Unit[], from: number): number {
  const { isConcurrent } = units[from] as Unit;
  let move = findMove(units[from] as Unit);
  let end = from + 1;
  while (move !== null && end < units.length) {
    const unit = units[end] as Unit;
    const next = findMove(unit);
    if (next === null || !continuesMove(move, next) || unit.isConcurrent !== isConcurrent) break;
    move = next;
    end++;
  }
  return end;
}

/** The statement that advances the document. Null unless the unit consists of a commit and entries of the audit log. */
function findMove({ statements }: Unit): Statement | null {
  const move = statements[0];
  if (move?.part?.kind !== 'move' || statements[1]?.part?.kind !== 'commit') return null;
  for (let i = 2; i < statements.length; i++) if (statements[i]?.part?.kind !== 'entry') return null;
  return move;
}

/** True if a move begins where another one ends, with the same rights. */
function continuesMove(move: Statement, next: Statement): boolean {
  const at = findPositions(move);
  return (
    next.part === move.part &&
    next.parameters[at.id] === move.parameters[at.id] &&
    next.parameters[at.revision] === move.parameters[at.nextRevision] &&
    next.parameters[at.head] === move.parameters[at.nextHead] &&
    next.parameters[at.epoch] === move.parameters[at.epoch]
  );
}

/** The statements of a chain of commits. */
function joinChain(units: readonly Unit[]): readonly Statement[] {
  const moves = units.map(({ statements }) => statements[0] as Statement);
  const at = findPositions(moves[0] as Statement);
  let audited = sumParameter(moves, at.audited);
  let apiAudited = sumParameter(moves, at.apiAudited);
  const joined = [joinMoves(moves, audited, apiAudited)];
  units.forEach(({ statements }, i) => {
    const { parameters } = moves[i] as Statement;
    // From here on, the sums are the numbers of entries that follow this commit.
    audited -= parameters[at.audited] as number;
    apiAudited -= parameters[at.apiAudited] as number;
    joined.push(statements[1] as Statement);
    for (let j = 2; j < statements.length; j++)
      joined.push(addToOffsets(statements[j] as Statement, audited, apiAudited));
  });
  return joined;
}

function sumParameter(moves: readonly Statement[], position: number): number {
  let sum = 0;
  for (const { parameters } of moves) sum += parameters[position] as number;
  return sum;
}

/** A move from the beginning of the first move to the end of the last one, which adds these numbers of audit entries. */
function joinMoves(moves: readonly Statement[], audited: number, apiAudited: number): Statement {
  const [first, last] = [moves[0], moves.at(-1)] as [Statement, Statement];
  const at = findPositions(last);
  const parameters = last.parameters.slice();
  parameters[at.revision] = first.parameters[at.revision] as SqlValue;
  parameters[at.head] = first.parameters[at.head] as SqlValue;
  parameters[at.audited] = audited;
  parameters[at.apiAudited] = apiAudited;
  return { ...last, parameters };
}

/** An audit entry that further entries follow: `audited` in the whole log, `apiAudited` in the part for the API. */
function addToOffsets(entry: Statement, audited: number, apiAudited: number): Statement {
  if (audited === 0) return entry;
  const at = findPositions(entry);
  const parameters = entry.parameters.slice();
  const apiAfter = parameters[at.api_after] as number | null;
  parameters[at.after] = (parameters[at.after] as number) + audited;
  parameters[at.api_after] = apiAfter === null ? null : apiAfter + apiAudited;
  return { ...entry, parameters };
}

/** Names of the parameters that joining reads or changes. Each occurs at most once in a statement. */
const NAMES = [
  'id',
  'revision',
  'head',
  'nextRevision',
  'nextHead',
  'epoch',
  'audited',
  'apiAudited',
  'after',
  'api_after',
] as const;

type ParameterPositions = Readonly<Record<(typeof NAMES)[number], number>>;

const positionsByPart = new Map<CommitPart, ParameterPositions>();

/** The positions of the parameters of a statement that is a part of a commit. There are few such parts. */
function findPositions({ part }: Statement): ParameterPositions {
  if (part === undefined) throw new Error('The statement is no part of a commit');
  let positions = positionsByPart.get(part);
  if (positions === undefined) {
    positions = Object.fromEntries(NAMES.map((name) => [name, part.names.indexOf(name)])) as ParameterPositions;
    positionsByPart.set(part, positions);
  }
  return positions;
}
