import { type Area, cellText, MAX_COLUMNS, MAX_ROWS, quoteSheetName } from '@cellwire/engine';
import { failureText } from '../../components/states.tsx';
import type { Failure } from '../../data/http.ts';
import { t } from '../../text/index.ts';
import { inputOf, textToEdit } from '../formula/cell-text.ts';
import { type Draft, isPointing, picking, withOfferTaken } from '../formula/draft.ts';
import { withBracketsClosed } from '../formula/typed-formula.ts';
import { type Place, type Selection, selectionAt, selectionOf } from '../selection/selection.ts';
import { isFilteredOut } from '../selection/visible-rows.ts';
import { namingCell, refusal } from '../session/cell-refusals.ts';
import type { Book } from '../session/document-session.ts';
import { DECLINED } from '../session/edit-sender.ts';
import type { Filter } from '../session/filter.ts';
import { extendUsedArea, type OpenSheet } from '../session/open-sheet.ts';
import { type Arrangement, rearrangedSelection } from '../session/position-mapping.ts';
import type { TypedValue } from '../session/session-state.ts';
import type { Command, Direction } from './commands.ts';
import { draftAfter } from './draft-after.ts';
import { GridModel } from './grid-model.ts';
import { askEdge, beside, isSamePlace, knownEdge, nextShown } from './navigation.ts';
import { SelectionCounter } from './selection-counter.ts';

/** Actions of one person in one open document: moving, selecting, typing, confirming. */
export class Desk extends GridModel {
  /** What the page does itself with a command. */
  onCommand: (command: Command) => void = () => {};
  /** Something could not be done. `again` opens what was typed once more. */
  onFailure: (failure: Failure, again?: () => void) => void = () => {};
  /** Where the selection was on sheets that were left. */
  private readonly left = new Map<string, Selection>();
  /** How often the person has selected something. */
  picks = 0;
  private readonly counter: SelectionCounter;

  constructor(book: Book, sheet: string) {
    super(book, sheet);
    book.onFilterChanged = (changed) => this.filterChanged(changed);
    this.counter = new SelectionCounter(this);
  }

  /** Goes to a sheet, and to a selection on it. A formula that waits for a reference may take it from another sheet. */
  show(sheet: string, selection?: Selection): void {
    const { draft } = this.state;
    if (draft !== null && (selection !== undefined || !isPointing(draft))) void this.commit(draft);
    // The cell's editor is on the other sheet: the formula is typed on in the bar.
    else if (draft !== null && sheet !== draft.sheet) this.become({ draft: { ...draft, where: 'bar' } });
    if (sheet !== this.state.sheet) this.left.set(this.state.sheet, this.state.selection);
    const kept = sheet === this.state.sheet ? this.state.selection : this.left.get(sheet);
    const next = selection ?? kept ?? selectionAt({ row: 0, column: 0 });
    this.become({ sheet, selection: next, ...ONE_SELECTION, filter: this.filterOf(this.book.sheet(sheet)) });
    this.view?.setShape(this.shape);
    this.view?.reveal(next.active);
    this.counter.restart();
  }

  /** Selects, beside `others` if there are any. A draft that is open is written to its own cell first. */
  select(selection: Selection, reveal: Place | null = selection.corner, others: readonly Area[] = []): void {
    this.picks++;
    if (this.state.draft !== null) void this.commit(this.state.draft);
    this.become({ selection, ...ONE_SELECTION, others, isAdding: this.state.isAdding && others.length > 0 });
    if (reveal !== null) this.view?.reveal(reveal);
    this.counter.restart();
  }

  selectArea(area: Area): void {
    const selection = selectionOf(area);
    this.select(selection, selection.active);
  }

  /** Selections on sheets that were left stay at their cells. */
  rearrangeLeft(arrangement: Arrangement): void {
    for (const [sheet, selection] of this.left) {
      this.left.set(sheet, rearrangedSelection(selection, sheet, arrangement) ?? selection);
    }
  }

  /** To be called when cells may have arrived. */
  cellsChanged(): void {
    this.counter.cellsChanged();
  }

  // Drafts

  begin(text: string | null, where: Draft['where']): void {
    if (!this.canWrite) return this.onCommand({ kind: 'edit' });
    const { row, column } = this.state.selection.active;
    if (isFilteredOut(this.state.filter, this.state.sheet, row)) return this.onFailure(refusal(t.grid.filteredOut));
    const isKnown = this.sheet.cells.pendingText(row, column) !== undefined || this.cell({ row, column }) !== undefined;
    if (text !== null || isKnown) this.beginDraft(text, where);
    else void this.beginWhenKnown(where);
  }

  /** What a cell holds is to be edited, not lost, because it had not come yet. */
  private async beginWhenKnown(where: Draft['where']): Promise<void> {
    const { selection } = this.state;
    const { row, column } = selection.active;
    const isKnown = await this.sheet.cells.fetched({ top: row, left: column, bottom: row, right: column });
    if (isKnown && this.state.selection === selection && this.state.draft === null) this.beginDraft(null, where);
  }

