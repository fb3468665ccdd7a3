import { type DateSystem, type LocaleId, MAX_COLUMNS, MAX_ROWS } from '@cellwire/engine';
import { callApi, formatSheetPath, type Result } from '../../data/http.ts';
import type { SheetLayout } from '../../data/types.ts';
import { type BlockAnswer, CellStore } from './cell-store.ts';
import { readFilter } from './filter.ts';
import { applyLayout, createOpenSheet, extendUsedArea, type OpenSheet } from './open-sheet.ts';
import type { PositionMapping } from './position-mapping.ts';
import { readBlocks } from './read-blocks.ts';
import type { RevisionTracker } from './revision-tracker.ts';
import { parseSheetRange } from './sheet-ranges.ts';
import { EMPTY_SHAPE } from './sheet-shape.ts';

/** Delay before layouts are reloaded, in milliseconds. */
const LAYOUT_PAUSE_MS = 400;

/**
 * Delay before the layout of a sheet with hidden values is loaded again, once, in milliseconds. The service announces
 * changed rights, but not that values were hidden for less time than it needs to notice.
 */
const HIDDEN_CHECK_MS = 1_000;

/** Delay before filters are evaluated again, in milliseconds. */
const FILTER_PAUSE_MS = 100;

interface OpenSheetsListener {
  /** The layout of a sheet is loaded, or could not be loaded. */
  readonly onLayout: () => void;
  /** Cells of a sheet are loaded or changed. */
  readonly onCells: () => void;
  /** The sheet's values are now hidden from this person and no longer in memory. */
  readonly onHidden: (sheet: OpenSheet) => void;
  readonly onFilterChanged: (sheet: OpenSheet) => void;
  /** Another sheet has the name of this sheet, which was deleted. */
  readonly onReplaced: (sheet: OpenSheet) => void;
}

/** The loaded sheets of a document: their cells, layouts and filters. */
export class OpenSheets {
  private readonly sheets = new Map<string, OpenSheet>();
  private readonly document: string;
  private readonly revisions: RevisionTracker;
  private readonly listener: OpenSheetsListener;
  /** The document's locale from the first layout; null if loading the layout failed. */
  locale: LocaleId | null = null;
  dateSystem: DateSystem = 'google';
  private resolveLocale: () => void = () => {};
  private readonly localeKnown = new Promise<void>((resolve) => {
    this.resolveLocale = resolve;
  });
  /** Undefined if no reload is scheduled. */
  private layoutTimer: ReturnType<typeof setTimeout> | undefined;
  private filterTimer: ReturnType<typeof setTimeout> | undefined;
  private hiddenTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(document: string, revisions: RevisionTracker, listener: OpenSheetsListener) {
    this.document = document;
    this.revisions = revisions;
    this.listener = listener;
  }

  close(): void {
    clearTimeout(this.layoutTimer);
    clearTimeout(this.filterTimer);
    clearTimeout(this.hiddenTimer);
    for (const { cells, layoutRequests, filterRequests } of this.openSheets) {
      cells.close();
      layoutRequests.close();
      filterRequests.close();
    }
    this.sheets.clear();
  }

  get openSheets(): readonly OpenSheet[] {
    return [...this.sheets.values()];
  }

  /** Returns a sheet by its name. Opens the sheet if it is not open. */
  open(name: string): OpenSheet {
    let sheet = this.sheets.get(name);
    if (sheet === undefined) {
      const cells = new CellStore(name, {
        readBlocks: (ranges) => this.readBlocks(ranges),
        onChange: () => this.listener.onCells(),
        // The layout says whether the values are still hidden.
        onHidden: () => this.scheduleLayoutReload(),
        waitForRevision: (revision) => this.revisions.waitFor(revision),
      });
      sheet = createOpenSheet(name, cells);
      this.sheets.set(name, sheet);
      void this.loadLayout(sheet);
    }
    return sheet;
  }

  /** An open sheet by its id; null if it is not open. */
  findById(id: number): OpenSheet | null {
    return this.openSheets.find((sheet) => sheet.id === id) ?? null;
  }

  async loadLayout(sheet: OpenSheet): Promise<void> {
    const path = formatSheetPath(this.document, sheet.name, 'layout');
    const question = sheet.layoutRequests.startRequest();
    const answer = await callApi<{ readonly layout: SheetLayout }>('GET', path);
    if (answer.ok) {
      const { id } = answer.value.layout;
      const isReplaced = sheet.id >= 0 && sheet.id !== id;
      sheet.id = id;
      if (isReplaced) this.listener.onReplaced(sheet);
      // Sizes and merged cells must belong to the same revision as the cells.
      await this.revisions.waitFor(answer.value.layout.revision);
    }
    if (!sheet.layoutRequests.acceptAnswer(question)) return;
    if (answer.ok && answer.value.layout.revision < sheet.cells.mappedRevision) return this.scheduleLayoutReload();
    if (answer.ok) {
      // Blocks that were read without styles are read again.
      if (sheet.layout?.hasLooks === false && answer.value.layout.hasLooks) sheet.cells.markStale(null);
      const wasHidden = sheet.layout?.may.read === false;
      applyLayout(sheet, answer.value.layout);
      if (answer.value.layout.may.read) sheet.cells.reloadRefused();
      else {
        this.clearSheet(sheet);
        if (!wasHidden) this.hiddenTimer ??= setTimeout(() => this.checkHiddenSheets(), HIDDEN_CHECK_MS);
      }
      this.locale = answer.value.layout.locale;
      this.dateSystem = answer.value.layout.dateSystem;
    }
    this.resolveLocale();
    sheet.failure = answer.ok ? null : answer;
    this.listener.onLayout();
    if (!answer.ok) void sheet.layoutRequests.repeatLater(question, answer, () => void this.loadLayout(sheet));
    if (sheet.layout?.hasFilter === true || sheet.filter !== null) void this.loadFilter(sheet);
  }

