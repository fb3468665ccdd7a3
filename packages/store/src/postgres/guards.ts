import { encodeConflict } from '../database/conflicts.ts';
import type { Statement } from '../database/database.ts';

/** Error `invalid_text_representation`, which signals a failed guard. No other statement casts texts to numbers. */
export const GUARD_FAILURE = '22P02';

/**
 * True if a guard can be a part of the statement. The statement is then wrapped to count its rows, so it must not
 * return rows itself.
 */
export function canEncodeGuard({ sql, guard }: Statement): boolean {
  return guard === undefined || !sql.includes(' returning ');
}

const ENCODED_TEXTS = new Map<string, string>();

/**
 * Rewrites a statement so that the server raises an error, and rolls the transaction back, if its guard fails. It casts
 * a text to a number, which fails; the text states the reason in the server's log.
 */
export function encodeGuard(statement: Statement): Statement {
  const { sql, guard, parameters } = statement;
  if (guard === undefined) return statement;
  const cached = ENCODED_TEXTS.get(sql);
  if (cached !== undefined) return { sql: cached, parameters, guard };
  const counted = sql.startsWith('select') ? sql : `${sql} returning 1`;
  const text = `with counted as (${counted}) select cast(case count(*) when ${guard.rows} then '1' else '${encodeConflict(guard.conflict)}' end as integer) from counted`;
  ENCODED_TEXTS.set(sql, text);
  return { sql: text, parameters, guard };
}
