import { randomUUID } from 'node:crypto';
import type { ClusterListener, CommitRelay } from '../database/cluster.ts';
import {
  MAX_CLOCK_SKEW_MS,
  POSTGRES_ANSWER_MS,
  RELAY_BEAT_MS,
  RELAY_DELAY_MS,
  RELAY_MESSAGE_BYTES,
  RELAY_MESSAGE_DOCUMENTS,
  RELAY_RECONNECT_MS,
} from '../database/limits.ts';
import { Link } from './link.ts';
import { END_STANDING_STILL, NODE_LOCK } from './locks.ts';

interface Message {
  readonly node: string;
  /** With new commits. */
  readonly documents: readonly string[];
  /** Absent in messages of commits, and in all of versions that do not know it. */
  readonly said?: string;
}

/** A channel belongs to a database; several installations may share one by schemas. */
const CHANNEL = "'cellwire_' || md5(current_schema())";
const LISTEN = `do $$ begin execute 'listen ' || quote_ident(${CHANNEL}); end $$`;
const CLOCK = 'select extract(epoch from clock_timestamp()) * 1000 as now';
const NOTIFY = `select pg_notify(${CHANNEL}, ?)`;

const MINUTE_MS = 60_000;

/** In milliseconds. */
interface Beats {
  /** How often the connection has to answer. */
  readonly everyMs: number;
  /** For how long somebody's transaction may stand still: by then its sender has given it up. */
  readonly standingMs: number;
}

const BEATS: Beats = { everyMs: RELAY_BEAT_MS, standingMs: POSTGRES_ANSWER_MS };

/**
 * Begins to listen; the connection, one beside all others, is made in the background, and again when it breaks or does
 * not answer.
 */
export function openPostgresRelay(url: string, listener: ClusterListener, beats = BEATS): CommitRelay {
  const relay = new PostgresRelay(url, listener, beats);
  relay.connect();
  return relay;
}

/**
 * `notify` in the transaction of a commit would make all commits of the database wait for each other: it takes a lock
 * of the whole database. So nodes tell afterwards, many documents at a time.
 */
class PostgresRelay implements CommitRelay {
  private readonly url: string;
  private readonly listener: ClusterListener;
  private readonly node = randomUUID();
  private readonly fresh = new Set<string>();
  private readonly unsaid = new Map<string, string>();
  private readonly beats: Beats;
  private readonly beating: NodeJS.Timeout;
  private link: Link | null = null;
  /** The connection that has not answered the last beat. */
  private unanswered: Link | null = null;
  private connecting: Promise<void> = Promise.resolve();
  private retry: NodeJS.Timeout | null = null;
  private telling: NodeJS.Timeout | null = null;
  private closed = false;

  constructor(url: string, listener: ClusterListener, beats: Beats) {
    this.url = url;
    this.listener = listener;
    this.beats = beats;
    this.beating = setInterval(() => this.beat(), beats.everyMs).unref();
  }

  connect(): void {
    this.retry = null;
    this.connecting = this.listen().catch((error: unknown) => {
      this.listener.onError('listening to other nodes', error);
      this.connectLater();
    });
  }

  tell(document: string): void {
    this.fresh.add(document);
    this.sendSoon();
  }

  say(thing: string, text: string): void {
    this.unsaid.set(thing, text);
    this.sendSoon();
  }

  private sendSoon(): void {
    this.telling ??= setTimeout(() => void this.send(), RELAY_DELAY_MS).unref();
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.beating);
    for (const timer of [this.retry, this.telling]) if (timer !== null) clearTimeout(timer);
    await this.connecting;
    await this.link?.close();
  }

  private async listen(): Promise<void> {
    const link = await Link.openPrimary(this.url);
    link.onEnd(() => {
      if (this.link === link) this.link = null;
      this.connectLater();
    });
    link.onNotification((payload) => this.hear(payload));
    try {
      await link.send(LISTEN);
      await link.send(NODE_LOCK);
      await this.compareClocks(link);
      this.link = link;
    } catch (error) {
      await link.close();
      throw error;
    }
  }

  /** What is kept for a time, and what ends at a time, does so by the clock of whichever node looks. */
  private async compareClocks(link: Link): Promise<void> {
    const { rows } = await link.send(CLOCK);
    const ahead = Date.now() - Number(rows[0]?.['now']);
    if (Math.abs(ahead) <= MAX_CLOCK_SKEW_MS) return;
    const difference = `${Math.round(Math.abs(ahead) / MINUTE_MS)} minutes ${ahead > 0 ? 'ahead of' : 'behind'}`;
    const message = `This machine's clock is ${difference} the database server's: set the one that is wrong`;
    this.listener.onError('keeping the nodes’ time', new Error(message));
  }

  /** Who only listens is not told when the way to the database has died: so it asks. */
  private beat(): void {
    const { link } = this;
    if (link === null) return;
    if (link.isBroken) return link.drop();
    if (this.unanswered === link) {
      // What has come while this process stood still is read first.
      setImmediate(() => {
        if (this.unanswered === link) link.drop();
      });
      return;
    }
    this.unanswered = link;
    link
      .send(END_STANDING_STILL, [this.beats.standingMs])
      .catch((error: unknown) => {
        if (!link.isBroken) this.listener.onError('ending transactions that stand still', error);
      })
      .finally(() => {
        if (this.unanswered === link && !link.isBroken) this.unanswered = null;
      });
  }

  private connectLater(): void {
    if (!this.closed) this.retry ??= setTimeout(() => this.connect(), RELAY_RECONNECT_MS).unref();
  }

  /** Whoever may connect to the database may say anything on the channel, and nodes of other versions do. */
  private hear(payload: string): void {
    try {
      const { node, documents, said } = JSON.parse(payload) as Message;
      if (node === this.node) return;
      for (const document of documents) this.listener.onCommit(document);
      if (said !== undefined) this.listener.onSaid(said);
    } catch (error) {
      this.listener.onError('hearing what was said to all nodes', error);
    }
  }

  /** What cannot be told now is not told: the others find commits by themselves, and what was said is said again. */
  private async send(): Promise<void> {
    this.telling = null;
    const documents = [...this.fresh];
    const said = [...this.unsaid.values()];
    this.fresh.clear();
    this.unsaid.clear();
    for (let from = 0; from < documents.length; from += RELAY_MESSAGE_DOCUMENTS) {
      await this.notify({ node: this.node, documents: documents.slice(from, from + RELAY_MESSAGE_DOCUMENTS) });
    }
    for (const text of said) await this.notify({ node: this.node, documents: [], said: text });
  }

  private async notify(message: Message): Promise<void> {
    const payload = JSON.stringify(message);
    if (Buffer.byteLength(payload) > RELAY_MESSAGE_BYTES) return;
    await this.link?.send(NOTIFY, [payload]).catch(() => {});
  }
}
