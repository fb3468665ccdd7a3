import { nameKey } from '@cellwire/engine';
import type { ParsedAreas, StoredArea, StructureText } from '@cellwire/store/stored-forms';
import type { StoredRecords, StoredWatch } from '@cellwire/store/webhooks';
import type { DocumentReading } from '../documents/types.ts';
import { WATCH_STEP } from '../limits/notify.ts';
import { type ChangedRecord, clipToStep, listChangedRecords } from '../service/changes/changed-values.ts';
import { isRelevant } from '../service/changes/relevance.ts';
import { StateWalk } from '../service/changes/state-walk.ts';
import {
  findStepAfter,
  readMovesBetween,
  resolveTrail,
  toWatchedArea,
  type WatchTrail,
} from '../service/changes/watch.ts';
import { findViewerAt } from '../service/presence/viewer.ts';
import { formatQualifiedRange, formatRange } from '../service/ranges.ts';
import { isRefusal } from '../service/refusal.ts';
import type { GatheringEnvironment } from './gathering-environment.ts';

interface FollowedCommit {
  readonly revision: number;
  readonly head: string;
  readonly parent: string | null;
  readonly structure: StructureText | null;
}

interface WatchReader {
  readonly watch: StoredWatch;
  readonly hidden: ReadonlySet<number>;
}

/** Collects a window's changes to the cells that a subscription follows, and to the records in them. */
export class FollowedChanges {
  private readonly trail: WatchTrail;
  private readonly walk: StateWalk;
  private readonly reading: DocumentReading;
  private readonly hidden: ReadonlySet<number>;
  /** Maximum bytes of the changed records. */
  private readonly maxRecordBytes: number;
  /** Changed records by their keys. */
  private readonly changed = new Map<string, ChangedRecord>();
  private isCut = false;

  constructor(
    trail: WatchTrail,
    walk: StateWalk,
    reading: DocumentReading,
    hidden: ReadonlySet<number>,
    maxBytes: number,
  ) {
    this.trail = trail;
    this.walk = walk;
    this.reading = reading;
    this.hidden = hidden;
    this.maxRecordBytes = maxBytes;
  }

  private get hasRecords(): boolean {
    return this.trail.request.key.length > 0;
  }

  /** Adds a commit. Returns its areas within the followed cells; null: the commit does not change followed cells. */
  async addCommit(commit: FollowedCommit, areas: ParsedAreas): Promise<ParsedAreas | null> {
    const { revision, structure } = commit;
    const concern = { revision, structure, snapshot: this.reading.snapshot };
    const mayHaveEnded = this.hasRecords && this.trail.table !== null;
    if (!isRelevant(this.trail, concern, areas, mayHaveEnded)) return null;
    if (this.hasRecords) await this.addRecords(commit, areas);
    const place = findStepAfter(this.trail.steps, revision);
    const clip = ([sheet, top, left, bottom, right]: StoredArea): readonly StoredArea[] => {
      const area = clipToStep(sheet, { top, left, bottom, right }, place);
      return area === null ? [] : [[sheet, area.top, area.left, area.bottom, area.right]];
    };
    const { written, derived, rest = [] } = areas;
    return {
      ...areas,
      written: written.flatMap(clip),
      derived: derived.flatMap(clip),
      rest: rest.filter(([sheet]) => sheet === place?.sheet),
    };
  }

  /** Adds the records that a commit changed. Notes a gap if a state before or after it can no longer be read. */
  private async addRecords({ revision, head, parent }: FollowedCommit, areas: ParsedAreas): Promise<void> {
    const before = await this.walk.readStateAt(revision - 1, parent);
    const after = before && (await this.walk.readStateAt(revision, head));
    if (before === null || after === null) {
      this.isCut = true;
      return;
    }
    const changes = await listChangedRecords({ areas, revision, before, after, hidden: this.hidden }, this.trail);
    this.isCut ||= changes.isCut;
    const twins = new Map<string, number>();
    for (const change of changes.list) {
      const key = nameKey(JSON.stringify(change.key));
      const twin = twins.get(key) ?? 0;
      twins.set(key, twin + 1);
      this.mergeChange(`${twin} ${key}`, change);
    }
  }

