import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

export const agentUsage = prepareQuery((p: { user_id: number; window_start: number }) =>
  sql
    .selectFrom('agent_usage')
    .select('used')
    .where('user_id', '=', p.user_id)
    .where('window_start', '=', p.window_start),
);

/** Adds `used` to the number of requests that a user's agents made in a window. */
export const addAgentUsage = prepareStatement((p: { user_id: number; window_start: number; used: number }) =>
  sql
    .insertInto('agent_usage')
    .values({ user_id: p.user_id, window_start: p.window_start, used: p.used })
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'window_start']).doUpdateSet((eb) => ({
        used: eb('agent_usage.used', '+', eb.ref('excluded.used')),
      })),
    ),
);

/** Deletes windows that ended before `before`. */
export const deleteAgentUsage = prepareStatement((p: { user_id: number; before: number }) =>
  sql.deleteFrom('agent_usage').where('user_id', '=', p.user_id).where('window_start', '<', p.before),
);

/** Conflict: the quota of the window is used up. */
const QUOTA_USED_UP = 'quota used up';

/** Counts one request unless the window already has `limit` (at least 1) requests. */
export const countAgentRequest = prepareStatement(
  (p: { user_id: number; window_start: number; limit: number }) =>
    sql
      .insertInto('agent_usage')
      .values({ user_id: p.user_id, window_start: p.window_start, used: 1 })
      .onConflict((conflict) =>
        conflict
          .columns(['user_id', 'window_start'])
          .doUpdateSet((eb) => ({ used: eb('agent_usage.used', '+', 1) }))
          .where('agent_usage.used', '<', p.limit),
      ),
  { rows: 1, conflict: QUOTA_USED_UP },
);

/** Subtracts one counted request. */
export const uncountAgentRequest = prepareStatement((p: { user_id: number; window_start: number }) =>
  sql
    .updateTable('agent_usage')
    .set((eb) => ({ used: eb('used', '-', 1) }))
    .where('user_id', '=', p.user_id)
    .where('window_start', '=', p.window_start)
    .where('used', '>', 0),
);
