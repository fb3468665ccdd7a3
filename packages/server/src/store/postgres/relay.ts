import { randomUUID } from 'node:crypto';
import {
  RELAY_DELAY_MS,
  RELAY_MESSAGE_BYTES,
  RELAY_MESSAGE_DOCUMENTS,
  RELAY_RECONNECT_MS,
} from '../../limits/limits.ts';
import type { ClusterListener, CommitRelay } from '../cluster.ts';
import { Link } from './link.ts';
import { NODE_LOCK } from './locks.ts';

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
const NOTIFY = `select pg_notify(${CHANNEL}, ?)`;

/** Begins to listen; the connection, one beside all others, is made in the background, and again when it breaks. */
export function openPostgresRelay(url: string, listener: ClusterListener): CommitRelay {
  const relay = new PostgresRelay(url, listener);
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
  private link: Link | null = null;
  private connecting: Promise<void> = Promise.resolve();
  private retry: NodeJS.Timeout | null = null;
  private telling: NodeJS.Timeout | null = null;
  private closed = false;

  constructor(url: string, listener: ClusterListener) {
    this.url = url;
    this.listener = listener;
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
    for (const timer of [this.retry, this.telling]) if (timer !== null) clearTimeout(timer);
    await this.connecting;
    await this.link?.close();
  }

  private async listen(): Promise<void> {
    const link = await Link.open(this.url);
    link.onEnd(() => {
      if (this.link === link) this.link = null;
      this.connectLater();
    });
    link.onNotification((payload) => this.hear(payload));
    await link.send(LISTEN);
    await link.send(NODE_LOCK);
    this.link = link;
  }

  private connectLater(): void {
    if (!this.closed) this.retry ??= setTimeout(() => this.connect(), RELAY_RECONNECT_MS).unref();
  }

  private hear(payload: string): void {
    const { node, documents, said } = JSON.parse(payload) as Message;
    if (node === this.node) return;
    for (const document of documents) this.listener.onCommit(document);
    if (said !== undefined) this.listener.onSaid(said);
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