  /** Merges the changes of several commits to one record into one change from the first to the last state. */
  private mergeChange(key: string, change: ChangedRecord): void {
    const changedRecord = this.changed.get(key);
    const before = changedRecord === undefined ? change.before : changedRecord.before;
    const { after } = change;
    if (JSON.stringify(before) === JSON.stringify(after)) this.changed.delete(key);
    else this.changed.set(key, { ...change, result: classifyRecordChange(before, after), before });
  }

  /** The changed records in stored form, as many as fit; null: no records are followed. */
  toStoredRecords(): StoredRecords | null {
    if (!this.hasRecords) return null;
    const list: ChangedRecord[] = [];
    let bytes = 0;
    for (const change of this.changed.values()) {
      bytes += Buffer.byteLength(JSON.stringify(change)) + 1;
      if (bytes > this.maxRecordBytes) return { sheet: this.sheet, list, isCut: true };
      list.push(change);
    }
    return { sheet: this.sheet, list, isCut: this.isCut };
  }

  private get sheet(): number {
    return this.trail.steps.at(-1)?.sheet ?? -1;
  }
}

/** `created` without a record before, `deleted` without one after, else `updated`. */
function classifyRecordChange(before: object | null, after: object | null): ChangedRecord['result'] {
  if (before === null) return 'created';
  return after === null ? 'deleted' : 'updated';
}

/** Finds the cells that a subscription follows, starting at a revision. Null: they cannot be found. */
export async function openFollowedChanges(
  environment: GatheringEnvironment,
  id: string,
  { watch, hidden }: WatchReader,
  reading: DocumentReading,
  { first, now }: { readonly first: number; readonly now: number },
): Promise<FollowedChanges | null> {
  const trail = await resolveStoredTrail(environment, id, watch, reading, first - 1);
  if (trail === null) return null;
  const { database } = environment;
  const viewer = await findViewerAt(database, { documentId: id, hiddenSheets: hidden }, { user: null, now });
  const walk = new StateWalk(environment, id, reading, viewer);
  if (watch.key.length > 0) await walk.startAtState(environment.publishedStates.findState(id));
  // Half of the notification is reserved for its cells.
  return new FollowedChanges(trail, walk, reading, hidden, environment.maxBytes / 2);
}

/** Where the watched range or records of a subscription were since a revision; null if they no longer exist. */
async function resolveStoredTrail(
  environment: GatheringEnvironment,
  id: string,
  { key, place }: StoredWatch,
  { snapshot }: DocumentReading,
  since: number,
): Promise<WatchTrail | null> {
  const access = { hiddenSheets: new Set<number>() };
  const readMovesAfter = (revision: number) => readMovesBetween(environment, id, revision, snapshot.revision);
  const trail = await resolveTrail(access, { range: place, key }, snapshot, since, readMovesAfter);
  return isRefusal(trail) ? null : trail;
}

/** The position of followed cells to store after a revision; null: the stored position is still sufficient. */
export async function computeNextWatch(
  environment: GatheringEnvironment,
  id: string,
  watch: StoredWatch,
  reading: DocumentReading,
  revision: number,
): Promise<StoredWatch | null> {
  const { place } = watch;
  if (revision <= place.revision) return null;
  const trail = await resolveStoredTrail(environment, id, watch, reading, place.revision);
  if (trail === null) return null;
  const moved = toWatchedArea(trail, revision);
  const isSame = JSON.stringify([moved.sheet, moved.area]) === JSON.stringify([place.sheet, place.area]);
  if (isSame && revision - place.revision < WATCH_STEP) return null;
  const sheet = reading.snapshot.sheetById(moved.sheet);
  const isNamed = isSame || place.table !== null || moved.area === null || sheet === undefined;
  return {
    ...watch,
    range: isNamed ? watch.range : formatQualifiedRange(sheet.name, formatRange(moved.area)),
    place: moved,
  };
}
