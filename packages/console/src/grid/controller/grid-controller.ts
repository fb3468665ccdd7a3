import { type Area, cellText, MAX_COLUMNS, MAX_ROWS, quoteSheetName } from '@cellwire/engine';
import { describeFailure } from '../../components/states.tsx';
import type { Failure } from '../../data/http.ts';
import { t } from '../../text/index.ts';
import { createEditText, toInput } from '../formula/cell-text.ts';
import { type CellDraft, canAcceptReference, insertReference } from '../formula/draft.ts';
import { createAreaSelection, createCellSelection, type GridPosition, type Selection } from '../selection/selection.ts';
import { isFilteredOut } from '../selection/visible-rows.ts';
import { createRefusal, nameRefusedCell } from '../session/cell-refusals.ts';
import type { DocumentSession } from '../session/document-session.ts';
import { DECLINED_STATUS } from '../session/edit-sender.ts';
import type { GridFilter } from '../session/filter.ts';
import { ACCEPTED, checkInput } from '../session/input-check.ts';
import { extendUsedArea, type OpenSheet } from '../session/open-sheet.ts';
import { mapSelection, type PositionMapping } from '../session/position-mapping.ts';
import type { TypedValue } from '../session/session-state.ts';
import type { Direction, GridCommand } from './commands.ts';
import { completeDraft, createDraftHistory } from './follow-draft.ts';
import { GridModel } from './grid-model.ts';
import { NOTHING_ELSE_SELECTED } from './grid-state.ts';
import { findAdjacentCell, findKnownEdge, findNextVisibleCell, isSamePosition, requestEdge } from './navigation.ts';
import { SelectionCounter } from './selection-counter.ts';

/** Actions of one person in one open document: moving, selecting, typing, confirming. */
export class GridController extends GridModel {
  /** Handles the commands that are not the grid's own. */
  onCommand: (command: GridCommand) => void = () => {};
  /** Reports a failed action. `reopen` opens the typed draft again. */
  onFailure: (failure: Failure, reopen?: () => void) => void = () => {};
  /** Shows a warning about something that was done. */
  onWarning: (text: string) => void = () => {};
  /** Selections of the sheets that are not shown. */
  private readonly leftSelections = new Map<string, Selection>();
  /** Counts the selections of the person. */
  selectionCount = 0;
  private readonly counter: SelectionCounter;

  constructor(session: DocumentSession, sheet: string) {
    super(session, sheet);
    session.listenToSheets({ onFilterChanged: (filtered) => this.applyFilter(filtered) });
    this.counter = new SelectionCounter(this);
  }

  /** Shows a sheet, with a selection if given. A formula that accepts a reference stays open. */
  showSheet(sheet: string, selection?: Selection): void {
    const { draft } = this.state;
    if (draft !== null && (selection !== undefined || !canAcceptReference(draft))) void this.commitDraft(draft);
    // The editor in the cell is on the other sheet, so the formula bar continues the draft.
    else if (draft !== null && sheet !== draft.sheet) this.setState({ draft: { ...draft, where: 'bar' } });
    if (sheet !== this.state.sheet) {
      this.view?.cancelDrag();
      this.leftSelections.set(this.state.sheet, this.state.selection);
    }
    const formerSelection = sheet === this.state.sheet ? this.state.selection : this.leftSelections.get(sheet);
    const next = selection ?? formerSelection ?? createCellSelection({ row: 0, column: 0 });
    this.setState({
      sheet,
      selection: next,
      ...NOTHING_ELSE_SELECTED,
      replacedSheet: null,
      filter: this.getVisibleFilter(this.session.getOpenSheet(sheet)),
    });
    this.view?.setShape(this.shape);
    this.view?.revealCell(next.active);
    this.counter.restart();
  }

  /** Selects an area in addition to `others`. An open draft is written to its cell first. */
  select(selection: Selection, reveal: GridPosition | null = selection.corner, others: readonly Area[] = []): void {
    this.selectionCount++;
    if (this.state.draft !== null) void this.commitDraft(this.state.draft);
    this.setState({
      selection,
      ...NOTHING_ELSE_SELECTED,
      replacedSheet: null,
      otherAreas: others,
      isAddingAreas: this.state.isAddingAreas && others.length > 0,
    });
    if (reveal !== null) this.view?.revealCell(reveal);
    this.counter.restart();
  }

  /** Selects cells that an action writes. If the selected cells were deleted, the action names their last revision. */
  selectTarget(area: Area): void {
    const { lastRevision } = this.state;
    this.selectArea(area);
    this.setState({ lastRevision });
  }

