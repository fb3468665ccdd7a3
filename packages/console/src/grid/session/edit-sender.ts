import { waitForRetry } from '../../data/connection.ts';
import { API, callApi, type Failure, type RequestHeaders, type Result } from '../../data/http.ts';
import { t } from '../../text/index.ts';
import { PositionHistory } from './position-history.ts';
import type { SheetPosition } from './position-mapping.ts';
import type { RevisionTracker } from './revision-tracker.ts';
import type { ConflictChoice, LateEdit, SharedChoice, TypedCellEdit } from './session-state.ts';
import { WriteQueue } from './write-queue.ts';

interface EditRequest<T> {
  /** `headers` is called for each attempt. */
  readonly call: (headers: () => RequestHeaders) => Promise<Result<T>>;
  /** Revision of the addresses in the request. */
  readonly base: number;
  /** The cell, if the edit has only one. */
  readonly typed: TypedCellEdit | null;
  /**
   * Decision for a part of a long action. It is set because other people may change cells of a part before it is sent.
   */
  readonly shared: SharedChoice | null;
}

interface EditSenderOptions {
  readonly document: string;
  readonly revisions: RevisionTracker;
  /** True while the event stream is interrupted: the page may not know the latest changes. */
  readonly isOffline: () => boolean;
  /** Asks the person about an edit whose cells someone else changed. */
  readonly onConflict: (edit: LateEdit) => Promise<ConflictChoice>;
  /** Called when the state of `writes` has changed. */
  readonly onChange: () => void;
}

/** The service's message for an edit of cells that someone else has changed. */
const CELLS_CHANGED = 'Someone else changed these cells';
/** Status of an edit that the person gave up. */
export const DECLINED_STATUS = -2;

/** Sends the edits of one tab in order. */
export class EditSender {
  readonly writes: WriteQueue;
  private readonly options: EditSenderOptions;

  constructor(options: EditSenderOptions) {
    this.options = options;
    const path = `${API}/documents/${options.document}/revisions`;
    this.writes = new WriteQueue({
      undo: async (revision, key) => {
        const answer = await callApi('POST', `${path}/${revision}/undo`, {
          body: {},
          headers: { 'idempotency-key': key },
        });
        return answer.ok ? answer : { ...answer, body: { ...answer.body, undone: revision } };
      },
      waitForRetry,
      onChange: options.onChange,
    });
  }

  /**
   * Sends an edit with its base revision. An edit that had to wait overwrites other people's changes only if the person
   * confirms this.
   */
  async send<T>(request: EditRequest<T>): Promise<Result<T>> {
    const { revisions, onConflict } = this.options;
    const { base, typed, shared } = request;
    let held: { readonly cell: SheetPosition | null } = { cell: typed };
    const history = new PositionHistory<typeof held>(({ cell }, mapping) => ({ cell: cell && mapping.mapCell(cell) }));
    const stop = revisions.onMapping((mapping) => {
      held = history.map(held, mapping);
    });
    const hasWaited = this.hasToWait || shared !== null;
    let seen = base;
    try {
      for (let choice = shared?.choice ?? null; ; ) {
        const answer = await this.sendWrite(request, { hasWaited, choice, seen });
        if (answer.ok || answer.message !== CELLS_CHANGED) return answer;
        if (choice === 'theirs') return markDeclined(answer);
        await revisions.catchUp();
        const { revision } = revisions;
        const ranges = (answer.body['conflicts'] as readonly string[] | undefined) ?? [];
        const { text: mine = null, shownText = null } = typed ?? {};
        choice = await onConflict({ cell: held.cell, mine, shownText, ranges, isByMe: isChangedByMe(answer) });
        if (shared !== null) shared.choice = choice;
        if (choice === 'theirs' && typed !== null) return markDeclined(answer);
        // The person has seen the changes up to this revision. Later changes are a new conflict.
        seen = revision;
      }
    } finally {
      stop();
    }
  }

  /** True if a new edit must wait before it is sent, or if the page may not know the latest changes. */
  private get hasToWait(): boolean {
    return this.options.isOffline() || this.writes.pendingCount > 0;
  }

  private sendWrite<T>(
    { call: send, base, shared }: EditRequest<T>,
    state: { readonly hasWaited: boolean; readonly choice: ConflictChoice | null; readonly seen: number },
  ): Promise<Result<T>> {
    const { revisions } = this.options;
    let { hasWaited } = state;
    return this.writes.send(async (key) => {
      const answer = await send(() => {
        const isLate = hasWaited || base <= revisions.interruptedRevision;
        hasWaited = true;
        return {
          'idempotency-key': key,
          'cellwire-base-revision': String(base),
          ...(isLate ? this.createConflictHeaders(base, state, shared !== null) : {}),
        };
      });
      if (!answer.ok && answer.status === 0) revisions.markInterrupted();
      return answer;
    });
  }

  /** Headers that tell the service how to treat cells that other people, or other pages of this person, changed. */
  private createConflictHeaders(
    base: number,
    { choice, seen }: { readonly choice: ConflictChoice | null; readonly seen: number },
    isPart: boolean,
  ): Readonly<Record<string, string>> {
    // The person decided for all parts of the action.
    if (choice === 'mine' && isPart) return {};
    const own = this.writes.ownRevisions.formatAfter(base);
    return {
      'cellwire-unless-changed': choice === 'theirs' ? 'keep' : 'true',
      ...(choice === 'mine' ? { 'cellwire-seen-revision': String(seen) } : {}),
      ...(own === '' ? {} : { 'cellwire-own-revisions': own }),
    };
  }
}

/** True if only this person changed the cells, on another page. */
function isChangedByMe({ body }: Failure): boolean {
  return body['byCaller'] === true;
}

/** Turns a conflict into the failure of an edit that the person decided not to send. */
function markDeclined(answer: Failure): Failure {
  const { kept } = isChangedByMe(answer) ? t.grid.late.byMe : t.grid.late.byAnother;
  return { ...answer, message: kept, status: DECLINED_STATUS };
}
