import { CellwireError } from '../errors/errors.ts';
import type { Change, Operations } from '../generated/api.ts';
import { AttemptFailed, chooseRetryWaitMs, createConnectionFailure, createFailureFromError } from '../http/failure.ts';
import type { CallOptions, QueryParameters } from '../http/options.ts';
import { type OpenResponse, type Transport, waitMilliseconds } from '../http/transport.ts';
import { readEvents } from './events.ts';
import { parseLine } from './lines.ts';

/** A change of a document. `follow(place)` and `changes(place)` continue after it. */
export interface FollowedChange extends Change {
  readonly place: string;
  readonly gap?: undefined;
}

/** The changes before `revision` are no longer stored. The caller must read the document again. */
export interface Gap {
  readonly gap: true;
  readonly revision: number;
  readonly place: string;
}

export type Followed = FollowedChange | Gap;

type ChangesAnswer = Operations['listChanges']['answer'];

/** The last delivered revision, and the id of the history (`incarnation`) to which it belongs. */
interface ChangePosition {
  readonly revision: number;
  readonly incarnation: string | undefined;
}

/** Reads and follows the changes of one document. */
export class ChangeReader {
  private readonly transport: Transport;
  private readonly path: string;
  private readonly query: QueryParameters;
  private readonly options: CallOptions;

  constructor(transport: Transport, path: string, query: QueryParameters, options: CallOptions) {
    this.transport = transport;
    this.path = path;
    this.query = query;
    this.options = options;
  }

  /** Returns the position of the newest revision. As in `follow`, the number of attempts is unlimited. */
  async readNewestPosition(): Promise<ChangePosition> {
    const { transport, path } = this;
    const options = { ...this.options, attempts: Number.POSITIVE_INFINITY };
    const answer = await transport.requestJson<Operations['getDocument']['answer']>({ method: 'GET', path }, options);
    return { revision: Number(answer.document.revisionId), incarnation: undefined };
  }

  /** Yields the changes from a position to the newest, and returns the position after them. */
  async *changes(since: ChangePosition): AsyncGenerator<Followed, ChangePosition> {
    const { signal } = this.options;
    for (let position = since; ; ) {
      const query = { ...this.query, since: position.revision, incarnation: position.incarnation };
      const request = { method: 'GET', path: `${this.path}/changes`, query };
      const { changes } = await this.transport.requestJson<ChangesAnswer>(request, this.options);
      position = { revision: changes.next, incarnation: changes.incarnation };
      const gap = changes.gap ? [createGap(position)] : [];
      for (const item of [...gap, ...changes.entries.map(addPlace)]) {
        yield item;
        // After an abort, items that have already arrived are not yielded.
        signal?.throwIfAborted();
      }
      if (!changes.hasMore) return position;
    }
  }

  /** Yields the changes after a position when they happen. Continues after broken connections and restarts. */
  async *follow(since: ChangePosition): AsyncGenerator<Followed, void> {
    let position = since;
    const { signal } = this.options;
    // Each iteration uses one connection: it first receives the missed changes, then the new ones.
    for (let attemptNumber = 1; ; attemptNumber++) {
      let answer: OpenResponse | null = null;
      try {
        const missedChanges = this.changes(position);
        for (let step = await missedChanges.next(); ; step = await missedChanges.next()) {
          if (step.done) {
            position = step.value;
            break;
          }
          position = parsePositionAfter(step.value);
          yield step.value;
        }
        answer = await this.openEvents(position);
        for await (const { name, data } of readEvents(answer.parts)) {
          attemptNumber = 1;
          const item = parseEvent(name, data);
          if (item === null || (!item.gap && item.revision <= position.revision)) continue;
          position = parsePositionAfter(item);
          yield item;
          signal?.throwIfAborted();
        }
        throw new AttemptFailed(createConnectionFailure(undefined));
      } catch (error) {
        const failure = createFailureFromError(error);
        // Attempts to reconnect are unlimited; their waits grow up to a maximum.
        const wait = chooseRetryWaitMs(failure, attemptNumber, Number.POSITIVE_INFINITY);
        if (wait === null) throw failure.error;
        await waitMilliseconds(wait, signal);
      } finally {
        answer?.close();
      }
    }
  }

  private openEvents({ revision, incarnation }: ChangePosition): Promise<OpenResponse> {
    const { transport, options } = this;
    const request = {
      method: 'GET',
      path: `${this.path}/events`,
      query: { ...this.query, since: revision, incarnation },
      accept: 'text/event-stream',
    };
    return transport.openResponse(transport.createUrl(request), transport.createAttempt(request, options), options);
  }
}

/** Parses `since`, which is a revision or the `place` of a change. */
export function parsePosition(since: string | number): ChangePosition {
  const [, revision, incarnation] = /^(\d{1,15})(?:\.(.+))?$/.exec(String(since)) ?? [];
  if (revision === undefined) throw new CellwireError('since must be a revision or a place of a change');
  return { revision: Number(revision), incarnation };
}

function formatPlace({ revision, incarnation }: ChangePosition): string {
  return incarnation === undefined ? String(revision) : `${revision}.${incarnation}`;
}

function parsePositionAfter({ place }: Followed): ChangePosition {
  return parsePosition(place);
}

function addPlace(change: Change): FollowedChange {
  return { ...change, place: formatPlace(change) };
}

function createGap(position: ChangePosition): Gap {
  return { gap: true, revision: position.revision, place: formatPlace(position) };
}

/** Parses an event; null if this client does not know it. */
function parseEvent(name: string, data: string): Followed | null {
  if (name === 'reset') return createGap(parseLine(data) as ChangePosition);
  return name === 'document.updated' ? addPlace(parseLine(data) as Change) : null;
}
