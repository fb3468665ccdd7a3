import { POSTGRES_LIVENESS_CHECK_MS, POSTGRES_LIVENESS_GRACE_MS, POSTGRES_MAX_SILENCE_MS } from '../database/limits.ts';

/** A connection as its liveness is watched. */
export interface WatchedConnection {
  /** Of the server's process behind it; null until it is known. */
  readonly processId: number | null;
  /** Statements that were sent and are not answered. */
  readonly unanswered: number;
  readonly bytesRead: number;
  /** Fails what is unanswered. */
  drop(): void;
}

/** What the server says of its processes: those that work on a statement. Null: it answered, but does not say. */
export type ReadWorkingProcesses = (processIds: readonly number[]) => Promise<ReadonlySet<number> | null>;

interface SilentPeriod {
  readonly bytesRead: number;
  /** By the steady clock, in milliseconds. */
  readonly since: number;
}

/**
 * Finds connections that died without a word (a firewall that forgot them, a machine that lost its power): TCP would wait
 * for minutes. A connection is dropped if it has been silent for a while although a statement is unanswered, and the
 * server, asked on a new connection, cannot be reached or says that its process does not work on anything. A statement
 * that only takes long goes on.
 */
export class Liveness {
  private readonly readWorking: ReadWorkingProcesses;
  private readonly silences = new Map<WatchedConnection, SilentPeriod | null>();
  private timer: NodeJS.Timeout | null = null;
  private isExamining = false;

  /** `askWorking` rejects if the server cannot be reached. */
  constructor(askWorking: ReadWorkingProcesses) {
    this.readWorking = askWorking;
  }

  watch(connection: WatchedConnection): void {
    this.silences.set(connection, null);
    this.timer ??= setInterval(() => this.checkConnections(), POSTGRES_LIVENESS_CHECK_MS).unref();
  }

  unwatch(connection: WatchedConnection): void {
    this.silences.delete(connection);
    if (this.silences.size > 0 || this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
  }

  private checkConnections(): void {
    const now = performance.now();
    const suspects: WatchedConnection[] = [];
    for (const [connection, silence] of this.silences) {
      const { bytesRead, unanswered } = connection;
      if (unanswered === 0) this.silences.set(connection, null);
      else if (silence?.bytesRead !== bytesRead) this.silences.set(connection, { bytesRead, since: now });
      else if (now - silence.since >= POSTGRES_MAX_SILENCE_MS) suspects.push(connection);
    }
    if (suspects.length > 0 && !this.isExamining) void this.examine(suspects);
  }

  private async examine(suspects: readonly WatchedConnection[]): Promise<void> {
    this.isExamining = true;
    const before = new Map(suspects.map((connection) => [connection, connection.bytesRead]));
    const processIds = suspects.flatMap(({ processId }) => processId ?? []);
    try {
      const working = await this.readWorking(processIds).catch(() => new Set<number>());
      if (working === null) return;
      // An answer may be on its way, or lie unread because this process stood still.
      await new Promise((resolve) => setTimeout(resolve, POSTGRES_LIVENESS_GRACE_MS).unref());
      await new Promise(setImmediate);
      for (const connection of suspects) {
        const { processId, bytesRead, unanswered } = connection;
        const isSilent = unanswered > 0 && before.get(connection) === bytesRead;
        if (isSilent && this.silences.has(connection) && !working.has(processId ?? 0)) connection.drop();
      }
    } finally {
      this.isExamining = false;
    }
  }
}
