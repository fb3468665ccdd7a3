import { applyDelta, ClosedReads, type Snapshot } from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import { commitWithHead, deltasBetween, deltasBetweenSize } from '@cellwire/store/documents';
import type { StateViewer } from '../../documents/rights.ts';
import type { PastReader, Reading } from '../../documents/types.ts';
import { MAX_WALK_BYTES, MAX_WALK_CALCULATION_MS } from '../../limits/notify.ts';
import type { ServiceContext } from '../context.ts';

type WalkContext = Pick<ServiceContext, 'database' | 'documents'>;

/** States of a document one after the other along its log. */
export class StateWalk {
  private readonly context: WalkContext;
  private readonly id: string;
  private readonly latest: Snapshot;
  private readonly onlooker: StateViewer | null;
  private readonly closed: ClosedReads | null;
  /** What calculating for the onlooker has taken, in milliseconds. */
  private calculated = 0;
  /** As it was, whoever looks. */
  private current: Snapshot | null = null;

  /** `onlooker`: see `Documents.past`. */
  constructor(context: WalkContext, id: string, { snapshot }: Reading, onlooker: StateViewer | null) {
    this.context = context;
    this.id = id;
    this.latest = snapshot;
    this.onlooker = onlooker;
    this.closed = onlooker && new ClosedReads(onlooker.rights);
  }

  /** Begins at a state that is known already, where the log has it. */
  async beginAt(known: Reading | null): Promise<void> {
    if (known === null) return;
    const { revision } = known.snapshot;
    const found = await this.context.database.readOne(commitWithHead({ id: this.id, head: known.head }));
    if (found?.revision === revision || found?.revision === revision + 1) this.current = known.snapshot;
  }

  /**
   * The state after a revision, `commit` its random id; null where nothing leads there any more, or where it would have to
   * be calculated for the onlooker and those before took too long.
   */
  async at(revision: number, commit: string | null): Promise<Snapshot | null> {
    if (revision === this.latest.revision) this.current = this.latest;
    else if (this.current === null || !(await this.advance(this.current, revision))) {
      this.current =
        commit === null ? null : await this.context.documents.past(this.id, revision, commit, this.reader(null));
    }
    return this.current && this.seen(this.current, commit);
  }

  private reader(onlooker: StateViewer | null): PastReader {
    return { user: this.onlooker?.user ?? null, onlooker };
  }

  private async seen(state: Snapshot, commit: string | null): Promise<Snapshot | null> {
    const { onlooker, closed } = this;
    if (onlooker === null || closed === null || state === this.latest) return state;
    if (!(await runInSlices(closed.in(state)))) return state;
    if (commit === null || this.calculated > MAX_WALK_CALCULATION_MS) return null;
    const start = performance.now();
    const seen = await this.context.documents.past(this.id, state.revision, commit, this.reader(onlooker));
    this.calculated += performance.now() - start;
    return seen;
  }

  /** Whether a state is reached from another by a short stretch of the log. */
  private async advance(from: Snapshot, to: number): Promise<boolean> {
    const stretch = { id: this.id, after: from.revision, to };
    if (to < from.revision) return false;
    if (to === from.revision) return true;
    const size = await this.context.database.readOne(deltasBetweenSize(stretch));
    if ((size?.bytes ?? 0) > MAX_WALK_BYTES) return false;
    const commits = await this.context.database.read(deltasBetween(stretch));
    if (commits.length !== to - from.revision) return false;
    this.current = commits.reduce((state, { delta }) => applyDelta(state, delta), from);
    return true;
  }
}
