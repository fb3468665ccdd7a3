import { type DateSystem, type LocaleId, quoteSheetName } from '@cellwire/engine';
import { getDocument, listSheets } from '../../data/documents.ts';
import { type UploadOptions, uploadFile } from '../../data/file-upload.ts';
import { API, CONSOLE_API, callApi, type Failure, type RequestHeaders, type Result } from '../../data/http.ts';
import type { Document, DocumentChange, PublishedPlaces, Sheet } from '../../data/types.ts';
import { markUnsaved } from '../../data/unsaved.ts';
import { toApiValue } from './api-values.ts';
import { EditSender } from './edit-sender.ts';
import { followChanges } from './live-updates.ts';
import type { OpenSheet } from './open-sheet.ts';
import { OpenSheets } from './open-sheets.ts';
import { PositionMapping } from './position-mapping.ts';
import { RequestOrder } from './request-order.ts';
import { RevisionTracker } from './revision-tracker.ts';
import {
  type ConflictChoice,
  createInitialState,
  type LateEdit,
  type SessionState,
  type SharedChoice,
  type TypedCellEdit,
  type TypedValue,
} from './session-state.ts';
import type { SheetOperation, StructureOperations } from './structure-operations.ts';
import { readRevision, type UndoKind, type WriteQueue } from './write-queue.ts';

/** What parts of the page learn about the sheets of an open document. */
interface SheetListener {
  /** Cells or a layout were loaded or changed. */
  readonly onCellsOrLayoutChanged?: () => void;
  /** The sheet's values are hidden from this person, or the document is closed. */
  readonly onHidden?: (sheet: string) => void;
  readonly onFilterChanged?: (sheet: OpenSheet) => void;
  readonly onRenamed?: (from: string, to: string) => void;
  /** `isOwn`: this person deleted it. */
  readonly onDeleted?: (sheet: string, isOwn: boolean) => void;
  /** Another sheet has the name of a deleted sheet. */
  readonly onReplaced?: (sheet: string) => void;
}

/** One open document: its sheets, live changes, and the writes of this tab with undo. */
export class DocumentSession {
  readonly id: string;
  readonly userId: number;
  state: SessionState;
  private readonly listeners = new Set<() => void>();
  private readonly sheetListeners = new Set<SheetListener>();
  readonly openSheets: OpenSheets;
  private readonly sender: EditSender;
  private readonly sheetListRequests = new RequestOrder();
  private stopLive: () => void = () => {};
  /** The revision of the page: all positions on it belong to that revision. */
  readonly revisions: RevisionTracker;
  /** Asks the person about an edit whose cells someone else changed. */
  onConflict: (edit: LateEdit) => Promise<ConflictChoice> = async () => 'theirs';

  private constructor(document: Document, sheets: readonly Sheet[], me: number) {
    this.id = document.id;
    this.userId = me;
    this.revisions = new RevisionTracker(document.id, Number(document.revisionId), {
      onChange: (change) => this.applyChange(change),
      onGap: (revision) => this.resetTo(revision),
    });
    this.state = createInitialState(document, sheets);
    this.openSheets = new OpenSheets(document.id, this.revisions, {
      onLayout: () => {
        this.setState({});
        this.notifySheetListeners((listener) => listener.onCellsOrLayoutChanged?.());
      },
      onCells: () => this.notifySheetListeners((listener) => listener.onCellsOrLayoutChanged?.()),
      onHidden: (sheet) => {
        this.writes.clearUndo();
        this.notifySheetListeners((listener) => listener.onHidden?.(sheet.name));
      },
      onFilterChanged: (sheet) => this.notifySheetListeners((listener) => listener.onFilterChanged?.(sheet)),
      onReplaced: (sheet) => this.notifySheetListeners((listener) => listener.onReplaced?.(sheet.name)),
    });
    this.sender = new EditSender({
      document: document.id,
      revisions: this.revisions,
      isOffline: () => this.state.live !== 'live',
      onConflict: (edit) => this.onConflict(edit),
      onChange: () => {
        const { canUndo, canRedo, isRetrying, pendingCount: pendingWrites } = this.writes;
        markUnsaved(this.writes, pendingWrites > 0);
        this.setState({ canUndo, canRedo, isRetrying, pendingWrites });
      },
    });
  }

