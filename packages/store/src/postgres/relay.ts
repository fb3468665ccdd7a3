import { randomUUID } from 'node:crypto';
import type { ClusterListener, CommitRelay } from '../database/cluster.ts';
import {
  MAX_CLOCK_SKEW_MS,
  POSTGRES_ANSWER_MS,
  RELAY_CHECK_MS,
  RELAY_DELAY_MS,
  RELAY_MESSAGE_BYTES,
  RELAY_MESSAGE_DOCUMENTS,
  RELAY_RECONNECT_MS,
} from '../database/limits.ts';
import { PostgresConnection } from './connection.ts';
import { END_STALLED_TRANSACTIONS, IS_ONLY_NODE, NODE_LOCK } from './locks.ts';

interface RelayMessage {
  readonly node: string;
  /** Documents with new commits. Empty in broadcasts, and in the message of a node that begins to listen. */
  readonly documents: readonly string[];
  /** A broadcast text. Absent in messages about commits, and in messages of older versions. */
  readonly said?: string;
}

/**
 * The channel of an installation. A channel belongs to a database, which several installations may share in different
 * schemas.
 */
const CHANNEL = "'cellwire_' || md5(current_schema())";
const LISTEN = `do $$ begin execute 'listen ' || quote_ident(${CHANNEL}); end $$`;
const CLOCK = 'select extract(epoch from clock_timestamp()) * 1000 as now';
const NOTIFY = `select pg_notify(${CHANNEL}, ?)`;
/** A notification is a transaction. Nobody needs it after a crash, so it does not wait until the log is on disk. */
const WITHOUT_SYNC = "select set_config('synchronous_commit', 'off', false)";

const MINUTE_MS = 60_000;

/** Settings of the relay, in milliseconds. */
interface RelayTimings {
  /** Interval of the liveness check. */
  readonly checkMs: number;
  /** Age at which a stalled transaction is ended; its sender no longer waits for it. */
  readonly stalledMs: number;
}

const DEFAULT_TIMINGS: RelayTimings = { checkMs: RELAY_CHECK_MS, stalledMs: POSTGRES_ANSWER_MS };

/**
 * Starts listening. Opens a separate connection in the background, and opens it again if it breaks or does not answer.
 */
export function openPostgresRelay(url: string, listener: ClusterListener, timings = DEFAULT_TIMINGS): CommitRelay {
  const relay = new PostgresRelay(url, listener, timings);
  relay.connect();
  return relay;
}

/**
 * Sends notifications after the commit, each for many documents. `notify` inside a commit's transaction would serialize
 * all commits, because it takes a lock of the whole database.
 *
 * The only node of an installation sends nothing. A second node sends a message as soon as it listens and holds the lock
 * of nodes. The first node receives the message shortly afterwards; the second node finds commits of that time by
 * polling.
 */
class PostgresRelay implements CommitRelay {
  private readonly url: string;
  private readonly listener: ClusterListener;
  private readonly node = randomUUID();
  private readonly pendingDocuments = new Set<string>();
  private readonly pendingMessages = new Map<string, string>();
  private readonly timings: RelayTimings;
  private readonly checkTimer: NodeJS.Timeout;
  private connection: PostgresConnection | null = null;
  /** Whether another node may be listening. */
  private hasListeners = true;
  /** Number of messages received from other nodes. */
  private received = 0;
  /** The connection that has not answered the last check. */
  private unanswered: PostgresConnection | null = null;
  private connecting: Promise<void> = Promise.resolve();
  private reconnectTimer: NodeJS.Timeout | null = null;
  private sendTimer: NodeJS.Timeout | null = null;
  private closed = false;

  constructor(url: string, listener: ClusterListener, timings: RelayTimings) {
    this.url = url;
    this.listener = listener;
    this.timings = timings;
    this.checkTimer = setInterval(() => this.checkConnection(), timings.checkMs).unref();
  }

  connect(): void {
    this.reconnectTimer = null;
    this.connecting = this.listenForMessages().catch((error: unknown) => {
      this.listener.onError('listening to other nodes', error);
      this.scheduleConnection();
    });
  }

  /** Tells the other nodes, after a short delay, that the document has a new commit. */
  announceCommit(document: string): void {
    if (!this.hasListeners) return;
    this.pendingDocuments.add(document);
    this.scheduleSend();
  }

  /** Sends a text to the other nodes. A later text with the same key replaces a waiting text. */
  broadcast(key: string, text: string): void {
    if (!this.hasListeners) return;
    this.pendingMessages.set(key, text);
    this.scheduleSend();
  }