  selectArea(area: Area): void {
    const selection = createAreaSelection(area);
    this.select(selection, selection.active);
  }

  /** Moves the selections of the sheets that are not shown with their cells. */
  mapLeftSelections(mapping: PositionMapping): void {
    for (const [sheet, selection] of this.leftSelections) {
      this.leftSelections.set(sheet, mapSelection(selection, sheet, mapping) ?? selection);
    }
  }

  /** To be called when cells may have arrived. */
  handleCellsChanged(): void {
    this.counter.handleCellsChanged();
  }

  // Drafts

  beginEditing(text: string | null, where: CellDraft['where']): void {
    if (!this.canWrite) return this.onCommand({ kind: 'edit' });
    const { row, column } = this.state.selection.active;
    if (isFilteredOut(this.state.filter, this.state.sheet, row))
      return this.onFailure(createRefusal(t.grid.filteredOut));
    // Its place shows the content of another cell.
    if (text === null && this.isSelectionDeleted) return this.refuseInput(t.grid.selectionDeleted);
    const isKnown = (this.sheet.cells.getPendingText(row, column) ?? this.getCell({ row, column })) !== undefined;
    if (text !== null || isKnown) this.beginDraft(text, where);
    else void this.beginEditingOnceLoaded(where);
  }

  /** Keeps typed text from replacing a content that the person wanted to edit, until they select a cell. */
  private refuseInput(problem: string): void {
    this.setState({ inputProblem: problem });
    this.onFailure(createRefusal(problem));
  }

  /** Editing starts when the cell is loaded: its content must not be lost. */
  private async beginEditingOnceLoaded(where: CellDraft['where']): Promise<void> {
    const { selection } = this.state;
    const { row, column } = selection.active;
    this.setState({ inputProblem: t.grid.stillLoading });
    const isKnown = await this.sheet.cells.ensureLoaded({ top: row, left: column, bottom: row, right: column });
    if (this.state.selection !== selection || this.state.draft !== null) return;
    this.setState({ inputProblem: null });
    if (isKnown) this.beginEditing(null, where);
  }

  /** Null starts with the content of the cell, or with its pending input. */
  private beginDraft(text: string | null, where: CellDraft['where']): void {
    const { sheet, lastRevision } = this.state;
    const position = this.state.selection.active;
    const pending = this.sheet.cells.getPendingText(position.row, position.column);
    const initialText = pending ?? createEditText(this.getCell(position), this.inputLocale);
    const now = text ?? initialText;
    const draft: CellDraft = {
      sheet,
      position,
      text: now,
      caret: now.length,
      where,
      isEnterMode: text !== null,
      initialText,
      lastRevision,
      problem: null,
      pickedReference: null,
    };
    this.view?.revealCell(position);
    this.setState({ draft });
  }

  typeText(text: string, caret: number, where: CellDraft['where']): void {
    const { draft, inputProblem } = this.state;
    if (draft === null) return inputProblem === null ? this.beginEditing(text, where) : this.refuseInput(inputProblem);
    const picked = text === draft.text ? draft.pickedReference : null;
    const { completion: _offer, ...rest } = draft;
    this.setState({ draft: { ...rest, text, caret, where, pickedReference: picked } });
  }

  cancelEditing(): void {
    this.view?.cancelDrag();
    const { draft } = this.state;
    // The first Escape ends the draft, the next one clears the other selected areas.
    if (draft === null && this.state.otherAreas.length > 0) this.select(this.state.selection, null);
    this.setState({ draft: null, copied: null, isAddingAreas: false });
    this.applyFilter(this.sheet);
    if (draft !== null && draft.sheet !== this.state.sheet) this.showSheet(draft.sheet);
    this.view?.focus();
  }

  /** Inserts a reference into an open formula; returns true if the formula accepts one. */
  pickReference(area: Area): boolean {
    const { draft } = this.state;
    const next = draft === null ? null : insertReference(draft, this.state.sheet, area);
    if (next === null) return false;
    this.setState({ draft: next });
    return true;
  }

  /** Writes the draft and returns to its sheet. */
  async confirmDraft(): Promise<void> {
    const { draft } = this.state;
    if (draft === null) return;
    const outcome = this.commitDraft(draft);
    if (draft.sheet !== this.state.sheet) this.showSheet(draft.sheet);
    this.view?.focus();
    await outcome;
  }

