import type { ServerResponse } from 'node:http';
import type { Access, DocumentAccess } from '../../access/access.ts';
import type { Credentials } from '../../access/callers.ts';
import {
  HEARTBEAT_MS,
  LOG_POLL_MS,
  MAX_STREAMS,
  MAX_STREAMS_PER_USER,
  RIGHTS_POLL_MS,
  STREAM_STALL_MS,
  STREAM_STEP,
} from '../../limits/notify.ts';
import type { FollowStart } from '../../operations/answer.ts';
import type { ServiceContext } from '../../service/context.ts';
import type { StreamCount } from '../api.ts';
import { EventStream, type StreamCursor } from './event-stream.ts';
import { FollowedDocument } from './followed-document.ts';

interface StreamsOptions {
  /** Counts the streams of all entry points. */
  readonly count: StreamCount;
  readonly context: ServiceContext;
  readonly access: Access;
  readonly heartbeatMs?: number;
  readonly stallMs?: number;
}

const HEARTBEAT = Buffer.from(':\n\n');

/** The open streams of server-sent events. */
export class EventStreams {
  private readonly context: ServiceContext;
  private readonly access: Access;
  private readonly count: StreamCount;
  private readonly stallMs: number;
  private readonly documents = new Map<string, FollowedDocument>();
  private readonly ofUsers = new Map<number, number>();
  private readonly streams = new Set<EventStream>();
  private readonly timers: readonly NodeJS.Timeout[];
  private readonly stopListening: () => void;
  private isBeating = false;
  private isLookingAtRights = false;
  private isClosed = false;

  constructor({ context, access, count, heartbeatMs = HEARTBEAT_MS, stallMs = STREAM_STALL_MS }: StreamsOptions) {
    this.count = count;
    this.stallMs = stallMs;
    this.context = context;
    this.access = access;
    this.stopListening = context.commits.listen((document) => this.documents.get(document)?.signalChange());
    // Polls for commits of other processes and for rights that have ended.
    const look = setInterval(() => {
      for (const document of this.documents.values()) document.signalChange();
    }, LOG_POLL_MS);
    const beat = setInterval(() => void this.sendHeartbeats(), heartbeatMs);
    const rights = setInterval(() => void this.checkRights().catch(() => {}), RIGHTS_POLL_MS);
    this.timers = [look.unref(), beat.unref(), rights.unref()];
  }

  /** Whether a user may open another stream. */
  canAddStream(user: number): boolean {
    if (this.isClosed || this.streams.size >= MAX_STREAMS) return false;
    return (this.ofUsers.get(user) ?? 0) < MAX_STREAMS_PER_USER;
  }

  /** Sends the changes after a revision until the connection ends. The response's header must have been sent. */
  addStream(response: ServerResponse, credentials: Credentials, access: DocumentAccess, from: FollowStart): void {
    const cursor: StreamCursor = { ...from, proposals: { since: this.context.clock() } };
    const stream = new EventStream(response, credentials, access, cursor);
    this.streams.add(stream);
    this.count.open++;
    this.ofUsers.set(stream.user, (this.ofUsers.get(stream.user) ?? 0) + 1);
    response.on('close', () => this.removeStream(stream));
    response.on('error', () => this.endStream(stream));
    this.followDocument(stream.document).addStream(stream);
  }

  /** Ends all streams and accepts no more, for the shutdown. */
  endStreams(): void {
    this.isClosed = true;
    this.stopListening();
    for (const timer of this.timers) clearInterval(timer);
    for (const stream of this.streams) this.endStream(stream);
  }

  /** The streams of a document; creates the entry for its first stream. */
  private followDocument(document: string): FollowedDocument {
    const existing = this.documents.get(document);
    if (existing !== undefined) return existing;
    const { context, access, stallMs } = this;
    const followedDocument = new FollowedDocument(document, {
      context,
      access,
      stallMs,
      end: (stream) => this.endStream(stream),
    });
    this.documents.set(document, followedDocument);
    return followedDocument;
  }

  private async sendHeartbeats(): Promise<void> {
    if (this.isBeating) return;
    this.isBeating = true;
    let heartbeats = 0;
    for (const { response } of this.streams) {
      if (!response.writableNeedDrain) response.write(HEARTBEAT);
      heartbeats++;
      if (heartbeats % STREAM_STEP === 0) await new Promise(setImmediate);
    }
    this.isBeating = false;
  }

  /**
   * An open page shows what its user may do, so it must learn of changed rights soon. The rights for all documents are
   * checked together with one read of the store.
   */
  private async checkRights(): Promise<void> {
    if (this.isLookingAtRights) return;
    this.isLookingAtRights = true;
    try {
      await Promise.all(
        [...this.documents.values()].map(async (document) => {
          const stream = document.findPersonStream();
          if (stream === undefined || stream.isBusy) return;
          if (!(await this.access.isCurrent(stream.access.caller, stream.access))) document.signalChange();
        }),
      );
    } finally {
      this.isLookingAtRights = false;
    }
  }

  /** Ends the response and removes the stream. */
  private endStream(stream: EventStream): void {
    this.removeStream(stream);
    stream.response.end();
  }

  /** Forgets a stream, and its document if it was the last one. */
  private removeStream(stream: EventStream): void {
    if (!this.streams.delete(stream)) return;
    this.count.open--;
    const { user, document } = stream;
    const left = (this.ofUsers.get(user) ?? 1) - 1;
    if (left === 0) this.ofUsers.delete(user);
    else this.ofUsers.set(user, left);
    const followed = this.documents.get(document);
    followed?.streams.delete(stream);
    if (followed?.streams.size === 0) this.documents.delete(document);
  }
}
