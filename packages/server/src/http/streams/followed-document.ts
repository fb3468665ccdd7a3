import { jsonText } from '@cellwire/engine';
import type { Access, DocumentAccess } from '../../access/access.ts';
import { hasExpired } from '../../access/callers.ts';
import { STREAM_PAGE, STREAM_PAGE_LENGTH, STREAM_STEP } from '../../limits/notify.ts';
import { type FeedChange, readChangesAfter } from '../../service/changes/feed.ts';
import { LogReads, waitForFeedTurn } from '../../service/changes/log-reads.ts';
import type { ServiceContext } from '../../service/context.ts';
import { readProposalNews } from '../../service/proposals/news.ts';
import { isRefusal } from '../../service/refusal.ts';
import type { EventStream, StreamCursor } from './event-stream.ts';

interface FollowedEnvironment {
  readonly context: ServiceContext;
  readonly access: Access;
  /** A reader that receives nothing for this time is disconnected, in milliseconds. */
  readonly stallMs: number;
  readonly end: (stream: EventStream) => void;
}

/** The next events of a group of streams. */
interface EventPage {
  /** Bytes of the server-sent events; empty if there are none. */
  readonly bytes: Buffer;
  readonly cursor: StreamCursor;
  readonly hasMore: boolean;
}

/**
 * The event streams of one document. Streams at the same revision with the same filter and rights form a group: its
 * changes are read and filtered once, and sent as the same bytes. Groups at one revision share their reads.
 */
export class FollowedDocument {
  readonly streams = new Set<EventStream>();
  private readonly environment: FollowedEnvironment;
  private readonly id: string;
  /** Number of signals so far that the document may have changed. */
  private changeSignals = 0;
  private isScheduled = false;

  constructor(id: string, environment: FollowedEnvironment) {
    this.id = id;
    this.environment = environment;
  }

  addStream(stream: EventStream): void {
    this.streams.add(stream);
    this.scheduleRound();
  }

  /** Signals that there may be new changes, or that a reader's rights may have ended. */
  signalChange(): void {
    this.changeSignals++;
    this.scheduleRound();
  }

  /** Finds a stream that belongs to an open page of a person. */
  findPersonStream(): EventStream | undefined {
    for (const stream of this.streams) if (stream.access.caller.principal.kind === 'session') return stream;
    return undefined;
  }