  /** Sends the waiting messages after `RELAY_DELAY_MS`. */
  private scheduleSend(): void {
    this.sendTimer ??= setTimeout(() => void this.sendWaitingMessages(), RELAY_DELAY_MS).unref();
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.checkTimer);
    for (const timer of [this.reconnectTimer, this.sendTimer]) if (timer !== null) clearTimeout(timer);
    await this.connecting;
    await this.connection?.close();
  }

  private async listenForMessages(): Promise<void> {
    const connection = await PostgresConnection.openPrimary(this.url);
    connection.onEnd(() => {
      if (this.connection === connection) this.connection = null;
      this.hasListeners = true;
      this.scheduleConnection();
    });
    connection.onNotification((payload) => this.receiveMessage(payload));
    try {
      await connection.sendStatement(WITHOUT_SYNC);
      await connection.sendStatement(LISTEN);
      await connection.sendStatement(NODE_LOCK);
      await this.compareClocks(connection);
      await this.findListeners(connection);
      this.connection = connection;
      // A node that was the only one until now sends its messages from here on.
      await this.notifyNodes({ node: this.node, documents: [] });
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /**
   * Finds out whether there are other nodes. A node that gets the lock after the query sends a message, which may arrive
   * before the answer.
   */
  private async findListeners(connection: PostgresConnection): Promise<void> {
    const { received } = this;
    const { rows } = await connection.sendStatement(IS_ONLY_NODE);
    this.hasListeners = rows[0]?.['alone'] !== 'true' || this.received > received;
  }

  /**
   * Compares the clocks of this node and the database, because retention and expiry use the clock of the node that
   * checks them.
   */
  private async compareClocks(connection: PostgresConnection): Promise<void> {
    const { rows } = await connection.sendStatement(CLOCK);
    const ahead = Date.now() - Number(rows[0]?.['now']);
    if (Math.abs(ahead) <= MAX_CLOCK_SKEW_MS) return;
    const difference = `${Math.round(Math.abs(ahead) / MINUTE_MS)} minutes ${ahead > 0 ? 'ahead of' : 'behind'}`;
    const message = `This machine's clock is ${difference} the database server's: set the one that is wrong`;
    this.listener.onError('comparing clocks', new Error(message));
  }

  /** Checks the listening connection, because a connection that only listens does not detect a network failure. */
  private checkConnection(): void {
    const { connection } = this;
    if (connection === null) return;
    if (connection.isBroken) return connection.dropConnection();
    if (this.unanswered === connection) {
      // First reads data that arrived while this process was suspended.
      setImmediate(() => {
        if (this.unanswered === connection) connection.dropConnection();
      });
      return;
    }
    this.unanswered = connection;
    connection
      .sendStatement(END_STALLED_TRANSACTIONS, [this.timings.stalledMs])
      .then(() => this.findListeners(connection))
      .catch((error: unknown) => {
        if (!connection.isBroken) this.listener.onError('ending stalled transactions', error);
      })
      .finally(() => {
        if (this.unanswered === connection && !connection.isBroken) this.unanswered = null;
      });
  }

  /** Connects again after `RELAY_RECONNECT_MS`. */
  private scheduleConnection(): void {
    if (!this.closed) this.reconnectTimer ??= setTimeout(() => this.connect(), RELAY_RECONNECT_MS).unref();
  }

  /**
   * Receives a message. Any client of the database, including nodes of other versions, may send messages on the
   * channel.
   */
  private receiveMessage(payload: string): void {
    try {
      const { node, documents, said } = JSON.parse(payload) as RelayMessage;
      if (node === this.node) return;
      this.received++;
      this.hasListeners = true;
      for (const document of documents) this.listener.onCommit(document);
      if (said !== undefined) this.listener.onMessage(said);
    } catch (error) {
      this.listener.onError('receiving a message of another node', error);
    }
  }

  /**
   * Sends waiting messages. Messages that cannot be sent are dropped: other nodes also find commits by polling, and
   * broadcasts are repeated.
   */
  private async sendWaitingMessages(): Promise<void> {
    this.sendTimer = null;
    const documents = [...this.pendingDocuments];
    const broadcasts = [...this.pendingMessages.values()];
    this.pendingDocuments.clear();
    this.pendingMessages.clear();
    for (let from = 0; from < documents.length; from += RELAY_MESSAGE_DOCUMENTS) {
      await this.notifyNodes({ node: this.node, documents: documents.slice(from, from + RELAY_MESSAGE_DOCUMENTS) });
    }
    for (const text of broadcasts) await this.notifyNodes({ node: this.node, documents: [], said: text });
  }

  /** Sends one message. Drops it if it is too large or cannot be sent: nodes do not rely on messages. */
  private async notifyNodes(message: RelayMessage): Promise<void> {
    const payload = JSON.stringify(message);
    if (Buffer.byteLength(payload) > RELAY_MESSAGE_BYTES) return;
    await this.connection?.sendStatement(NOTIFY, [payload]).catch(() => {});
  }
}
