import { type DateSystem, type LocaleId, quoteSheetName } from '@cellwire/engine';
import { getDocument, listSheets } from '../../data/documents.ts';
import { API, CONSOLE_API, call, type Failure, type Result } from '../../data/http.ts';
import type { Change, Document, PublishedPlaces, Sheet, SheetLayout } from '../../data/types.ts';
import { markUnsaved } from '../../data/unsaved.ts';
import { toApiValue } from './api-values.ts';
import { type BlockAnswer, CellStore } from './cell-store.ts';
import { EditSender } from './edit-sender.ts';
import { readFilter } from './filter.ts';
import { followChanges } from './live-updates.ts';
import { applyLayout, newOpenSheet, type OpenSheet } from './open-sheet.ts';
import { PositionMapping } from './position-mapping.ts';
import { readBlocks } from './read-blocks.ts';
import { RequestOrder } from './request-order.ts';
import { RevisionTracker } from './revision-tracker.ts';
import { initialState, type LateEdit, type SessionState, type TypedCell, type TypedValue } from './session-state.ts';
import { parseSheetRange } from './sheet-ranges.ts';
import { EMPTY_SHAPE } from './sheet-shape.ts';
import { revisionOf, type UndoKind, type WriteQueue } from './write-queue.ts';

/** What a change says of sheets as such, as far as whoever looks at one has to follow. */
interface SheetOperation {
  readonly renameSheet?: { readonly sheet: string; readonly name: string };
  readonly deleteSheet?: { readonly sheet: string };
}

/** Between looks at a sheet's layout while others change it, in milliseconds. */
const LAYOUT_PAUSE_MS = 400;

/** Between evaluations of filters while others change the document, in milliseconds. */
const FILTER_PAUSE_MS = 100;

/** One open document: its sheets, what happens to it meanwhile, and the writes of this tab, which it can take back. */
export class DocumentSession {
  readonly id: string;
  readonly userId: number;
  state: SessionState;
  private readonly listeners = new Set<() => void>();
  private readonly openSheets = new Map<string, OpenSheet>();
  private readonly sender: EditSender;
  private readonly sheetListRequests = new RequestOrder();
  /** The document's locale, in which people type: known with the first layout; null: it could not be asked. */
  locale: LocaleId | null = null;
  dateSystem: DateSystem = 'google';
  private resolveLocale: () => void = () => {};
  private readonly localeKnown = new Promise<void>((resolve) => {
    this.resolveLocale = resolve;
  });
  /** Undefined: no layout is to be asked for anew. */
  private layoutTimer: ReturnType<typeof setTimeout> | undefined;
  private stopLive: () => void = () => {};
  /** The revision in whose places everything on this page is. */
  readonly revisions: RevisionTracker;
  /** Of requests, if the cells that they are about were gone after that revision; null: they are there. */
  lostBase: number | null = null;
  onSheetDrawn: () => void = () => {};
  /** What the person decides where someone else changed cells while an edit waited; true: it is written all the same. */
  onConflict: (edit: LateEdit) => Promise<boolean> = async () => false;
  /** Its values are hidden from this person now, or the document is closed to them. */
  onSheetHidden: (sheet: string) => void = () => {};
  onFilterChanged: (sheet: OpenSheet) => void = () => {};
  private filterTimer: ReturnType<typeof setTimeout> | undefined;
  onSheetRenamed: (from: string, to: string) => void = () => {};
  /** By this person, or by somebody else. */
  onSheetDeleted: (sheet: string, isOwn: boolean) => void = () => {};

  private constructor(document: Document, sheets: readonly Sheet[], me: number) {
    this.id = document.id;
    this.userId = me;
    this.revisions = new RevisionTracker(document.id, Number(document.revisionId), {
      onChange: (change) => this.applyChange(change),
      onGap: (revision) => this.resetTo(revision),
    });
    this.state = initialState(document, sheets);
    this.sender = new EditSender({
      document: document.id,
      revisions: this.revisions,
      isOffline: () => this.state.live === 'lost',
      onConflict: (edit) => this.onConflict(edit),
      onChange: () => {
        const { canUndo, canRedo, isRetrying, pendingCount: pendingWrites } = this.writes;
        markUnsaved(this.writes, pendingWrites > 0);
        this.setState({ canUndo, canRedo, isRetrying, pendingWrites });
      },
    });
  }