  /** Writes the draft to its own cell. A refused draft opens again with the reason. */
  private async commitDraft(typed: CellDraft): Promise<void> {
    const draft = completeDraft(typed);
    this.setState({ draft: null });
    if (draft.text === draft.initialText) return this.applyFilter(this.sheet);
    const input = toInput(draft.text, draft.initialText, this.inputLocale);
    // A refused draft opens again at the cell's position at that time.
    let current = draft;
    const history = createDraftHistory();
    const stop = this.session.revisions.onMapping((mapping) => {
      current = history.map({ draft: current }, mapping).draft;
    });
    const { rule } =
      this.session.getOpenSheet(draft.sheet).cells.getStyle(draft.position.row, draft.position.column) ?? {};
    const isChecked = rule?.isChecked === true;
    // Input without a rule is written at once, so that writes keep their order.
    const checked = isChecked ? await checkInput(this.session.id, draft.sheet, draft.position, input) : ACCEPTED;
    const { verdict, message } = checked;
    if (verdict === 'refuse') {
      stop();
      const problem = t.grid.rules.refused(message);
      return this.reopenDraft({ ...current, isEnterMode: false, problem });
    }
    const failure = await this.writeCells(
      current.sheet,
      current.position,
      [[input]],
      [[draft.text]],
      draft.lastRevision ?? this.session.revisions.revision,
    );
    stop();
    if (failure === null && verdict === 'warn') this.onWarning(t.grid.rules.warned(message));
    if (failure === null || failure.status === DECLINED_STATUS) return;
    const continueDraft = () => this.reopenDraft({ ...current, isEnterMode: false, problem: describeFailure(failure) });
    if (this.state.draft === null) continueDraft();
    else this.onFailure(failure, continueDraft);
  }

  /** Opens the editor with a draft in its cell again. */
  reopenDraft(draft: CellDraft): void {
    this.showSheet(draft.sheet, createCellSelection(draft.position));
    this.setState({ draft });
    this.view?.focus();
  }

  /**
   * Writes cells as typed. `displayedTexts` (by default the texts of `values`) is visible immediately, the result after the
   * answer.
   */
  async writeCells(
    sheet: string,
    { row, column }: GridPosition,
    values: readonly (readonly TypedValue[])[],
    displayedTexts: readonly (readonly string[])[] = values.map((line) => line.map((value) => String(value ?? ''))),
    base = this.editBase,
  ): Promise<Failure | null> {
    const open = this.session.getOpenSheet(sheet);
    const { cells } = open;
    const width = values.reduce((most, line) => Math.max(most, line.length), 0);
    const area = { top: row, left: column, bottom: row + values.length - 1, right: column + width - 1 };
    extendUsedArea(open, area);
    const shownText = cells.getCell(row, column)?.m ?? null;
    const typed = displayedTexts.length === 1 && displayedTexts[0]?.length === 1 ? displayedTexts[0][0] : undefined;
    const expected = cells.showPending(row, column, displayedTexts);
    const answer = await this.session.writeTypedCells(`${quoteSheetName(sheet)}!${cellText(row, column)}`, values, {
      base,
      typed: typed === undefined ? null : { sheet, row, column, text: typed, shownText },
    });
    if (!answer.ok) this.session.openSheets.scheduleLayoutReload();
    await cells.endPendingWrite(area, expected);
    return answer.ok ? null : nameRefusedCell(answer, () => ({ row, column }));
  }

  // Keyboard

  runCommand(command: GridCommand): void {
    const { selection } = this.state;
    switch (command.kind) {
      case 'move':
        return void this.move(command.to, command.extend, command.far);
      case 'page':
        return this.movePage(command.to, command.extend);
      case 'lineStart':
        return this.goTo({ row: this.getMoveStart(command.extend).row, column: this.firstColumn }, command.extend);
      case 'sheetStart':
        return this.goTo({ row: 0, column: 0 }, command.extend);
      case 'sheetEnd':
        return this.goTo(this.lastUsedCell, command.extend);
      case 'step':
        return this.moveStep(command.by, command.step);
      case 'selectRows':
        return this.select({ ...selection, kind: selection.kind === 'columns' ? 'all' : 'rows' }, null, this.keptAreas);
      case 'selectColumns':
        return this.select({ ...selection, kind: selection.kind === 'rows' ? 'all' : 'columns' }, null, this.keptAreas);
      case 'addSelection':
        return this.addSelection();
      case 'selectAll':
        return this.select({ ...selection, kind: 'all' }, null);
      case 'edit':
        return this.canWrite ? this.beginEditing(null, 'cell') : this.onCommand(command);
      case 'cancel':
        return this.cancelEditing();
      default:
        return this.onCommand(command);
    }
  }

