import type { Statement } from '../database/database.ts';
import { notOnTop } from './guards.ts';

/** A text of the three, made of theirs; null: they are no commit. Statements' texts are few and fixed. */
interface Known {
  readonly move: string;
  readonly commit: string;
  readonly entry: string;
  readonly sql: string | null;
}

const KNOWN: Known[] = [];

/** Statements of a unit that become one. */
export const JOINED_STATEMENTS = 3;

const MOVE = 'update "documents" set ';
const COMMIT = 'insert into "commits" ';
/** One entry of the audit log, whose two numbers the move has given. */
const ENTRY =
  /^(insert into "audit" (?:(?!"documents").)*)"documents"\."audited"((?:(?!"documents").|"documents"\."api_audited")*) from "documents" where "documents"\."id" = \?$/;

/**
 * The first three statements of a commit in one: the document moves, the commit, an entry of the audit log; null where
 * they are others. The server begins and ends one with less work than three, and the row that was just moved is not
 * looked for again. Where none was, it fails as `breakingOff` has it.
 */
export function wholeCommit([move, commit, entry]: readonly Statement[]): Statement | null {
  if (move?.guard?.rows !== 1 || commit === undefined || entry === undefined) return null;
  if (!move.sql.startsWith(MOVE) || !commit.sql.startsWith(COMMIT)) return null;
  const sql = textOf(move, commit, entry);
  if (sql === null) return null;
  return { sql, parameters: [...move.parameters, ...commit.parameters, ...entry.parameters], guard: move.guard };
}

function textOf(move: Statement, commit: Statement, entry: Statement): string | null {
  const known = KNOWN.find((one) => one.move === move.sql && one.commit === commit.sql && one.entry === entry.sql);
  if (known !== undefined) return known.sql;
  const sql = joined(move, commit, entry);
  KNOWN.push({ move: move.sql, commit: commit.sql, entry: entry.sql, sql });
  return sql;
}

/**
 * For the entry the moved row goes by the table's name, so that its text stays: a part of a statement sees nothing of
 * what another does but the rows that it gives. Without one the number is no number.
 */
function joined(move: Statement, commit: Statement, entry: Statement): string | null {
  const [, before, after] = ENTRY.exec(entry.sql) ?? [];
  if (before === undefined || move.guard === undefined) return null;
  const number = `cast(coalesce(cast("documents"."audited" as text), ${notOnTop(move.guard)}) as bigint)`;
  return `with "documents" as (${move.sql} returning "id", "audited", "api_audited"), "logged" as (${commit.sql})
    ${before}${number}${after} from (select ? as "id") as "asked" left join "documents" on "documents"."id" = "asked"."id"`;
}