  /** Loads a document. `since`: an earlier revision from which kept state follows the changes; null if none. */
  static async load(id: string, me: number, since: number | null = null): Promise<Result<DocumentSession>> {
    const document = await getDocument(id);
    if (!document.ok) return document;
    // Sheets are read after the document. In this order a change in between is delivered again; in the other order it
    // could be missed.
    const sheets = await listSheets(id);
    if (!sheets.ok) return sheets;
    const session = new DocumentSession(document.value.document, sheets.value.sheets, me);
    if (since !== null && since < session.revisions.revision) session.revisions.restartAt(since);
    return { ok: true, value: session, headers: document.headers };
  }

  /** Starts to follow the document's changes. Call it once. Returns a function that stops following. */
  start(): () => void {
    this.stopLive = followChanges(this.id, String(this.revisions.revision), {
      onState: (live) => {
        if (live === 'lost') this.revisions.markInterrupted();
        this.setState({ live });
      },
      onChange: (change) => this.applyChange(change),
      onReset: (revision) => this.resetTo(revision),
      onRights: () => this.reloadRights(),
      onProposal: () => this.setState({ proposalEvents: this.state.proposalEvents + 1 }),
      onClosed: (closed) => this.setClosed(closed),
    });
    return () => {
      this.stopLive();
      this.revisions.close();
      this.sheetListRequests.close();
      this.openSheets.close();
    };
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Returns a function that ends it. */
  listenToSheets(listener: SheetListener): () => void {
    this.sheetListeners.add(listener);
    return () => this.sheetListeners.delete(listener);
  }

  private notifySheetListeners(notify: (listener: SheetListener) => void): void {
    for (const listener of this.sheetListeners) notify(listener);
  }

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

  /** The document's locale; null until the first layout is loaded. */
  get locale(): LocaleId | null {
    return this.openSheets.locale;
  }

  get dateSystem(): DateSystem {
    return this.openSheets.dateSystem;
  }

  /** Returns a sheet by its name. Opens the sheet if it is not open. */
  getOpenSheet(name: string): OpenSheet {
    return this.openSheets.open(name);
  }

  /**
   * Writes cells as typed in the document's locale. `base`: revision of the range. `typed`: the cell, if there is only
   * one. `shared`: see `EditRequest`.
   */
  writeTypedCells(
    range: string,
    values: readonly (readonly TypedValue[])[],
    {
      base,
      typed = null,
      shared = null,
    }: { readonly base: number; readonly typed?: TypedCellEdit | null; readonly shared?: SharedChoice | null },
  ): Promise<Result<unknown>> {
    const sent = values.map((row) => row.map(toApiValue));
    const body = this.locale === null ? { values: sent } : { values: sent, inputLocale: this.locale };
    return this.sender.send({
      call: this.createRequest(API, 'PUT', `/values/${encodeURIComponent(range)}`, body),
      base,
      typed,
      shared,
    });
  }

  /** Sends an edit to a route of the API. `base`: revision of the addresses, even if the edit is sent later. */
  sendEdit<T>(method: string, path: string, body: unknown, base: number): Promise<Result<T>> {
    return this.sender.send({ call: this.createRequest<T>(API, method, path, body), base, typed: null, shared: null });
  }

  /** Sends an edit to a route of the console. `base`: as for `sendEdit`; `shared`: see `EditRequest`. */
  sendConsoleEdit<T>(
    method: string,
    path: string,
    body: unknown,
    { base, shared = null }: { readonly base: number; readonly shared?: SharedChoice | null },
  ): Promise<Result<T>> {
    return this.sender.send({
      call: this.createRequest<T>(CONSOLE_API, method, path, body),
      base,
      typed: null,
      shared,
    });
  }

  /**
   * Creates a request to a document. `path`: the part of the address after that of the document. `root`: `API` or
   * `CONSOLE_API`.
   */
  private createRequest<T>(root: string, method: string, path: string, body: unknown) {
    return (headers: () => RequestHeaders) =>
      callApi<T>(method, `${root}/documents/${this.id}${path}`, { body, headers });
  }

  /** `base`: revision of the addresses. */
  async changeStructure(operations: StructureOperations, base: number): Promise<Result<unknown>> {
    const answer = await this.sendEdit('POST', '/structure', { operations }, base);
    this.reloadIfNewer(answer);
    return answer;
  }

  /** Writes a file's cells as one revision, after the pending writes. */
  async sendFile<T>(path: string, file: File, options: Omit<UploadOptions, 'headers'>): Promise<Result<T>> {
    const address = `${CONSOLE_API}/documents/${this.id}${path}`;
    const answer = await this.sender.send({
      call: (headers) => uploadFile<T>(address, file, { ...options, headers: headers() }),
      base: this.revisions.revision,
      typed: null,
      shared: null,
    });
    this.reloadIfNewer(answer);
    return answer;
  }

  /** Returns what `structure` would answer, without changing anything. */
  previewStructure(operations: StructureOperations, base: number): Promise<Result<unknown>> {
    const headers = { 'cellwire-base-revision': String(base) };
    return callApi('POST', `${API}/documents/${this.id}/structure?dryRun=true`, { body: { operations }, headers });
  }

  /** Joins the writes of these revisions, so that one undo reverts all of them. */
  joinWrites(revisions: readonly number[]): void {
    this.writes.joinWrites(revisions);
  }

  /** Undoes or redoes the last edit of this tab, after the pending writes. Null if there is none. */
  async undoOrRedo(kind: UndoKind): Promise<Result<unknown> | null> {
    const answer = await this.writes.undoOrRedo(kind);
    if (answer !== null) this.reloadIfNewer(answer);
    return answer;
  }

  /** Reloads everything after a write that the event stream has not reported yet. */
  private reloadIfNewer(answer: Result<unknown>): void {
    const revision = readRevision(answer);
    if (revision !== null && revision > (this.state.latestRevision ?? 0)) this.reloadAll();
  }

  async reloadSheets(): Promise<void> {
    const question = this.sheetListRequests.startRequest();
    const [document, sheets] = await Promise.all([getDocument(this.id), listSheets(this.id)]);
    const repeatLater = (failure: Failure) =>
      this.sheetListRequests.repeatLater(question, failure, () => void this.reloadSheets());
    if (!document.ok) return repeatLater(document);
    if (!sheets.ok) return repeatLater(sheets);
    // The id of a sheet that has the name of a deleted one must be known before anything is copied from it.
    const shown = new Set(this.state.sheets.map(({ name }) => name));
    const added = sheets.value.sheets.filter(({ name }) => !shown.has(name));
    await this.openSheets.reloadLayouts(added.map(({ name }) => name));
    if (!this.sheetListRequests.acceptAnswer(question)) return;
    this.setState({ document: document.value.document, sheets: sheets.value.sheets });
  }

  /** The log has a gap, so no state can be followed. */
  private resetTo(revision: number): void {
    this.applyMapping(revision, { steps: [], sheets: [], isUnknown: true });
    this.revisions.restartAt(revision);
    this.reloadAll();
  }

  /** `restores`: see `PositionMapping`; `undone`: the revision that the change undoes. */
  private applyMapping(
    revision: number,
    places: PublishedPlaces,
    { restores = null, undone }: { readonly restores?: number | null; readonly undone?: number | undefined } = {},
  ): void {
    const open = this.openSheets.openSheets;
    const steps =
      restores !== null || undone === undefined ? null : this.revisions.findStepsToReturn(undone, places.steps);
    const returned =
      steps === null || undone === undefined
        ? null
        : { revision: undone - 1, mapping: new PositionMapping(revision, { ...places, steps }, open) };
    const mapping = new PositionMapping(revision, places, open, { restores, returned });
    this.openSheets.applyMapping(mapping);
    this.revisions.notify(mapping);
  }

  private applyChange(change: DocumentChange): void {
    if (change.revision <= this.revisions.revision) return;
    const isOwn = change.origin === 'browser' && change.author?.id === this.userId;
    for (const operation of change.structure) {
      const { renameSheet, deleteSheet } = operation as SheetOperation;
      if (renameSheet !== undefined) this.followRenamedSheet(renameSheet);
      if (deleteSheet !== undefined) this.followDeletedSheet(deleteSheet.sheet, change.revision, isOwn);
    }
    this.openSheets.scheduleFilterReload();
    const restored = this.revisions.findRestoredRevision(change);
    if (change.places !== undefined || restored !== null)
      this.applyMapping(change.revision, change.places ?? { steps: [], sheets: [] }, {
        restores: restored,
        undone: change.undoes,
      });
    this.revisions.advance(change.revision);
    const isShaped = change.structure.length > 0 || (change.moved?.length ?? 0) > 0 || change.places !== undefined;
    if (isShaped || change.renamed || change.truncated) {
      this.reloadAll();
    } else if (change.ranges.length === 0) {
      // Notes and rules may have changed.
      this.openSheets.markAllStale();
      // Changes of a sheet with hidden values (such as a new name) are left out of the event.
      if (change.derived.length === 0) void this.reloadSheets();
    } else {
      for (const text of [...change.ranges, ...change.derived]) this.openSheets.markRangeStale(text);
    }
    this.setState({ latestRevision: change.revision });
  }

  /**
   * Reloads the document after a change of role, protection or sharing, and drops what the person may no longer see.
   */
  private reloadRights(): void {
    void this.reloadSheets();
    this.openSheets.loadLayouts();
  }

  private setClosed(closed: Failure | null): void {
    if (closed !== null) this.openSheets.clearAllSheets();
    this.setState({ closed });
    if (closed === null) {
      this.reloadRights();
      this.reloadAll();
    }
  }

  /** Changes the loaded list of sheets before the list is loaded again, so that no tab has an outdated name. */
  private followRenamedSheet({ sheet, name }: NonNullable<SheetOperation['renameSheet']>): void {
    this.setState({ sheets: this.state.sheets.map((one) => (one.name === sheet ? { ...one, name } : one)) });
    this.openSheets.rename(sheet, name);
    this.notifySheetListeners((listener) => listener.onRenamed?.(sheet, name));
  }

  /** Positions on the sheet keep the revision before `revision`: a later sheet with the same name is another sheet. */
  private followDeletedSheet(sheet: string, revision: number, isOwn: boolean): void {
    this.setState({ sheets: this.state.sheets.filter(({ name }) => name !== sheet) });
    this.revisions.notify(
      new PositionMapping(revision, { steps: [], sheets: [] }, this.openSheets.openSheets, { deletedSheet: sheet }),
    );
    this.notifySheetListeners((listener) => listener.onDeleted?.(sheet, isOwn));
  }

  private reloadAll(): void {
    this.openSheets.markAllStale();
    void this.reloadSheets();
  }

  /** Saves the size of lines (`B:C`, `2:5`) in pixels. Resolves when the page shows the new size. */
  async saveLineSizes(sheet: OpenSheet, lines: string, size: number): Promise<Result<unknown>> {
    const range = encodeURIComponent(`${quoteSheetName(sheet.name)}!${lines}`);
    const answer = await this.sendConsoleEdit('PUT', `/sizes/${range}`, { size }, { base: this.revisions.revision });
    if (answer.ok) await this.openSheets.loadLayout(sheet);
    return answer;
  }
}
