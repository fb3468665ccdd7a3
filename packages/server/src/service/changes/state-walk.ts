import { applyDelta, PastStateCheck, type Snapshot } from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import { commitWithHead, deltasBetween, deltasBetweenSize } from '@cellwire/store/documents';
import type { StateViewer } from '../../documents/rights.ts';
import { decodeStoredPiece } from '../../documents/stored-pieces.ts';
import type { DocumentReading, PastReader } from '../../documents/types.ts';
import { MAX_WALK_BYTES, MAX_WALK_CALCULATION_MS } from '../../limits/notify.ts';
import type { ServiceContext } from '../context.ts';

type WalkContext = Pick<ServiceContext, 'database' | 'documents'>;

/** Walks through the consecutive states of a document along its log. */
export class StateWalk {
  private readonly context: WalkContext;
  private readonly id: string;
  private readonly latest: Snapshot;
  private readonly viewer: StateViewer | null;
  private readonly closed: PastStateCheck | null;
  /** Time spent on calculations for the viewer, in milliseconds. */
  private calculated = 0;
  /** The original state, independent of the viewer. */
  private current: Snapshot | null = null;

  /** `viewer`: see `Documents.readPastState`. */
  constructor(context: WalkContext, id: string, { snapshot }: DocumentReading, viewer: StateViewer | null) {
    this.context = context;
    this.id = id;
    this.latest = snapshot;
    this.viewer = viewer;
    this.closed = viewer && new PastStateCheck(viewer.rights);
  }

  /** Starts the walk at a known state if the log contains it. */
  async startAtState(start: DocumentReading | null): Promise<void> {
    if (start === null) return;
    const { revision } = start.snapshot;
    const found = await this.context.database.readOne(commitWithHead({ id: this.id, head: start.head }));
    if (found?.revision === revision || found?.revision === revision + 1) this.current = start.snapshot;
  }

  /**
   * The state after a revision; `commit` is its random id. Null if the state cannot be restored, or if it needs a
   * calculation for the viewer and earlier calculations took too long.
   */
  async readStateAt(revision: number, commit: string | null): Promise<Snapshot | null> {
    if (revision === this.latest.revision) this.current = this.latest;
    else if (this.current === null || !(await this.advanceToRevision(this.current, revision))) {
      this.current =
        commit === null
          ? null
          : await this.context.documents.readPastState(this.id, revision, commit, this.toPastReader(null));
    }
    return this.current && this.recalculateForViewer(this.current, commit);
  }

  private toPastReader(viewer: StateViewer | null): PastReader {
    return { user: this.viewer?.user ?? null, viewer };
  }

  /**
   * The state without values that formulas took from sheets hidden from the viewer. Null if the state needs a
   * calculation and its commit is unknown, it cannot be restored, or earlier calculations took too long.
   */
  private async recalculateForViewer(state: Snapshot, commit: string | null): Promise<Snapshot | null> {
    const { viewer, closed } = this;
    if (viewer === null || closed === null || state === this.latest) return state;
    if (!(await runInSlices(closed.mayShowHidden(state)))) return state;
    if (commit === null || this.calculated > MAX_WALK_CALCULATION_MS) return null;
    const start = performance.now();
    const visible = await this.context.documents.readPastState(
      this.id,
      state.revision,
      commit,
      this.toPastReader(viewer),
    );
    this.calculated += performance.now() - start;
    return visible;
  }

  /**
   * Repeats the commits from a state to a later revision. False if the revision is earlier, or if the log between them
   * is too long or has gaps.
   */
  private async advanceToRevision(from: Snapshot, revision: number): Promise<boolean> {
    const range = { id: this.id, after: from.revision, to: revision };
    if (revision < from.revision) return false;
    if (revision === from.revision) return true;
    const size = await this.context.database.readOne(deltasBetweenSize(range));
    if ((size?.bytes ?? 0) > MAX_WALK_BYTES) return false;
    const commits = await this.context.database.read(deltasBetween(range));
    if (commits.length !== revision - from.revision) return false;
    this.current = decodeStoredPiece(this.id, 'a commit', () =>
      commits.reduce((state, { delta }) => applyDelta(state, delta), from),
    );
    return true;
  }
}
