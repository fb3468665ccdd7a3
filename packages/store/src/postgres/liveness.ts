import { POSTGRES_LIVENESS_CHECK_MS, POSTGRES_LIVENESS_GRACE_MS, POSTGRES_MAX_SILENCE_MS } from '../database/limits.ts';

/** A connection whose liveness is checked. */
interface WatchedConnection {
  /** Id of the server process; null until it is known. */
  readonly processId: number | null;
  /** Number of unanswered statements. */
  readonly unanswered: number;
  readonly bytesRead: number;
  /** Closes the connection, so that unanswered statements fail. */
  drop(): void;
}

/**
 * Returns which of the given server processes are working on a statement; null if the server answered without that
 * information.
 */
type ReadWorkingProcesses = (processIds: readonly number[]) => Promise<ReadonlySet<number> | null>;

interface SilentPeriod {
  readonly bytesRead: number;
  /** Start on the clock of `performance.now()`, in milliseconds. */
  readonly since: number;
}

/**
 * Finds connections that broke without a message, for example in a firewall or by a power failure; TCP would detect
 * this only after minutes. If a connection has an unanswered statement and has been silent for a while, the server is
 * asked on a new connection. The silent connection is dropped if the server is unreachable, or reports that the process
 * of the connection is idle. Long statements continue.
 */
export class Liveness {
  private readonly readWorking: ReadWorkingProcesses;
  private readonly silences = new Map<WatchedConnection, SilentPeriod | null>();
  private timer: NodeJS.Timeout | null = null;
  private isExamining = false;

  /** `readWorking`: rejects if the server is unreachable. */
  constructor(readWorking: ReadWorkingProcesses) {
    this.readWorking = readWorking;
  }

  watchConnection(connection: WatchedConnection): void {
    this.silences.set(connection, null);
    this.timer ??= setInterval(() => this.checkConnections(), POSTGRES_LIVENESS_CHECK_MS).unref();
  }

  unwatchConnection(connection: WatchedConnection): void {
    this.silences.delete(connection);
    if (this.silences.size > 0 || this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
  }

  /** Examines connections that wait for an answer and received no bytes for `POSTGRES_MAX_SILENCE_MS`. */
  private checkConnections(): void {
    const now = performance.now();
    const suspects: WatchedConnection[] = [];
    for (const [connection, silence] of this.silences) {
      const { bytesRead, unanswered } = connection;
      if (unanswered === 0) this.silences.set(connection, null);
      else if (silence?.bytesRead !== bytesRead) this.silences.set(connection, { bytesRead, since: now });
      else if (now - silence.since >= POSTGRES_MAX_SILENCE_MS) suspects.push(connection);
    }
    if (suspects.length > 0 && !this.isExamining) void this.examineSuspects(suspects);
  }

  /** Asks the server which of the connections still work, and drops the others if they are still silent. */
  private async examineSuspects(suspects: readonly WatchedConnection[]): Promise<void> {
    this.isExamining = true;
    const before = new Map(suspects.map((connection) => [connection, connection.bytesRead]));
    const processIds = suspects.flatMap(({ processId }) => processId ?? []);
    try {
      const working = await this.readWorking(processIds).catch(() => new Set<number>());
      if (working === null) return;
      // An answer may be on its way, or may be unread because this process was suspended.
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