  /** Streams that are added or become free in the same turn of the event loop are served together. */
  private scheduleRound(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.serveRound().catch(() => this.endAllStreams());
    });
  }

  /** Serves all free streams. It does not wait for slow ones: they join a later round. */
  private async serveRound(): Promise<void> {
    const waiting = [...this.streams].filter((stream) => !stream.isBusy && stream.seenSignals !== this.changeSignals);
    if (waiting.length === 0) return;
    for (const stream of waiting) {
      stream.isBusy = true;
      stream.seenSignals = this.changeSignals;
    }
    await waitForFeedTurn();
    const document = await this.environment.context.documents.open(this.id);
    const reading = (await document?.readLatest()) ?? null;
    if (reading === null) return this.endAllStreams();
    const logs = new Map<number, LogReads>();
    for (const group of Map.groupBy(waiting, ({ groupKey }) => groupKey).values()) {
      const { position } = (group[0] as EventStream).cursor;
      const log = logs.get(position) ?? new LogReads(this.environment.context, this.id, reading);
      logs.set(position, log);
      void this.serveGroup(group, log).catch(() => group.forEach(this.environment.end));
    }
  }

  /**
   * Sends a group its next page. The group's streams become free at the same time, so that it stays together however
   * fast commits arrive. Streams with slow readers leave the group.
   */
  private async serveGroup(group: readonly EventStream[], log: LogReads): Promise<void> {
    await waitForFeedTurn();
    const [first] = group as readonly [EventStream];
    const { access } = this.environment;
    if (!(await access.isCurrent(first.access.caller, first.access))) return this.renewStreams(group);
    const page = await this.buildPage(first, log);
    if (page === null) return group.forEach(this.environment.end);
    const free: EventStream[] = [];
    let sent = 0;
    for (; sent < group.length; sent += STREAM_STEP) {
      const turn = waitForFeedTurn();
      if (turn !== null) await turn;
      // The log may contain changes made after the reader's rights ended.
      if (!(await access.isCurrent(first.access.caller, first.access))) break;
      for (const stream of group.slice(sent, sent + STREAM_STEP)) if (this.sendPage(stream, page)) free.push(stream);
    }
    for (const stream of free) this.releaseStream(stream, page.hasMore);
    await this.renewStreams(group.slice(sent));
  }

  /**
   * Checks the rights of streams again. Closes streams of readers without rights; the others wait for the next round.
   */
  private async renewStreams(streams: readonly EventStream[]): Promise<void> {
    for (const stream of streams) {
      const turn = waitForFeedTurn();
      if (turn !== null) await turn;
      await this.renewStream(stream);
    }
  }

  /** Checks the rights of a stream again. Ends it if they ended, and tells the console if they changed. */
  private async renewStream(stream: EventStream): Promise<void> {
    const { access, end } = this.environment;
    const caller = await access.identify(stream.credentials);
    const found = 'kind' in caller ? caller : await access.open(caller, this.id);
    const isOfPerson = stream.access.caller.principal.kind === 'session';
    if ('kind' in found) {
      if (isOfPerson) stream.response.write(RIGHTS_CHANGED);
      return end(stream);
    }
    if (isOfPerson && !hasSameRights(stream.access, found)) stream.response.write(RIGHTS_CHANGED);
    stream.access = found;
    this.releaseStream(stream, true);
  }

  /** Null: the document, or the followed part of it, no longer exists. */
  private async buildPage({ access, cursor }: EventStream, log: LogReads): Promise<EventPage | null> {
    const { position: since, incarnation, watch, values, places = false, proposals } = cursor;
    const page = { since, incarnation, limit: STREAM_PAGE, maxLength: STREAM_PAGE_LENGTH };
    const changes = await readChangesAfter(this.environment.context, access, { ...page, watch, values, places }, log);
    if (isRefusal(changes)) return null;
    const { revision, incarnation: newest, next, watched, hasMore } = changes;
    const events = changes.entries
      .filter((change) => isRelevant(cursor, change))
      .map((change) => formatEvent('document.updated', change.revision, change));
    if (changes.gap) events.unshift(formatEvent('reset', revision, { revision, incarnation: newest }));
    const news = await readProposalNews(this.environment.context, access, proposals);
    events.push(...news.entries.map(({ event, proposal }) => `event: ${event}\ndata: ${jsonText({ proposal })}\n\n`));
    const followed = watch !== null && watched ? { ...watch, range: watched } : watch;
    const hasNoNews = JSON.stringify(news.place) === JSON.stringify(proposals);
    const isSame = next === since && newest === incarnation && hasNoNews;
    return {
      bytes: Buffer.from(events.join('')),
      cursor: isSame
        ? cursor
        : { ...cursor, position: next, incarnation: newest, watch: followed, proposals: news.place },
      hasMore: hasMore || news.hasMore,
    };
  }

  /** Whether the stream can take more at once. */
  private sendPage(stream: EventStream, { bytes, cursor, hasMore }: EventPage): boolean {
    if (!this.streams.has(stream)) return false;
    if (hasExpired(stream.access.caller, this.environment.context.clock())) {
      void this.renewStream(stream).catch(() => this.environment.end(stream));
      return false;
    }
    stream.cursor = cursor;
    if (bytes.length === 0 || stream.response.write(bytes)) return true;
    this.waitForReader(stream, hasMore);
    return false;
  }

  /**
   * Pauses a stream until its reader has received what was sent, so that a stream holds at most one page of changes. A
   * reader that receives nothing for too long is disconnected; it may reconnect and continue from its last revision.
   */
  private waitForReader(stream: EventStream, hasMore: boolean): void {
    const { response } = stream;
    const stalled = setTimeout(() => response.destroy(), this.environment.stallMs);
    const releaseReader = (): void => {
      clearTimeout(stalled);
      response.off('drain', releaseReader).off('close', releaseReader);
      this.releaseStream(stream, hasMore);
    };
    response.once('drain', releaseReader).once('close', releaseReader);
  }

  /** Makes the stream available again. Starts another round if changes came meanwhile or the stream is behind. */
  private releaseStream(stream: EventStream, isBehind: boolean): void {
    stream.isBusy = false;
    if (isBehind) stream.seenSignals = -1;
    if (stream.seenSignals !== this.changeSignals && this.streams.has(stream)) this.scheduleRound();
  }

  private endAllStreams(): void {
    for (const stream of this.streams) this.environment.end(stream);
  }
}

/** Tells a page to query its user's rights again. */
const RIGHTS_CHANGED = 'event: rights\ndata: {}\n\n';

/** True if a person sees and may do the same as before. */
function hasSameRights(before: DocumentAccess, after: DocumentAccess): boolean {
  const isSame = (a: ReadonlySet<number>, b: ReadonlySet<number>) => a.size === b.size && a.isSubsetOf(b);
  return (
    before.role === after.role &&
    isSame(before.hiddenSheets, after.hiddenSheets) &&
    isSame(before.lockedSheets, after.lockedSheets)
  );
}

/** True if a commit may have changed followed records. A commit whose changes are only partly known counts as such. */
function isRelevant({ watch }: StreamCursor, { records = [], truncated }: FeedChange): boolean {
  return watch === null || watch.key.length === 0 || records.length > 0 || truncated;
}

function formatEvent(event: string, id: number, data: object): string {
  return `id: ${id}\nevent: ${event}\ndata: ${jsonText(data)}\n\n`;
}