  /** Loads the layouts of the named sheets, except closed ones. */
  async reloadLayouts(names: readonly string[]): Promise<void> {
    await Promise.all(
      this.openSheets.filter(({ name }) => names.includes(name)).map((sheet) => this.loadLayout(sheet)),
    );
  }

  loadLayouts(): void {
    for (const sheet of this.openSheets) void this.loadLayout(sheet);
  }

  private checkHiddenSheets(): void {
    this.hiddenTimer = undefined;
    for (const sheet of this.openSheets) if (sheet.layout?.may.read === false) void this.loadLayout(sheet);
  }

  scheduleLayoutReload(): void {
    // The timer is not restarted: continuous changes would postpone it forever.
    this.layoutTimer ??= setTimeout(() => {
      this.layoutTimer = undefined;
      this.loadLayouts();
    }, LAYOUT_PAUSE_MS);
  }

  /** Evaluates a sheet's filter again. Resolves when its rows are shown. */
  async loadFilter(sheet: OpenSheet): Promise<void> {
    const question = sheet.filterRequests.startRequest();
    const answer = await readFilter(this.document, sheet.name);
    // The rows of the answer are shown as soon as the page has the revision of the answer.
    const revision = answer.ok && answer.value !== null ? Number(answer.value.revision) : null;
    if (revision !== null) await this.revisions.waitFor(revision);
    if (!sheet.filterRequests.acceptAnswer(question)) return;
    if (revision !== null && revision < sheet.cells.mappedRevision) return this.loadFilter(sheet);
    // A filter on values that are now hidden is dropped.
    if (!answer.ok && answer.status !== 403)
      return void sheet.filterRequests.repeatLater(question, answer, () => void this.loadFilter(sheet));
    sheet.filter = answer.ok ? answer.value : null;
    this.listener.onFilterChanged(sheet);
  }

  /** Rows may start or stop matching after a change. */
  scheduleFilterReload(): void {
    this.filterTimer ??= setTimeout(() => {
      this.filterTimer = undefined;
      for (const sheet of this.openSheets) if (sheet.filter !== null) void this.loadFilter(sheet);
    }, FILTER_PAUSE_MS);
  }

  /** Reads cells with their styles by range. */
  async readBlocks(ranges: readonly string[]): Promise<Result<BlockAnswer>> {
    // Formulas are read in the document's locale, as people type them.
    await this.localeKnown;
    const hasLooks = this.openSheets.some(({ layout }) => layout?.hasLooks === true);
    return readBlocks(this.document, ranges, { locale: this.locale, hasLooks, revision: this.revisions.revision });
  }

  /** Values that the person may not see any more must not stay in memory. */
  private clearSheet(sheet: OpenSheet): void {
    sheet.cells.clear();
    this.listener.onHidden(sheet);
  }

  clearAllSheets(): void {
    for (const sheet of this.openSheets) this.clearSheet(sheet);
  }

  /** Keeps the loaded state of a sheet when the sheet is renamed. */
  rename(from: string, to: string): void {
    const sheet = this.sheets.get(from);
    if (sheet === undefined) return;
    this.sheets.delete(from);
    this.sheets.get(to)?.cells.close();
    this.sheets.set(to, sheet);
    sheet.name = to;
    sheet.cells.rename(to);
    if (sheet.filter !== null) sheet.filter = { ...sheet.filter, sheet: to };
  }

  applyMapping(mapping: PositionMapping): void {
    for (const { id, cells } of this.openSheets) cells.applyMapping(id, mapping);
  }

  markRangeStale(range: string): void {
    const place = parseSheetRange(range);
    const sheet = place === null ? undefined : this.sheets.get(place.sheet);
    if (place === null || sheet === undefined) return;
    sheet.cells.markStale([place.area]);
    // A conditional format can depend on any cell.
    for (const open of this.openSheets) if (open.layout?.hasFormatRules === true) open.cells.markStale(null);
    const { rows, columns } = sheet.layout ?? EMPTY_SHAPE;
    const { bottom, right } = place.area;
    if (bottom < rows && right < columns) return;
    // Until the layout arrives, actions on whole rows and columns include the new cells.
    if (bottom < MAX_ROWS - 1 && right < MAX_COLUMNS - 1) extendUsedArea(sheet, place.area);
    this.scheduleLayoutReload();
  }

  markAllStale(): void {
    for (const sheet of this.openSheets) sheet.cells.markStale(null);
    this.scheduleLayoutReload();
  }
}
