import { prepare, prepareStatement } from './database.ts';
import { sql } from './dialect.ts';

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
