import { conflictText } from '../database/conflicts.ts';
import type { Statement } from '../database/database.ts';

/** `invalid_text_representation`: with it the server tells that a guard did not hold. No statement of ours reads numbers from texts. */
export const GUARD_FAILURE = '22P02';

/** What a guarded statement changed is counted around it, so it must not give rows itself. */
export function canEncodeGuard({ sql, guard }: Statement): boolean {
  return guard === undefined || !sql.includes(' returning ');
}

const ENCODED_TEXTS = new Map<string, string>();

/**
 * A statement that fails in the server where its guard does not hold, which undoes the transaction. What cannot be read
 * as a number says why in the server's log.
 */
export function encodeGuard(statement: Statement): Statement {
  const { sql, guard, parameters } = statement;
  if (guard === undefined) return statement;
  const known = ENCODED_TEXTS.get(sql);
  if (known !== undefined) return { sql: known, parameters, guard };
  const counted = sql.startsWith('select') ? sql : `${sql} returning 1`;
  const text = `with counted as (${counted}) select cast(case count(*) when ${guard.rows} then '1' else '${conflictText(guard.conflict)}' end as integer) from counted`;
  ENCODED_TEXTS.set(sql, text);
  return { sql: text, parameters, guard };
}
