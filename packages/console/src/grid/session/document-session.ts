import { type DateSystem, type LocaleId, quoteSheetName } from '@cellwire/engine';
import { getDocument, listSheets } from '../../data/documents.ts';
import { API, CONSOLE_API, call, type Failure, type Result } from '../../data/http.ts';
import type { Change, Document, PublishedPlaces, Sheet, SheetLayout } from '../../data/types.ts';
import { markUnsaved } from '../../data/unsaved.ts';
import { toApiValue } from './api-values.ts';
import { type BlockAnswer, CellStore } from './cell-store.ts';
import { EditSender } from './edit-sender.ts';
import { type FileSending, fileWrite } from './file-write.ts';
import { readFilter } from './filter.ts';
import { followChanges } from './live-updates.ts';
import { applyLayout, createOpenSheet, type OpenSheet } from './open-sheet.ts';
import { PositionMapping } from './position-mapping.ts';
import { readBlocks } from './read-blocks.ts';
import { RequestOrder } from './request-order.ts';
import { RevisionTracker } from './revision-tracker.ts';
import { initialState, type LateEdit, type SessionState, type TypedCell, type TypedValue } from './session-state.ts';
import { parseSheetRange } from './sheet-ranges.ts';
import { EMPTY_SHAPE } from './sheet-shape.ts';
import type { SheetOperation, StructureOperations } from './structure-operations.ts';
import { revisionOf, type UndoKind, type WriteQueue } from './write-queue.ts';

/** Delay before layouts are reloaded, in milliseconds. */
const LAYOUT_PAUSE_MS = 400;

/** Delay before filters are evaluated again, in milliseconds. */
const FILTER_PAUSE_MS = 100;

/** One open document: its sheets, live changes, and the writes of this tab with undo. */
export class DocumentSession {
  readonly id: string;
  readonly userId: number;
  state: SessionState;
  private readonly listeners = new Set<() => void>();
  private readonly openSheets = new Map<string, OpenSheet>();
  private readonly sender: EditSender;
  private readonly sheetListRequests = new RequestOrder();
  /** The document's locale. It comes with the first layout; null if that failed. */
  locale: LocaleId | null = null;
  dateSystem: DateSystem = 'google';
  private resolveLocale: () => void = () => {};
  private readonly localeKnown = new Promise<void>((resolve) => {
    this.resolveLocale = resolve;
  });
  /** Undefined if no reload is scheduled. */
  private layoutTimer: ReturnType<typeof setTimeout> | undefined;
  private stopLive: () => void = () => {};
  /** The revision of the page: all positions on it belong to that revision. */
  readonly revisions: RevisionTracker;
  /** Base revision of requests if their cells were deleted after it; null if they exist. */
  lostBase: number | null = null;
  onSheetDrawn: () => void = () => {};
  /** Asks the person about an edit whose cells someone else changed; true writes it anyway. */
  onConflict: (edit: LateEdit) => Promise<boolean> = async () => false;
  /** The sheet's values are hidden from this person, or the document is closed. */
  onSheetHidden: (sheet: string) => void = () => {};
  onFilterChanged: (sheet: OpenSheet) => void = () => {};
  private filterTimer: ReturnType<typeof setTimeout> | undefined;
  onSheetRenamed: (from: string, to: string) => void = () => {};
  /** `isOwn`: this person deleted it. */
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

  /** `since`: an earlier revision from which kept state follows the changes; null if none. */
  static async load(id: string, me: number, since: number | null = null): Promise<Result<DocumentSession>> {
    const document = await getDocument(id);
    if (!document.ok) return document;
    // Sheets are read after the document: a change in between is delivered again, whereas the other order could miss
    // it.
    const sheets = await listSheets(id);
    if (!sheets.ok) return sheets;
    const session = new DocumentSession(document.value.document, sheets.value.sheets, me);
    if (since !== null && since < session.revisions.revision) session.revisions.restartAt(since);
    return { ok: true, value: session, headers: document.headers };
  }

