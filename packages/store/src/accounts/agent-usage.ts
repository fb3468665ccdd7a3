import { prepare, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

export const agentUsage = prepare((p: { user_id: number; window_start: number }) =>
  sql
    .selectFrom('agent_usage')
    .select('used')
    .where('user_id', '=', p.user_id)
    .where('window_start', '=', p.window_start),
);

/** Adds to what a user's agents have used in a window. */
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

/** Windows that ended before `before` are of no more use. */
export const deleteAgentUsage = prepareStatement((p: { user_id: number; before: number }) =>
  sql.deleteFrom('agent_usage').where('user_id', '=', p.user_id).where('window_start', '<', p.before),
);

/** Conflict: the window has no request left. */
const QUOTA_USED_UP = 'quota used up';

/** Counts one request, while fewer than `limit` (at least 1) are counted. */
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

/** Takes one counted request back. */
export const uncountAgentRequest = prepareStatement((p: { user_id: number; window_start: number }) =>
  sql
    .updateTable('agent_usage')
    .set((eb) => ({ used: eb('used', '-', 1) }))
    .where('user_id', '=', p.user_id)
    .where('window_start', '=', p.window_start)
    .where('used', '>', 0),
);
