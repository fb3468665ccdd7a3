import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

interface RequestCount extends Readonly<Record<string, number>> {
  readonly user_id: number;
  readonly period_start: number;
  readonly requests: number;
  readonly refused: number;
}

/** Adds to the number of a user's API requests in a period. */
export const addRequestCount = prepareStatement((p: RequestCount) =>
  sql
    .insertInto('request_counts')
    .values({ user_id: p.user_id, period_start: p.period_start, requests: p.requests, refused: p.refused })
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'period_start']).doUpdateSet((eb) => ({
        requests: eb('request_counts.requests', '+', eb.ref('excluded.requests')),
        refused: eb('request_counts.refused', '+', eb.ref('excluded.refused')),
      })),
    ),
);

export const deleteRequestCounts = prepareStatement((p: { user_id: number; before: number }) =>
  sql.deleteFrom('request_counts').where('user_id', '=', p.user_id).where('period_start', '<', p.before),
);

/** Counted requests of a user, oldest first. */
export const requestCounts = prepareQuery((p: { user_id: number; since: number }) =>
  sql
    .selectFrom('request_counts')
    .select(['period_start', 'requests', 'refused'])
    .where('user_id', '=', p.user_id)
    .where('period_start', '>=', p.since)
    .orderBy('period_start'),
);
