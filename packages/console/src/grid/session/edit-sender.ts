import { waitForRetry } from '../../data/connection.ts';
import { API, call, type Result } from '../../data/http.ts';
import type { SheetPosition } from './position-mapping.ts';
import type { RevisionTracker } from './revision-tracker.ts';
import type { LateEdit, TypedCell } from './session-state.ts';
import { WriteQueue } from './write-queue.ts';

interface EditRequest {
  /** `API` or `CONSOLE_API`. */
  readonly root: string;
  readonly method: string;
  /** Path below the document's address. */
  readonly path: string;
  readonly body: unknown;
  /** Revision of the addresses in the request. */
  readonly base: number;
  /** The cell, if the edit has only one. */
  readonly typed: TypedCell | null;
}

interface EditSenderOptions {
  readonly document: string;
  readonly revisions: RevisionTracker;
  /** True while the event stream is interrupted: the page may not know the latest changes. */
  readonly isOffline: () => boolean;
  /** Asks the person about an edit whose cells someone else changed; true writes it anyway. */
  readonly onConflict: (edit: LateEdit) => Promise<boolean>;
  /** The state of `writes` has changed. */
  readonly onChange: () => void;
}

/** The service's message for an edit of cells that someone else has changed. */
const CELLS_CHANGED = 'Someone else changed these cells';
/** Status of an edit that the person gave up. No message is shown for it. */
export const DECLINED = -1;

/** Sends the edits of one tab in order. */
export class EditSender {
  readonly writes: WriteQueue;
  private readonly options: EditSenderOptions;

  constructor(options: EditSenderOptions) {
    this.options = options;
    const path = `${API}/documents/${options.document}/revisions`;
    this.writes = new WriteQueue({
      undo: async (revision, key) => {
        const answer = await call('POST', `${path}/${revision}/undo`, {
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
   * Sends an edit with its base revision. After a lost connection it does not overwrite other people's changes unless
   * the person confirms.
   */
  async send<T>({ root, method, path, body, base, typed }: EditRequest): Promise<Result<T>> {
    const { document, revisions, isOffline, onConflict } = this.options;
    let cell: SheetPosition | null = typed;
    const stop = revisions.onMapping((mapping) => {
      cell = cell && mapping.cell(cell);
    });
    let isLate = isOffline() || this.writes.isRetrying;
    const at = `${root}/documents/${document}${path}`;
    const write = (isForced: boolean) =>
      this.writes.send(async (key) => {
        const late = isLate && !isForced ? { 'cellwire-unless-changed': 'true' } : {};
        const headers = { 'idempotency-key': key, 'cellwire-base-revision': String(base), ...late };
        const answer = await call<T>(method, at, { body, headers });
        if (!answer.ok && answer.status === 0) isLate = true;
        return answer;
      });
    try {
      const answer = await write(false);
      if (answer.ok || answer.message !== CELLS_CHANGED) return answer;
      await revisions.catchUp();
      const isWanted = await onConflict({ cell, mine: typed?.text ?? null, shownText: typed?.shownText ?? null });
      return isWanted ? await write(true) : { ...answer, message: '', status: DECLINED };
    } finally {
      stop();
    }
  }
}
