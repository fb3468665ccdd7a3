import type { Unit } from '../database/database.ts';
import {
  MAX_GROUP_BYTES,
  MAX_GROUP_COMMITS_PER_DOCUMENT,
  MAX_GROUP_DOCUMENTS,
  MAX_GROUP_WAIT_MS,
} from '../database/limits.ts';
import type { CommitGroup, GroupedBatchOutcome } from './group.ts';
import { findGroupShape, type GroupShape } from './group-statement.ts';

/** Waiting units of one document. */
export interface UnitBatch {
  readonly document: string | null;
  readonly user: number | null;
  readonly units: readonly Unit[];
  /** See `countParameterBytes`. */
  readonly bytes: number;
}

/** A batch was written in a group; or it is alone, and the caller writes it and then calls `leave`. */
type GroupTurn =
  | { readonly kind: 'grouped'; readonly outcome: GroupedBatchOutcome }
  | { readonly kind: 'alone'; readonly leave: () => void };

type GroupWriter = (group: CommitGroup) => Promise<readonly GroupedBatchOutcome[]>;

interface WaitingBatch extends UnitBatch {
  readonly resolve: (turn: GroupTurn) => void;
}

/** The shape that all units of a batch have. Null if they cannot be in a group. */
export function findBatchShape({ units, bytes }: UnitBatch): GroupShape | null {
  if (units.length > MAX_GROUP_COMMITS_PER_DOCUMENT || bytes > MAX_GROUP_BYTES) return null;
  const shape = findGroupShape(units[0] as Unit);
  return units.every((unit) => findGroupShape(unit) === shape) ? shape : null;
}

/**
 * Gathers commits of one shape into groups. While a group is being written, further commits wait and share the next
 * group, at most for `MAX_GROUP_WAIT_MS`. Users take turns in a group.
 */
export class GroupQueue {
  private readonly shape: GroupShape;
  private readonly write: GroupWriter;
  private readonly maxGroups: number;
  /** Batches by user, in the order in which the users have their turns. */
  private readonly waiting = new Map<number | null, WaitingBatch[]>();
  /** The turn for whose end the next group waits. */
  private turn: object | null = null;
  /** Number of groups that are being written. */
  private running = 0;
  private isScheduled = false;

  /** `maxGroups`: maximum number of groups that are written at the same time. */
  constructor(shape: GroupShape, write: GroupWriter, maxGroups: number) {
    this.shape = shape;
    this.write = write;
    this.maxGroups = maxGroups;
  }

  waitForTurn(batch: UnitBatch): Promise<GroupTurn> {
    return new Promise((resolve) => {
      const batches = this.waiting.get(batch.user);
      if (batches === undefined) this.waiting.set(batch.user, [{ ...batch, resolve }]);
      else batches.push({ ...batch, resolve });
      this.scheduleGroup();
    });
  }

  /** Starts the next group when all commits of this turn of the event loop have arrived. */
  private scheduleGroup(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      const canStart = this.turn === null && this.running < this.maxGroups;
      if (canStart && this.waiting.size > 0) this.startGroup(this.takeGroup());
    });
  }

  private startGroup(group: readonly WaitingBatch[]): void {
    const leave = this.beginTurn();
    const [first] = group;
    if (group.length === 1) first?.resolve({ kind: 'alone', leave });
    else void this.writeGroup(group).finally(leave);
  }

  private async writeGroup(group: readonly WaitingBatch[]): Promise<void> {
    this.running++;
    const outcomes = await this.write({ shape: this.shape, batches: group.map(({ units }) => units) });
    this.running--;
    for (const [i, { resolve }] of group.entries()) {
      resolve({ kind: 'grouped', outcome: outcomes[i] as GroupedBatchOutcome });
    }
  }

  /** Begins a turn, and returns a function that ends it. The turn also ends after `MAX_GROUP_WAIT_MS`. */
  private beginTurn(): () => void {
    const turn = {};
    const end = () => {
      clearTimeout(timer);
      if (this.turn === turn) this.turn = null;
      if (this.waiting.size > 0) this.scheduleGroup();
    };
    const timer = setTimeout(end, MAX_GROUP_WAIT_MS);
    this.turn = turn;
    return end;
  }

  /** Takes batches of all users in turns, as many as a group may have. */
  private takeGroup(): readonly WaitingBatch[] {
    const group: WaitingBatch[] = [];
    let bytes = 0;
    // A user with more batches is visited again, because the map visits entries that are added during the loop.
    for (const [user, batches] of this.waiting) {
      const next = batches[0] as WaitingBatch;
      bytes += next.bytes;
      if (group.length === MAX_GROUP_DOCUMENTS || (group.length > 0 && bytes > MAX_GROUP_BYTES)) break;
      group.push(next);
      batches.shift();
      this.waiting.delete(user);
      if (batches.length > 0) this.waiting.set(user, batches);
    }
    return group;
  }
}