  private get firstColumn(): number {
    return this.view?.viewport.columns.findNearestVisible(0, 1) ?? 0;
  }

  /** The last used cell. */
  private get lastUsedCell(): GridPosition {
    const { rows, columns } = this.sheet.shape;
    return { row: Math.max(0, rows - 1), column: Math.max(0, columns - 1) };
  }

  private getMoveStart(extend: boolean): GridPosition {
    return extend ? this.state.selection.corner : this.state.selection.active;
  }

  goTo(position: GridPosition, extend = false): void {
    const { selection, otherAreas } = this.state;
    if (extend) this.select({ ...selection, corner: position }, position, otherAreas);
    else this.select(createCellSelection(position), position, this.keptAreas);
  }

  /** Areas that stay selected when the selection moves. */
  private get keptAreas(): readonly Area[] {
    return this.state.isAddingAreas ? this.state.otherAreas : [];
  }

  /** Shift+F8: keeps the selection and adds the next one to it. */
  private addSelection(): void {
    this.setState({ otherAreas: [...this.state.otherAreas, this.selectedArea], isAddingAreas: true });
  }

  private async move(to: Direction, extend: boolean, far: boolean): Promise<void> {
    const from = this.getMoveStart(extend);
    if (!far) return this.goTo(findAdjacentCell(this, from, to), extend);
    const { selection } = this.state;
    const near = findKnownEdge(this, from, to);
    if (near !== null) return this.goTo(near, extend);
    const edge = await requestEdge(this, from, to);
    const isThere = this.state.selection === selection && this.state.draft === null;
    if (edge !== null && isThere) this.goTo(edge, extend);
  }

  /**
   * Shows the rows of a reevaluated filter. The selection stays, even on a row that is hidden now: another person may
   * have changed the filter or the row, and the next key must not reach a cell that this person has not selected.
   */
  applyFilter(sheet: OpenSheet): void {
    if (sheet.name !== this.state.sheet) return;
    this.setState({ filter: this.getVisibleFilter(sheet), statistics: null });
    this.view?.setShape(this.shape);
    if (this.state.draft === null) this.counter.scheduleCount();
  }

  /** The filter of a sheet. The row of an open draft stays visible. */
  private getVisibleFilter({ name, filter }: OpenSheet): GridFilter | null {
    const { draft } = this.state;
    if (filter === null || draft?.sheet !== name || !isFilteredOut(filter, name, draft.position.row)) return filter;
    return { ...filter, rows: [...filter.rows, draft.position.row].sort((a, b) => a - b) };
  }

  /** Moves to the nearest visible row if the filter that this person has set hides the active row. */
  leaveHiddenRow(): void {
    const { filter, sheet, selection, draft } = this.state;
    const { row, column } = selection.active;
    if (draft !== null || !isFilteredOut(filter, sheet, row)) return;
    this.goTo({ row: filter?.rows.find((one) => one > row) ?? filter?.rows.at(-1) ?? 0, column });
  }

  private movePage(to: Direction, extend: boolean): void {
    const { row, column } = this.getMoveStart(extend);
    const rows = this.view?.pageRows ?? 1;
    const columns = this.view?.pageColumns ?? 1;
    const down = to === 'down' ? rows : to === 'up' ? -rows : 0;
    const right = to === 'right' ? columns : to === 'left' ? -columns : 0;
    const position = {
      row: Math.min(MAX_ROWS - 1, Math.max(0, row + down)),
      column: Math.min(MAX_COLUMNS - 1, Math.max(0, column + right)),
    };
    this.goTo(position, extend);
  }

  /** Tab and Enter move inside a selection of several cells. */
  moveStep(direction: 'row' | 'column', step: 1 | -1): void {
    const { selection } = this.state;
    if (selection.kind === 'cells' && !isSamePosition(selection.anchor, selection.corner)) {
      const active = findNextVisibleCell(this, direction, step);
      return this.select({ ...selection, active }, active, this.state.otherAreas);
    }
    const to: Direction = direction === 'row' ? (step === 1 ? 'right' : 'left') : step === 1 ? 'down' : 'up';
    const { active } = selection;
    const { tabColumn } = this.state;
    const from = direction === 'column' && tabColumn !== null ? { row: active.row, column: tabColumn } : active;
    this.goTo(findAdjacentCell(this, from, to));
    if (direction === 'row') this.setState({ tabColumn: tabColumn ?? active.column });
  }
}