  /** Null: what the cell holds, or will hold when what was typed is written. */
  private beginDraft(text: string | null, where: Draft['where']): void {
    const { sheet, lostAt } = this.state;
    const place = this.state.selection.active;
    const written = this.sheet.cells.pendingText(place.row, place.column);
    const before = written ?? textToEdit(this.cell(place), this.habits);
    const now = text ?? before;
    const draft = { sheet, place, text: now, caret: now.length, where, isQuick: text !== null, before, lostAt };
    this.view?.reveal(place);
    this.become({ draft: { ...draft, problem: null, picked: null } });
  }

  type(text: string, caret: number, where: Draft['where']): void {
    const { draft } = this.state;
    if (draft === null) return this.begin(text, where);
    const picked = text === draft.text ? draft.picked : null;
    const { offer: _offer, ...rest } = draft;
    this.become({ draft: { ...rest, text, caret, where, picked } });
  }

  cancel(): void {
    const { draft } = this.state;
    // The first Escape ends the draft, the next one what else is selected.
    if (draft === null && this.state.others.length > 0) this.select(this.state.selection, null);
    this.become({ draft: null, taken: null, isAdding: false });
    this.filterChanged(this.sheet);
    if (draft !== null && draft.sheet !== this.state.sheet) this.show(draft.sheet);
    this.view?.focus();
  }

  /** A click while a formula is typed may mean a reference. True: it did. */
  pick(area: Area): boolean {
    const { draft } = this.state;
    const next = draft === null ? null : picking(draft, this.state.sheet, area);
    if (next === null) return false;
    this.become({ draft: next });
    return true;
  }

  /** Writes what was typed, and returns to the sheet where that was. */
  async confirm(): Promise<void> {
    const { draft } = this.state;
    if (draft === null) return;
    const written = this.commit(draft);
    if (draft.sheet !== this.state.sheet) this.show(draft.sheet);
    this.view?.focus();
    await written;
  }

  /** Ends a draft and writes it to its own cell, wherever the selection is. A refused one opens again with the reason. */
  private async commit(typed: Draft): Promise<void> {
    const draft = finished(typed);
    this.become({ draft: null });
    if (draft.text === draft.before) return this.filterChanged(this.sheet);
    const input = inputOf(draft.text, draft.before, this.habits);
    // What is refused opens again where its cell is by then.
    let held = draft;
    const stop = this.book.places.onArranged((arrangement) => {
      held = draftAfter(held, arrangement);
    });
    const failure = await this.write(draft.sheet, draft.place, [[input]], [[draft.text]], draft.lostAt ?? undefined);
    stop();
    if (failure === null || failure.status === DECLINED) return;
    const again = () => this.open({ ...held, isQuick: false, problem: failureText(failure) });
    if (this.state.draft === null) again();
    else this.onFailure(failure, again);
  }

  /** Goes on with a draft where it was typed. */
  open(draft: Draft): void {
    this.show(draft.sheet, selectionAt(draft.place));
    this.become({ draft });
    this.view?.focus();
  }

  /**
   * Writes cells as typed. `shown` (the texts of `values` by default) is visible at once, and what the service made of it
   * after the answer.
   */
  async write(
    sheet: string,
    { row, column }: Place,
    values: readonly (readonly TypedValue[])[],
    shown: readonly (readonly string[])[] = values.map((line) => line.map((value) => String(value ?? ''))),
    base?: number,
  ): Promise<Failure | null> {
    const open = this.book.sheet(sheet);
    const { cells } = open;
    const width = values.reduce((most, line) => Math.max(most, line.length), 0);
    const area = { top: row, left: column, bottom: row + values.length - 1, right: column + width - 1 };
    extendUsedArea(open, area);
    const seen = cells.cell(row, column)?.m ?? null;
    const typed = shown.length === 1 && shown[0]?.length === 1 ? shown[0][0] : undefined;
    const expected = cells.expect(row, column, shown);
    const answer = await this.book.type(`${quoteSheetName(sheet)}!${cellText(row, column)}`, values, {
      base,
      typed: typed === undefined ? null : { sheet, row, column, text: typed, seen },
    });
    if (!answer.ok) this.book.layoutsSoon();
    await cells.settle(area, expected);
    return answer.ok ? null : namingCell(answer, () => ({ row, column }));
  }

  // The keyboard

