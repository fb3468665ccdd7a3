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
import { computeResetSeconds, findWindowStart } from './quota-window.ts';

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
  readState(userId: number, quota: AgentQuota): Promise<UsageState>;
  /** Counts one request. Returns false without counting if the quota is used up. */
  takeRequest(userId: number, quota: AgentQuota): Promise<boolean>;
  /** Removes one request from the count, because it was a replay. */
  refundRequest(userId: number, quota: AgentQuota): Promise<void>;
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

  async function readCounter(userId: number, start: number): Promise<UsageCounter> {
    const row = await database.readOne(agentUsage({ user_id: userId, window_start: start }));
    return { userId, start, used: row?.used ?? 0, unsaved: 0 };
  }

  async function getCounter(userId: number, quota: AgentQuota): Promise<UsageCounter> {
    const start = findWindowStart(quota.window, clock());
    const loaded = counters.get(userId);
    if (loaded !== undefined) {
      const counter = await loaded;
      if (counter.start === start) return counter;
      if (counters.get(userId) !== loaded) return getCounter(userId, quota);
    }
    const loading = readCounter(userId, start);
    counters.set(userId, loading);
    loading.catch(() => counters.delete(userId));
    return loading;
  }

  function addRequests(counter: UsageCounter, requests: number): void {
    counter.used += requests;
    counter.unsaved += requests;
    changedCounters.add(counter);
    timer ??= setTimeout(saveBuffered, AGENT_USAGE_FLUSH_MS).unref();
  }

  function saveBuffered(): void {
    timer = null;
    saving = saving.then(writeBuffered).catch(onFailure);
  }

  async function writeBuffered(): Promise<void> {
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
    async readState(userId, quota) {
      const { used } = await getCounter(userId, quota);
      return toUsageState(quota, used, clock());
    },
    async takeRequest(userId, quota) {
      const counter = await getCounter(userId, quota);
      if (counter.used >= quota.limit) return false;
      addRequests(counter, 1);
      return true;
    },
    async refundRequest(userId, quota) {
      const counter = await getCounter(userId, quota);
      if (counter.used > 0) addRequests(counter, -1);
    },
    async close() {
      if (timer !== null) clearTimeout(timer);
      saveBuffered();
      await saving;
    },
  };
}

function toUsageState({ window, limit }: AgentQuota, used: number, now: number): UsageState {
  return {
    window,
    limit,
    used,
    remaining: Math.max(0, limit - used),
    resetInSeconds: computeResetSeconds(window, now),
  };
}

/**
 * Counts each request in the database, for several nodes that share one quota. A window is deleted only after it has
 * ended by the clocks of all nodes.
 */
export function createSharedAgentUsage({ database, clock }: Omit<AgentUsageDependencies, 'onFailure'>): AgentUsage {
  const toWindowKey = (user_id: number, { window }: AgentQuota) => ({
    user_id,
    window_start: findWindowStart(window, clock()),
  });
  return {
    async readState(userId, quota) {
      const row = await database.readOne(agentUsage(toWindowKey(userId, quota)));
      return toUsageState(quota, row?.used ?? 0, clock());
    },
    async takeRequest(userId, quota) {
      if (quota.limit === 0) return false;
      const place = toWindowKey(userId, quota);
      const statements = [
        countAgentRequest({ ...place, limit: quota.limit }),
        deleteAgentUsage({ user_id: userId, before: place.window_start - MAX_CLOCK_SKEW_MS }),
      ];
      return (await database.write({ document: null, statements })).kind === 'committed';
    },
    async refundRequest(userId, quota) {
      await database.write({ document: null, statements: [uncountAgentRequest(toWindowKey(userId, quota))] });
    },
    close: async () => {},
  };
}
