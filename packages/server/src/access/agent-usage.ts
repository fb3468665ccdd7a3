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

/** A user's agent quota in the current window. */
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
  /** Counts one request. Returns false without counting if the quota is used up. */
  take(userId: number, quota: AgentQuota): Promise<boolean>;
  /** Removes one request from the count, because it was a replay. */
  refund(userId: number, quota: AgentQuota): Promise<void>;
  /** Saves the remaining counts and stops saving. */
  close(): Promise<void>;
}

interface UsageCounter {
  readonly userId: number;
  readonly start: number;
  used: number;
  /** Requests that are not in the store yet. */
  unsaved: number;
}

interface AgentUsageDependencies {
  readonly database: Database;
  readonly clock: () => number;
  /** Called when saving fails. The counts are kept and saved later. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Counts in memory and saves every second, so that an agent's read costs no commit. A crash loses at most one second of
 * counts. Only one process may use it at a time.
 */
export function createAgentUsage({ database, clock, onFailure }: AgentUsageDependencies): AgentUsage {
  /** The current window of each user. */
  const counters = new Map<number, Promise<UsageCounter>>();
  const changedCounters = new Set<UsageCounter>();
  let timer: NodeJS.Timeout | null = null;
  let saving: Promise<void> = Promise.resolve();

  async function load(userId: number, start: number): Promise<UsageCounter> {
    const row = await database.readOne(agentUsage({ user_id: userId, window_start: start }));
    return { userId, start, used: row?.used ?? 0, unsaved: 0 };
  }

  async function counterOf(userId: number, quota: AgentQuota): Promise<UsageCounter> {
    const start = windowStart(quota.window, clock());
    const loaded = counters.get(userId);
    if (loaded !== undefined) {
      const counter = await loaded;
      if (counter.start === start) return counter;
      if (counters.get(userId) !== loaded) return counterOf(userId, quota);
    }
    const loading = load(userId, start);
    counters.set(userId, loading);
    loading.catch(() => counters.delete(userId));
    return loading;
  }

  function add(counter: UsageCounter, requests: number): void {
    counter.used += requests;
    counter.unsaved += requests;
    changedCounters.add(counter);
    timer ??= setTimeout(save, AGENT_USAGE_FLUSH_MS).unref();
  }

  function save(): void {
    timer = null;
    saving = saving.then(write).catch(onFailure);
  }

  async function write(): Promise<void> {
    const due = [...changedCounters].map((counter) => ({ counter, requests: counter.unsaved }));
    changedCounters.clear();
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
        changedCounters.add(counter);
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
    async refund(userId, quota) {
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
 * Counts each request in the database, for several nodes that share one quota. A window is deleted only after it has
 * ended by the clocks of all nodes.
 */
export function createSharedAgentUsage({ database, clock }: Omit<AgentUsageDependencies, 'onFailure'>): AgentUsage {
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
    async refund(userId, quota) {
      await database.write({ document: null, statements: [uncountAgentRequest(placeOf(userId, quota))] });
    },
    close: async () => {},
  };
}