  run(command: Command): void {
    const { selection } = this.state;
    switch (command.kind) {
      case 'move':
        return void this.move(command.to, command.extend, command.far);
      case 'page':
        return this.page(command.to, command.extend);
      case 'lineStart':
        return this.goTo({ row: this.from(command.extend).row, column: this.firstColumn }, command.extend);
      case 'sheetStart':
        return this.goTo({ row: 0, column: 0 }, command.extend);
      case 'sheetEnd':
        return this.goTo(this.end, command.extend);
      case 'step':
        return this.step(command.by, command.step);
      case 'selectRows':
        return this.select({ ...selection, kind: selection.kind === 'columns' ? 'all' : 'rows' }, null, this.added);
      case 'selectColumns':
        return this.select({ ...selection, kind: selection.kind === 'rows' ? 'all' : 'columns' }, null, this.added);
      case 'addSelection':
        return this.addSelection();
      case 'selectAll':
        return this.select({ ...selection, kind: 'all' }, null);
      case 'edit':
        return this.canWrite ? this.begin(null, 'cell') : this.onCommand(command);
      case 'cancel':
        return this.cancel();
      default:
        return this.onCommand(command);
    }
  }

  private get firstColumn(): number {
    return this.view?.viewport.columns.shown(0, 1) ?? 0;
  }

  /** The last cell in use. */
  private get end(): Place {
    const { rows, columns } = this.sheet.shape;
    return { row: Math.max(0, rows - 1), column: Math.max(0, columns - 1) };
  }

  private from(extend: boolean): Place {
    return extend ? this.state.selection.corner : this.state.selection.active;
  }

  goTo(place: Place, extend = false): void {
    const { selection, others } = this.state;
    if (extend) this.select({ ...selection, corner: place }, place, others);
    else this.select(selectionAt(place), place, this.added);
  }

  /** What stays selected beside the next place. */
  private get added(): readonly Area[] {
    return this.state.isAdding ? this.state.others : [];
  }

  /** Shift+F8: what is selected stays so, and the next moves select beside it; in between once more: adds that, too. */
  private addSelection(): void {
    this.become({ others: [...this.state.others, this.area], isAdding: true });
  }

  private async move(to: Direction, extend: boolean, far: boolean): Promise<void> {
    const from = this.from(extend);
    if (!far) return this.goTo(beside(this, from, to), extend);
    const { selection } = this.state;
    const near = knownEdge(this, from, to);
    if (near !== null) return this.goTo(near, extend);
    const edge = await askEdge(this, from, to);
    const isThere = this.state.selection === selection && this.state.draft === null;
    if (edge !== null && isThere) this.goTo(edge, extend);
  }

  /** Shows the rows of a filter that was evaluated anew, and leads away from a row that it hides. */
  filterChanged(sheet: OpenSheet): void {
    if (sheet.name !== this.state.sheet) return;
    this.become({ filter: this.filterOf(sheet), statistics: null });
    this.view?.setShape(this.shape);
    if (this.state.draft === null) this.leaveHiddenRow();
  }

  /** A sheet's filter. The row in which somebody types stays until that is done. */
  private filterOf({ name, filter }: OpenSheet): Filter | null {
    const { draft } = this.state;
    if (filter === null || draft?.sheet !== name || !isFilteredOut(filter, name, draft.place.row)) return filter;
    return { ...filter, rows: [...filter.rows, draft.place.row].sort((a, b) => a - b) };
  }

  /** Moves to the nearest row that is shown, if a filter hides the one where the person is. */
  leaveHiddenRow(): void {
    const { filter, sheet, selection } = this.state;
    const { row, column } = selection.active;
    if (!isFilteredOut(filter, sheet, row)) return this.counter.countSoon();
    this.goTo({ row: filter?.rows.find((one) => one > row) ?? filter?.rows.at(-1) ?? 0, column });
  }

  private page(to: Direction, extend: boolean): void {
    const { row, column } = this.from(extend);
    const rows = this.view?.pageRows ?? 1;
    const columns = this.view?.pageColumns ?? 1;
    const down = to === 'down' ? rows : to === 'up' ? -rows : 0;
    const right = to === 'right' ? columns : to === 'left' ? -columns : 0;
    const place = {
      row: Math.min(MAX_ROWS - 1, Math.max(0, row + down)),
      column: Math.min(MAX_COLUMNS - 1, Math.max(0, column + right)),
    };
    this.goTo(place, extend);
  }

  /** Tab and Enter go on, within a selection of more cells around it. */
  step(by: 'row' | 'column', step: 1 | -1): void {
    const { selection } = this.state;
    if (selection.kind === 'cells' && !isSamePlace(selection.anchor, selection.corner)) {
      const active = nextShown(this, by, step);
      return this.select({ ...selection, active }, active, this.state.others);
    }
    const to: Direction = by === 'row' ? (step === 1 ? 'right' : 'left') : step === 1 ? 'down' : 'up';
    const { active } = selection;
    const { tabColumn } = this.state;
    const from = by === 'column' && tabColumn !== null ? { row: active.row, column: tabColumn } : active;
    this.goTo(beside(this, from, to));
    if (by === 'row') this.become({ tabColumn: tabColumn ?? active.column });
  }
}

/** A draft as it is confirmed. */
function finished(draft: Draft): Draft {
  return withOfferTaken({ ...draft, text: withBracketsClosed(draft.text) });
}

/** Of a selection that nothing else is selected beside. */
const ONE_SELECTION = { others: [], isAdding: false, tabColumn: null, statistics: null, lostAt: null } as const;
