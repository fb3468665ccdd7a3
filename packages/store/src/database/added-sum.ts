import { sql as raw } from 'kysely';
import { NULL_ADDEND } from './sum-groups.ts';

/**
 * SQL of a sum with an added column (`SumGroup.added`). `base`: the sum of the other columns, computed with 0 as the
 * added value. `column`: the value of the column after the statement.
 */
export function addToSum(base: number | null, column: string) {
  return raw<number>`cast(${base} as bigint) + coalesce(${raw.ref(column)}, ${raw.lit(NULL_ADDEND)})`;
}