  /** Starts to follow the document. Call it once. Returns a function that stops it. */
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
      sheet = createOpenSheet(name, cells);
      this.openSheets.set(name, sheet);
      void this.loadLayout(sheet);
    }
    return sheet;
  }

  /** An open sheet by its id; null if it is not open. */
  findSheet(id: number): OpenSheet | null {
    return [...this.openSheets.values()].find((sheet) => sheet.id === id) ?? null;
  }

  private async loadLayout(sheet: OpenSheet): Promise<void> {
    const path = `${CONSOLE_API}/documents/${this.id}/sheets/${encodeURIComponent(sheet.name)}/layout`;
    const question = sheet.layoutRequests.next();
    const answer = await call<{ readonly layout: SheetLayout }>('GET', path);
    if (answer.ok) {
      sheet.id = answer.value.layout.id;
      // Sizes and merged cells must belong to the same revision as the cells.
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

  /** Values that the person may not see any more must not stay in memory. */
  private clearSheet(sheet: OpenSheet): void {
    sheet.cells.clear();
    this.writes.clearUndo();
    this.onSheetHidden(sheet.name);
  }

  /** Evaluates a sheet's filter again. Resolves when its rows are shown. */
  async loadFilter(sheet: OpenSheet): Promise<void> {
    const question = sheet.filterRequests.next();
    const answer = await readFilter(this.id, sheet.name);
    if (!sheet.filterRequests.acceptAnswer(question)) return;
    // A filter on values that are now hidden is dropped.
    if (!answer.ok && answer.status !== 403) return;
    sheet.filter = answer.ok ? answer.value : null;
    this.onFilterChanged(sheet);
  }

  /** Rows may start or stop matching after a change. */
  private scheduleFilterReload(): void {
    this.filterTimer ??= setTimeout(() => {
      this.filterTimer = undefined;
      for (const sheet of this.openSheets.values()) if (sheet.filter !== null) void this.loadFilter(sheet);
    }, FILTER_PAUSE_MS);
  }

  /** Reads cells with their styles by range. */
  async readBlocks(ranges: readonly string[]): Promise<Result<BlockAnswer>> {
    // Formulas are read in the document's locale, as people type them.
    await this.localeKnown;
    const hasLooks = [...this.openSheets.values()].some(({ layout }) => layout?.hasLooks === true);
    return readBlocks(this.id, ranges, { locale: this.locale, hasLooks, revision: this.revisions.revision });
  }

  /**
   * Writes cells as typed in the document's locale. `base`: revision of the range. `typed`: the cell, if there is only
   * one.
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

  /** Sends an edit to a route of the API. Addresses belong to the current revision, even if the edit is sent later. */
  edit<T>(method: string, path: string, body: unknown, base = this.editBase): Promise<Result<T>> {
    return this.sender.send({ root: API, method, path, body, base, typed: null });
  }

  /** Sends an edit to a route of the console. */
  editInConsole<T>(method: string, path: string, body: unknown): Promise<Result<T>> {
    return this.sender.send({ root: CONSOLE_API, method, path, body, base: this.editBase, typed: null });
  }

  /** Revision of the addresses on the page. */
  get editBase(): number {
    return this.lostBase ?? this.revisions.revision;
  }

  /** `base`: revision of the addresses. */
  async structure(operations: StructureOperations, base = this.editBase): Promise<Result<unknown>> {
    const answer = await this.edit('POST', '/structure', { operations }, base);
    this.reloadIfNewer(answer);
    return answer;
  }

  /** Writes a file's cells as one revision. It waits for the writes before it. */
  async sendFile<T>(path: string, file: File, options: FileSending): Promise<Result<T>> {
    const answer = await this.writes.send(fileWrite<T>(`${CONSOLE_API}/documents/${this.id}${path}`, file, options));
    this.reloadIfNewer(answer);
    return answer;
  }

  /** Returns what `structure` would answer, without changing anything. */
  previewStructure(operations: StructureOperations, base = this.editBase): Promise<Result<unknown>> {
    const headers = { 'cellwire-base-revision': String(base) };
    return call('POST', `${API}/documents/${this.id}/structure?dryRun=true`, { body: { operations }, headers });
  }

  /** Joins the writes of these revisions for undo. */
  joinWrites(revisions: readonly number[]): void {
    this.writes.join(revisions);
  }

  /** Undoes or redoes the last own edit after the pending writes. Null if there is none. */
  async undoOrRedo(kind: UndoKind): Promise<Result<unknown> | null> {
    const answer = await this.writes.undoOrRedo(kind);
    if (answer !== null) this.reloadIfNewer(answer);
    return answer;
  }

  /** Reloads everything after a write that the event stream has not reported yet. */
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

  /** The log has a gap, so no state can be followed. */
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
      // Changes of a sheet with hidden values (such as a new name) are left out of the event.
      if (change.derived.length === 0) void this.reloadSheets();
    } else {
      for (const text of [...change.ranges, ...change.derived]) this.markRangeStale(text);
    }
    this.setState({ latestRevision: change.revision });
  }

  /** After a change of role, protection or sharing: reloads what the person may see and drops the rest. */
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

  /** Keeps the loaded state of a sheet under its new name. */
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

  /** Saves the size of lines (`B:C`, `2:5`) in pixels. Resolves when it is shown. */
  async sizeLines(sheet: OpenSheet, lines: string, size: number): Promise<Result<unknown>> {
    const range = encodeURIComponent(`${quoteSheetName(sheet.name)}!${lines}`);
    const answer = await this.editInConsole('PUT', `/sizes/${range}`, { size });
    if (answer.ok) await this.loadLayout(sheet);
    return answer;
  }

  scheduleLayoutReload(): void {
    // The timer is not restarted: continuous changes would postpone it forever.
    this.layoutTimer ??= setTimeout(() => {
      this.layoutTimer = undefined;
      for (const sheet of this.openSheets.values()) void this.loadLayout(sheet);
    }, LAYOUT_PAUSE_MS);
  }
}
