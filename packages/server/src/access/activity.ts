import type { Database, Statement } from '@cellwire/store';
import { addRequestCount, deleteRequestCounts, recordTokenUse, touchSession } from '@cellwire/store/accounts';
import {
  ACTIVITY_BATCH,
  ACTIVITY_FLUSH_MS,
  MAX_BUFFERED_USES,
  USAGE_KEPT_MS,
  USAGE_PERIOD_MS,
} from '../limits/console.ts';
import type { Caller } from './callers.ts';

/** Records when tokens and sessions were last used, and how many requests a user's tokens made. */
export interface Activity {
  /** `refused`: the request exceeded the rate limit. */
  recordUse(caller: Caller, refused: boolean): void;
  /** Saves the remaining records and stops saving. */
  close(): Promise<void>;
}

/** Requests of one user's tokens in one period. */
interface UserRequestCount {
  readonly user: number;
  readonly start: number;
  requests: number;
  refused: number;
}

interface ActivityDependencies {
  readonly database: Database;
  readonly clock: () => number;
  /** Called when saving fails. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Collects records in memory and saves them every few seconds, so that a request costs no commit. A crash loses the
 * last seconds. The only decision that depends on these records is whether an idle session has expired.
 */
export function createActivity({ database, clock, onFailure }: ActivityDependencies): Activity {
  let tokens = new Map<number, number>();
  let sessions = new Map<number, number>();
  /** Counts of the current period by user. Unsaved counts of earlier periods are in `past`. */
  let running = new Map<number, UserRequestCount>();
  let past: UserRequestCount[] = [];
  let timer: NodeJS.Timeout | null = null;
  let saving: Promise<void> = Promise.resolve();

  function countRequest(user: number, time: number, refused: boolean): void {
    const start = time - (time % USAGE_PERIOD_MS);
    let userRequestCount = running.get(user);
    if (userRequestCount === undefined || userRequestCount.start !== start) {
      if (userRequestCount !== undefined) past.push(userRequestCount);
      else if (running.size >= MAX_BUFFERED_USES) return;
      userRequestCount = { user, start, requests: 0, refused: 0 };
      running.set(user, userRequestCount);
    }
    userRequestCount.requests++;
    if (refused) userRequestCount.refused++;
  }

  function saveBuffered(): void {
    timer = null;
    saving = saving.then(writeBuffered).catch(onFailure);
  }

  async function writeBuffered(): Promise<void> {
    const before = clock() - USAGE_KEPT_MS;
    const counts = [...past, ...running.values()];
    const statements = [
      ...[...tokens].map(([id, at]) => recordTokenUse({ id, at })),
      ...[...sessions].map(([id, at]) => touchSession({ id, at })),
      ...counts.flatMap(({ user, start, requests, refused }): readonly Statement[] => [
        addRequestCount({ user_id: user, period_start: start, requests, refused }),
        deleteRequestCounts({ user_id: user, before }),
      ]),
    ];
    tokens = new Map();
    sessions = new Map();
    running = new Map();
    past = [];
    for (let from = 0; from < statements.length; from += ACTIVITY_BATCH) {
      await database.write({ document: null, statements: statements.slice(from, from + ACTIVITY_BATCH) });
    }
  }

  return {
    recordUse({ principal, userId }, refused) {
      const at = clock();
      const uses = principal.kind === 'token' ? tokens : sessions;
      if (uses.size < MAX_BUFFERED_USES || uses.has(principal.id)) uses.set(principal.id, at);
      if (principal.kind === 'token') countRequest(userId, at, refused);
      timer ??= setTimeout(saveBuffered, ACTIVITY_FLUSH_MS).unref();
    },
    async close() {
      if (timer !== null) clearTimeout(timer);
      saveBuffered();
      await saving;
    },
  };
}
