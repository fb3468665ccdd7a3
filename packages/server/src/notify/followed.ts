import { nameKey } from '@cellwire/engine';
import type { ParsedAreas, StoredArea, StructureText } from '@cellwire/store/stored-forms';
import type { StoredRecords, StoredWatch } from '@cellwire/store/webhooks';
import type { Reading } from '../documents/types.ts';
import { WATCH_STEP } from '../limits/notify.ts';
import { type ChangedRecord, changedRecords, clipped } from '../service/changes/changed-values.ts';
import { concerns } from '../service/changes/concerns.ts';
import { StateWalk } from '../service/changes/state-walk.ts';
import { movesBetween, stepAfter, type Trail, trailOf, watchedAfter } from '../service/changes/watch.ts';
import { onlookerAt } from '../service/presence/onlooker.ts';
import { rangeText, withSheet } from '../service/ranges.ts';
import { isRefusal } from '../service/refusal.ts';
import type { GatheringEnvironment } from './gathering-environment.ts';

interface Commit {
  readonly revision: number;
  readonly head: string;
  readonly parent: string | null;
  readonly structure: StructureText | null;
}

interface Listening {
  readonly watch: StoredWatch;
  readonly hidden: ReadonlySet<number>;
}

/** What a window did to the cells that a subscription follows, and to the records there. */
export class Followed {
  private readonly trail: Trail;
  private readonly walk: StateWalk;
  private readonly reading: Reading;
  private readonly hidden: ReadonlySet<number>;
  /** Of the records, in bytes. */
  private readonly room: number;
  /** By key. */
  private readonly changed = new Map<string, ChangedRecord>();
  private isCut = false;

  constructor(trail: Trail, walk: StateWalk, reading: Reading, hidden: ReadonlySet<number>, room: number) {
    this.trail = trail;
    this.walk = walk;
    this.reading = reading;
    this.hidden = hidden;
    this.room = room;
  }

  private get hasRecords(): boolean {
    return this.trail.wanted.key.length > 0;
  }

  /** What a commit changed there; null: nothing. */
  async take(commit: Commit, areas: ParsedAreas): Promise<ParsedAreas | null> {
    const { revision, structure } = commit;
    const concern = { revision, structure, snapshot: this.reading.snapshot };
    const mayHaveEnded = this.hasRecords && this.trail.table !== null;
    if (!concerns(this.trail, concern, areas, mayHaveEnded)) return null;
    if (this.hasRecords) await this.takeRecords(commit, areas);
    const place = stepAfter(this.trail.steps, revision);
    const clip = ([sheet, top, left, bottom, right]: StoredArea): readonly StoredArea[] => {
      const area = clipped(sheet, { top, left, bottom, right }, place);
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

  private async takeRecords({ revision, head, parent }: Commit, areas: ParsedAreas): Promise<void> {
    const before = await this.walk.at(revision - 1, parent);
    const after = before && (await this.walk.at(revision, head));
    if (before === null || after === null) {
      this.isCut = true;
      return;
    }
    const told = await changedRecords({ areas, revision, before, after, hidden: this.hidden }, this.trail);
    this.isCut ||= told.isCut;
    const twins = new Map<string, number>();
    for (const change of told.list) {
      const key = nameKey(JSON.stringify(change.key));
      const twin = twins.get(key) ?? 0;
      twins.set(key, twin + 1);
      this.join(`${twin} ${key}`, change);
    }
  }

  /** What several commits did to a record is one change, from the first to the last. */
  private join(key: string, change: ChangedRecord): void {
    const held = this.changed.get(key);
    const before = held === undefined ? change.before : held.before;
    const { after } = change;
    if (JSON.stringify(before) === JSON.stringify(after)) this.changed.delete(key);
    else this.changed.set(key, { ...change, result: resultOf(before, after), before });
  }

  /** As they are stored: as many as fit; null: none are followed. */
  records(): StoredRecords | null {
    if (!this.hasRecords) return null;
    const list: ChangedRecord[] = [];
    let bytes = 0;
    for (const change of this.changed.values()) {
      bytes += Buffer.byteLength(JSON.stringify(change)) + 1;
      if (bytes > this.room) return { sheet: this.sheet, list, isCut: true };
      list.push(change);
    }
    return { sheet: this.sheet, list, isCut: this.isCut };
  }

  private get sheet(): number {
    return this.trail.steps.at(-1)?.sheet ?? -1;
  }
}

function resultOf(before: object | null, after: object | null): ChangedRecord['result'] {
  if (before === null) return 'created';
  return after === null ? 'deleted' : 'updated';
}

/** Finds what a subscription follows from a revision on. */
export async function followedBy(
  environment: GatheringEnvironment,
  id: string,
  { watch, hidden }: Listening,
  reading: Reading,
  { first, now }: { readonly first: number; readonly now: number },
): Promise<Followed | null> {
  const trail = await trailFrom(environment, id, watch, reading, first - 1);
  if (trail === null) return null;
  const { database } = environment;
  const onlooker = await onlookerAt(database, { documentId: id, hiddenSheets: hidden }, { user: null, now });
  const walk = new StateWalk(environment, id, reading, onlooker);
  if (watch.key.length > 0) await walk.beginAt(environment.told.get(id));
  // The other half of a notification is for its cells.
  return new Followed(trail, walk, reading, hidden, environment.maxBytes / 2);
}

async function trailFrom(
  environment: GatheringEnvironment,
  id: string,
  { key, place }: StoredWatch,
  { snapshot }: Reading,
  since: number,
): Promise<Trail | null> {
  const access = { hiddenSheets: new Set<number>() };
  const movesAfter = (revision: number) => movesBetween(environment, id, revision, snapshot.revision);
  const trail = await trailOf(access, { range: place, key }, snapshot, since, movesAfter);
  return isRefusal(trail) ? null : trail;
}

/** What is to be kept of followed cells after a revision; null: what is kept still leads there. */
export async function movedWatch(
  environment: GatheringEnvironment,
  id: string,
  watch: StoredWatch,
  reading: Reading,
  revision: number,
): Promise<StoredWatch | null> {
  const { place } = watch;
  if (revision <= place.revision) return null;
  const trail = await trailFrom(environment, id, watch, reading, place.revision);
  if (trail === null) return null;
  const moved = watchedAfter(trail, revision);
  const isSame = JSON.stringify([moved.sheet, moved.area]) === JSON.stringify([place.sheet, place.area]);
  if (isSame && revision - place.revision < WATCH_STEP) return null;
  const sheet = reading.snapshot.sheetById(moved.sheet);
  const isNamed = isSame || place.table !== null || moved.area === null || sheet === undefined;
  return { ...watch, range: isNamed ? watch.range : withSheet(sheet.name, rangeText(moved.area)), place: moved };
}
