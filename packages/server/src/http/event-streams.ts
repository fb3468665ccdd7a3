import type { ServerResponse } from 'node:http';
import { jsonText } from '@cellwire/engine';
import type { Access, DocumentAccess } from '../access/access.ts';
import type { Credentials } from '../access/callers.ts';
import {
  HEARTBEAT_MS,
  LOG_POLL_MS,
  MAX_STREAMS,
  MAX_STREAMS_PER_USER,
  STREAM_PAGE,
  STREAM_PAGE_LENGTH,
  STREAM_STALL_MS,
  STREAM_STEP,
} from '../limits/notify.ts';
import { type Change, getChanges } from '../service/changes/feed.ts';
import type { WatchWanted } from '../service/changes/watch.ts';
import type { ServiceContext } from '../service/context.ts';
import { isRefusal } from '../service/refusal.ts';

/** A reader of a document's changes, while its connection lasts. */
interface Stream {
  readonly response: ServerResponse;
  readonly credentials: Credentials;
  readonly document: string;
  readonly user: number;
  /** The last revision that was sent, and the history that it is of; null: the reader did not say. */
  position: number;
  incarnation: string | null;
  /** What is told only, and where it is by `position`; null: everything. */
  watch: WatchWanted | null;
  /** Whether changed cells are told with their values. */
  readonly values: boolean;
  /** One sending at a time; what comes meanwhile follows it. */
  sending: boolean;
  again: boolean;
}

interface StreamsOptions {
  readonly context: ServiceContext;
  readonly access: Access;
  readonly heartbeatMs?: number;
  readonly stallMs?: number;
}

/** The open streams of server-sent events. */
export class EventStreams {
  private readonly context: ServiceContext;
  private readonly access: Access;
  private readonly stallMs: number;
  private readonly streams = new Set<Stream>();
  private readonly timers: readonly NodeJS.Timeout[];
  private readonly stopListening: () => void;
  private closed = false;

  constructor({ context, access, heartbeatMs = HEARTBEAT_MS, stallMs = STREAM_STALL_MS }: StreamsOptions) {
    this.stallMs = stallMs;
    this.context = context;
    this.access = access;
    this.stopListening = context.commits.listen((document) => void this.advance((one) => one.document === document));
    // What other processes have written is found by looking.
    const look = setInterval(() => void this.advance(() => true), LOG_POLL_MS);
    const beat = setInterval(() => this.heartbeat(), heartbeatMs);
    this.timers = [look.unref(), beat.unref()];
  }

  /** Whether a user may open one more. */
  hasRoom(user: number): boolean {
    if (this.closed || this.streams.size >= MAX_STREAMS) return false;
    let own = 0;
    for (const stream of this.streams) if (stream.user === user) own++;
    return own < MAX_STREAMS_PER_USER;
  }

  /** Sends what comes after a revision, until the connection ends. The response's header must have been sent. */
  add(
    response: ServerResponse,
    credentials: Credentials,
    access: DocumentAccess,
    from: Pick<Stream, 'position' | 'incarnation' | 'watch' | 'values'>,
  ): void {
    const { documentId: document, caller } = access;
    const user = caller.userId;
    const stream = { response, credentials, document, user, ...from, sending: false, again: false };
    this.streams.add(stream);
    response.on('close', () => this.streams.delete(stream));
    response.on('error', () => this.end(stream));
    this.send(stream);
  }

  close(): void {
    this.closed = true;
    this.stopListening();
    for (const timer of this.timers) clearInterval(timer);
    for (const stream of this.streams) this.end(stream);
  }

  /** Some at a time: a document that a thousand follow delays nobody else when it changes. */
  private async advance(concerns: (stream: Stream) => boolean): Promise<void> {
    if (this.streams.size === 0) return;
    let begun = 0;
    for (const stream of [...this.streams].filter(concerns)) {
      if (this.streams.has(stream)) this.send(stream);
      begun++;
      if (begun % STREAM_STEP === 0) await new Promise(setImmediate);
    }
  }

  private send(stream: Stream): void {
    stream.again = stream.sending;
    if (stream.sending) return;
    stream.sending = true;
    this.sendNews(stream)
      .catch(() => this.end(stream))
      .finally(() => {
        stream.sending = false;
        if (stream.again && this.streams.has(stream)) this.send(stream);
      });
  }

  /**
   * Rights are asked for each time: a token revoked, or a share taken back, ends the stream. They must still hold after
   * the log was read, which may tell of what was written when they had ended.
   */
  private async sendNews(stream: Stream): Promise<void> {
    for (let more = true; more && this.streams.has(stream); ) {
      const caller = await this.access.identify(stream.credentials);
      const access = 'kind' in caller ? caller : await this.access.open(caller, stream.document);
      if ('kind' in access) return this.end(stream);
      const { position: since, incarnation: known, watch, values } = stream;
      const page = { since, incarnation: known, limit: STREAM_PAGE, maxLength: STREAM_PAGE_LENGTH };
      const wanted = { ...page, watch, values };
      const changes = await getChanges(this.context, access, wanted);
      if (isRefusal(changes)) return this.end(stream);
      if (!(await this.access.isCurrent(access.caller, access))) continue;
      const { revision, incarnation } = changes;
      if (changes.gap) await this.write(stream, eventText('reset', revision, { revision, incarnation }));
      for (const change of changes.entries) {
        if (wakes(stream, change)) {
          await this.write(stream, eventText('document.updated', change.revision, change));
        }
      }
      stream.position = changes.next;
      stream.incarnation = incarnation;
      if (watch !== null && changes.watched) stream.watch = { ...watch, range: changes.watched };
      more = changes.hasMore;
    }
  }

  private heartbeat(): void {
    for (const { response } of this.streams) if (!response.writableNeedDrain) response.write(':\n\n');
  }

  /**
   * Waits until the reader has taken what it was sent, so that a stream holds little memory however much there is to
   * tell. A reader that takes nothing for too long is let go; it may come back and go on where it was.
   */
  private async write({ response }: Stream, text: string): Promise<void> {
    if (response.destroyed || response.write(text)) return;
    const stalled = setTimeout(() => response.destroy(), this.stallMs);
    const { promise, resolve } = Promise.withResolvers<void>();
    response.once('drain', resolve).once('close', resolve);
    await promise;
    clearTimeout(stalled);
    response.off('drain', resolve).off('close', resolve);
  }

  private end(stream: Stream): void {
    this.streams.delete(stream);
    stream.response.end();
  }
}

/** Who follows records hears of commits that changed some; or may have, where not all of it is known. */
function wakes({ watch }: Stream, { records = [], truncated }: Change): boolean {
  return watch === null || watch.key.length === 0 || records.length > 0 || truncated;
}

function eventText(event: string, id: number, data: object): string {
  return `id: ${id}\nevent: ${event}\ndata: ${jsonText(data)}\n\n`;
}
