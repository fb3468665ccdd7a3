import { type Database, MAX_CLOCK_SKEW_MS } from '@cellwire/store';
import {
  addAgentUsage,
  agentUsage,
  countAgentRequest,
  deleteAgentUsage,
  uncountAgentRequest,
} from '@cellwire/store/accounts';
import type { AgentQuota } from '../config/types.ts';
import { AGENT_USAGE_FLUSH_MS } from '../limits/http.ts';
import { resetInSeconds, windowStart } from './quota-window.ts';

/** Where a user's agents stand in the running window. */
interface UsageState {
  readonly window: 'minute' | 'month';
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  readonly resetInSeconds: number;
}

/** Counts the requests of AI agents by user in calendar windows. */
export interface AgentUsage {
  state(userId: number, quota: AgentQuota): Promise<UsageState>;
  /** Counts one request; false, and nothing counted, when the quota is used up. */
  take(userId: number, quota: AgentQuota): Promise<boolean>;
  /** Takes one request back: it was a replay. */
  giveBack(userId: number, quota: AgentQuota): Promise<void>;
  /** Saves what is not saved yet, and stops saving. */
  close(): Promise<void>;
}

interface Counter {
  readonly userId: number;
  readonly start: number;
  used: number;
  /** What the store does not have yet. */
  unsaved: number;
}

interface Dependencies {
  readonly database: Database;
  readonly clock: () => number;
  /** Told when saving failed; the counts are kept and saved later. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Counts in memory and saves every second, so that a read by an agent costs no commit: after a crash at most that
 * second's requests are forgotten. For one process at a time.
 */
export function createAgentUsage({ database, clock, onFailure }: Dependencies): AgentUsage {
  /** The running window of each user. */
  const counters = new Map<number, Promise<Counter>>();
  const changed = new Set<Counter>();
  let timer: NodeJS.Timeout | null = null;
  let saving: Promise<void> = Promise.resolve();

  async function load(userId: number, start: number): Promise<Counter> {
    const row = await database.readOne(agentUsage({ user_id: userId, window_start: start }));
    return { userId, start, used: row?.used ?? 0, unsaved: 0 };
  }

  async function counterOf(userId: number, quota: AgentQuota): Promise<Counter> {
    const start = windowStart(quota.window, clock());
    const held = counters.get(userId);
    if (held !== undefined) {
      const counter = await held;
      if (counter.start === start) return counter;
      if (counters.get(userId) !== held) return counterOf(userId, quota);
    }
    const loading = load(userId, start);
    counters.set(userId, loading);
    loading.catch(() => counters.delete(userId));
    return loading;
  }

  function add(counter: Counter, requests: number): void {
    counter.used += requests;
    counter.unsaved += requests;
    changed.add(counter);
    timer ??= setTimeout(save, AGENT_USAGE_FLUSH_MS).unref();
  }

  function save(): void {
    timer = null;
    saving = saving.then(write).catch(onFailure);
  }

  async function write(): Promise<void> {
    const due = [...changed].map((counter) => ({ counter, requests: counter.unsaved }));
    changed.clear();
    for (const { counter, requests } of due) counter.unsaved -= requests;
    try {
      const statements = due.flatMap(({ counter, requests }) => [
        addAgentUsage({ user_id: counter.userId, window_start: counter.start, used: requests }),
        deleteAgentUsage({ user_id: counter.userId, before: counter.start }),
      ]);
      if (statements.length > 0) await database.write({ document: null, statements });
    } catch (error) {
      for (const { counter, requests } of due) {
        counter.unsaved += requests;
        changed.add(counter);
      }
      throw error;
    }
  }

  return {
    async state(userId, quota) {
      const { used } = await counterOf(userId, quota);
      return stateOf(quota, used, clock());
    },
    async take(userId, quota) {
      const counter = await counterOf(userId, quota);
      if (counter.used >= quota.limit) return false;
      add(counter, 1);
      return true;
    },
    async giveBack(userId, quota) {
      const counter = await counterOf(userId, quota);
      if (counter.used > 0) add(counter, -1);
    },
    async close() {
      if (timer !== null) clearTimeout(timer);
      save();
      await saving;
    },
  };
}

function stateOf({ window, limit }: AgentQuota, used: number, now: number): UsageState {
  return { window, limit, used, remaining: Math.max(0, limit - used), resetInSeconds: resetInSeconds(window, now) };
}

/**
 * Counts in the database, each request when it comes: what several nodes count together. A window stays until it is over
 * by everybody's clock.
 */
export function createSharedAgentUsage({ database, clock }: Omit<Dependencies, 'onFailure'>): AgentUsage {
  const placeOf = (user_id: number, { window }: AgentQuota) => ({
    user_id,
    window_start: windowStart(window, clock()),
  });
  return {
    async state(userId, quota) {
      const row = await database.readOne(agentUsage(placeOf(userId, quota)));
      return stateOf(quota, row?.used ?? 0, clock());
    },
    async take(userId, quota) {
      if (quota.limit === 0) return false;
      const place = placeOf(userId, quota);
      const statements = [
        countAgentRequest({ ...place, limit: quota.limit }),
        deleteAgentUsage({ user_id: userId, before: place.window_start - MAX_CLOCK_SKEW_MS }),
      ];
      return (await database.write({ document: null, statements })).kind === 'committed';
    },
    async giveBack(userId, quota) {
      await database.write({ document: null, statements: [uncountAgentRequest(placeOf(userId, quota))] });
    },
    close: async () => {},
  };
}