  /** `since`: an earlier revision from which on something that was kept is to follow; null: none. */
  static async load(id: string, me: number, since: number | null = null): Promise<Result<DocumentSession>> {
    const document = await getDocument(id);
    if (!document.ok) return document;
    // Asked for afterwards: what came between the two is told of again, and would else be missing for good.
    const sheets = await listSheets(id);
    if (!sheets.ok) return sheets;
    const session = new DocumentSession(document.value.document, sheets.value.sheets, me);
    if (since !== null && since < session.revisions.revision) session.revisions.restartAt(since);
    return { ok: true, value: session, headers: document.headers };
  }

  /** Begins to follow what happens to the document; to be called once. The answer ends it. */
  start(): () => void {
    this.stopLive = followChanges(this.id, String(this.revisions.revision), {
      onState: (live) => this.setState({ live }),
      onChange: (change) => this.applyChange(change),
      onReset: (revision) => this.resetTo(revision),
      onRights: () => this.reloadRights(),
      onClosed: (closed) => this.setClosed(closed),
    });
    return () => {
      this.stopLive();
      this.revisions.close();
      clearTimeout(this.layoutTimer);
      clearTimeout(this.filterTimer);
      for (const sheet of this.openSheets.values()) sheet.cells.close();
      this.openSheets.clear();
    };
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  setState(part: Partial<SessionState>): void {
    this.state = { ...this.state, ...part };
    for (const listener of this.listeners) listener();
  }

  private get writes(): WriteQueue {
    return this.sender.writes;
  }

  get canEdit(): boolean {
    const { permission } = this.state.document;
    return permission === 'owner' || permission === 'edit';
  }

  sheet(name: string): OpenSheet {
    let sheet = this.openSheets.get(name);
    if (sheet === undefined) {
      const cells = new CellStore(
        name,
        (ranges) => this.readBlocks(ranges),
        () => this.onSheetDrawn(),
        (revision) => this.revisions.waitFor(revision),
      );
      sheet = newOpenSheet(name, cells);
      this.openSheets.set(name, sheet);
      void this.loadLayout(sheet);
    }
    return sheet;
  }

  private async loadLayout(sheet: OpenSheet): Promise<void> {
    const path = `${CONSOLE_API}/documents/${this.id}/sheets/${encodeURIComponent(sheet.name)}/layout`;
    const question = sheet.layoutRequests.next();
    const answer = await call<{ readonly layout: SheetLayout }>('GET', path);
    if (answer.ok) {
      sheet.id = answer.value.layout.id;
      // Sizes and merged cells are shown in the places of one revision, with the cells.
      await this.revisions.waitFor(answer.value.layout.revision);
    }
    if (!sheet.layoutRequests.acceptAnswer(question)) return;
    if (answer.ok && answer.value.layout.revision < sheet.cells.mappedRevision) return this.scheduleLayoutReload();
    if (answer.ok) {
      applyLayout(sheet, answer.value.layout);
      if (!answer.value.layout.may.read) this.clearSheet(sheet);
      this.locale = answer.value.layout.locale;
      this.dateSystem = answer.value.layout.dateSystem;
    }
    this.resolveLocale();
    sheet.failure = answer.ok ? null : answer;
    this.setState({});
    this.onSheetDrawn();
    if (sheet.layout?.hasFilter === true || sheet.filter !== null) void this.loadFilter(sheet);
  }

  /** Nothing that the person may not see any more stays in memory. */
  private clearSheet(sheet: OpenSheet): void {
    sheet.cells.clear();
    this.writes.clearUndo();
    this.onSheetHidden(sheet.name);
  }

  /** Evaluates a sheet's filter anew; the answer comes when its rows are shown. */
  async loadFilter(sheet: OpenSheet): Promise<void> {
    const question = sheet.filterRequests.next();
    const answer = await readFilter(this.id, sheet.name);
    if (!sheet.filterRequests.acceptAnswer(question)) return;
    // A filter whose values are hidden from the person now goes with them.
    if (!answer.ok && answer.status !== 403) return;
    sheet.filter = answer.ok ? answer.value : null;
    this.onFilterChanged(sheet);
  }

  /** After a change: rows that match by now come, and others go. */
  private scheduleFilterReload(): void {
    this.filterTimer ??= setTimeout(() => {
      this.filterTimer = undefined;
      for (const sheet of this.openSheets.values()) if (sheet.filter !== null) void this.loadFilter(sheet);
    }, FILTER_PAUSE_MS);
  }

  /** Cells with their looks, by range. */
  async readBlocks(ranges: readonly string[]): Promise<Result<BlockAnswer>> {
    // Formulas are read in the document's locale, as people type them.
    await this.localeKnown;
    const hasLooks = [...this.openSheets.values()].some(({ layout }) => layout?.hasLooks === true);
    return readBlocks(this.id, ranges, { locale: this.locale, hasLooks, revision: this.revisions.revision });
  }

  /**
   * Writes cells as typed in the document's locale. `base`: the revision that the range is of. `typed`: the cell, if it is
   * a single one.
   */
  writeTyped(
    range: string,
    values: readonly (readonly TypedValue[])[],
    {
      base = this.editBase,
      typed = null,
    }: { readonly base?: number | undefined; readonly typed?: TypedCell | null } = {},
  ): Promise<Result<unknown>> {
    const sent = values.map((row) => row.map(toApiValue));
    const body = this.locale === null ? { values: sent } : { values: sent, inputLocale: this.locale };
    return this.sender.send({
      root: API,
      method: 'PUT',
      path: `/values/${encodeURIComponent(range)}`,
      body,
      base,
      typed,
    });
  }

  /**
   * Writes one after another, by a route of the API. What the service said of the write comes back. Addresses are those
   * of this moment, whenever it is sent.
   */
  edit<T>(method: string, path: string, body: unknown): Promise<Result<T>> {
    return this.sender.send({ root: API, method, path, body, base: this.editBase, typed: null });
  }

  /** The same by a route of the console's own. */
  editInConsole<T>(method: string, path: string, body: unknown): Promise<Result<T>> {
    return this.sender.send({ root: CONSOLE_API, method, path, body, base: this.editBase, typed: null });
  }

  private get editBase(): number {
    return this.lostBase ?? this.revisions.revision;
  }

  async structure(operations: readonly Readonly<Record<string, unknown>>[]): Promise<Result<unknown>> {
    const answer = await this.edit('POST', '/structure', { operations });
    this.reloadIfNewer(answer);
    return answer;
  }

  /** What `structure` would say, without anything being changed. */
  previewStructure(operations: readonly Readonly<Record<string, unknown>>[]): Promise<Result<unknown>> {
    const headers = { 'cellwire-base-revision': String(this.editBase) };
    return call('POST', `${API}/documents/${this.id}/structure?dryRun=true`, { body: { operations }, headers });
  }

  /** Lets writes of these revisions be taken back as one. */
  joinWrites(revisions: readonly number[]): void {
    this.writes.join(revisions);
  }

  /** Takes the last own edit back, or the last such return; waits for what is under way. Null: there is none. */
  async undoOrRedo(deed: UndoKind): Promise<Result<unknown> | null> {
    const answer = await this.writes.undoOrRedo(deed);
    if (answer !== null) this.reloadIfNewer(answer);
    return answer;
  }

  /** What a write here may have changed anywhere, where the event stream has not told of it yet. */
  private reloadIfNewer(answer: Result<unknown>): void {
    const revision = revisionOf(answer);
    if (revision !== null && revision > (this.state.latestRevision ?? 0)) this.reloadAll();
  }

  async reloadSheets(): Promise<void> {
    const question = this.sheetListRequests.next();
    const [document, sheets] = await Promise.all([getDocument(this.id), listSheets(this.id)]);
    if (!document.ok || !sheets.ok || !this.sheetListRequests.acceptAnswer(question)) return;
    this.setState({ document: document.value.document, sheets: sheets.value.sheets });
  }

  /** The log does not lead to the newest revision: nothing that is remembered can be followed. */
  private resetTo(revision: number): void {
    this.applyMapping(revision, { steps: [], sheets: [], isUnknown: true });
    this.revisions.restartAt(revision);
    this.reloadAll();
  }

  private applyMapping(revision: number, places: PublishedPlaces): void {
    const mapping = new PositionMapping(revision, places, [...this.openSheets.values()]);
    for (const { id, cells } of this.openSheets.values()) cells.applyMapping(id, mapping);
    this.revisions.notify(mapping);
  }

  private applyChange(change: Change): void {
    if (change.revision <= this.revisions.revision) return;
    const isOwn = change.origin === 'browser' && change.author?.id === this.userId;
    for (const operation of change.structure) this.followSheetOperation(operation as SheetOperation, isOwn);
    this.scheduleFilterReload();
    if (change.places !== undefined) this.applyMapping(change.revision, change.places);
    this.revisions.advance(change.revision);
    const isShaped = change.structure.length > 0 || (change.moved?.length ?? 0) > 0 || change.places !== undefined;
    if (isShaped || change.truncated) {
      this.reloadAll();
    } else if (change.ranges.length === 0) {
      this.scheduleLayoutReload();
      // What was done to a sheet with hidden values, such as another name, is left out of the change.
      if (change.derived.length === 0) void this.reloadSheets();
    } else {
      for (const text of [...change.ranges, ...change.derived]) this.markRangeStale(text);
    }
    this.setState({ latestRevision: change.revision });
  }

  /** Another role, protection or sharing: the page shows what the person may see and do now, and forgets the rest. */
  private reloadRights(): void {
    void this.reloadSheets();
    for (const sheet of this.openSheets.values()) void this.loadLayout(sheet);
  }

  private setClosed(closed: Failure | null): void {
    if (closed !== null) for (const sheet of this.openSheets.values()) this.clearSheet(sheet);
    this.setState({ closed });
    if (closed === null) {
      this.reloadRights();
      this.reloadAll();
    }
  }

  private followSheetOperation({ renameSheet, deleteSheet }: SheetOperation, isOwn: boolean): void {
    if (renameSheet !== undefined) this.renameSheet(renameSheet.sheet, renameSheet.name);
    if (deleteSheet !== undefined) this.onSheetDeleted(deleteSheet.sheet, isOwn);
  }

  /** What is known of a sheet stays under its new name. */
  private renameSheet(from: string, to: string): void {
    const sheet = this.openSheets.get(from);
    if (sheet !== undefined) {
      this.openSheets.delete(from);
      this.openSheets.get(to)?.cells.close();
      this.openSheets.set(to, sheet);
      sheet.name = to;
      sheet.cells.rename(to);
      if (sheet.filter !== null) sheet.filter = { ...sheet.filter, sheet: to };
    }
    this.onSheetRenamed(from, to);
  }

  private markRangeStale(range: string): void {
    const place = parseSheetRange(range);
    const sheet = place === null ? undefined : this.openSheets.get(place.sheet);
    if (place === null || sheet === undefined) return;
    sheet.cells.markStale([place.area]);
    const { rows, columns } = sheet.layout ?? EMPTY_SHAPE;
    if (place.area.bottom >= rows || place.area.right >= columns) this.scheduleLayoutReload();
  }

  private reloadAll(): void {
    this.markAllStale();
    void this.reloadSheets();
  }

  markAllStale(): void {
    for (const sheet of this.openSheets.values()) sheet.cells.markStale(null);
    this.scheduleLayoutReload();
  }

  /** Gives lines of a sheet (`B:C`, `2:5`) a size in pixels that stays; the answer comes when it is shown. */
  async sizeLines(sheet: OpenSheet, lines: string, size: number): Promise<Result<unknown>> {
    const range = encodeURIComponent(`${quoteSheetName(sheet.name)}!${lines}`);
    const answer = await this.editInConsole('PUT', `/sizes/${range}`, { size });
    if (answer.ok) await this.loadLayout(sheet);
    return answer;
  }

  scheduleLayoutReload(): void {
    // Begun once: who writes all the time would put it off for ever.
    this.layoutTimer ??= setTimeout(() => {
      this.layoutTimer = undefined;
      for (const sheet of this.openSheets.values()) void this.loadLayout(sheet);
    }, LAYOUT_PAUSE_MS);
  }
}
