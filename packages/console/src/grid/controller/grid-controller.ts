import { type Area, cellText, MAX_COLUMNS, MAX_ROWS, quoteSheetName } from '@cellwire/engine';
import { failureText } from '../../components/states.tsx';
import type { Failure } from '../../data/http.ts';
import type { Cell } from '../../data/types.ts';
import { t } from '../../text/index.ts';
import { withOfferTaken } from '../cell-editor/autocomplete.ts';
import type { Work } from '../clipboard/bulk-transfer.ts';
import type { CopiedTable } from '../clipboard-formats/copied-table.ts';
import { PulledSizes } from '../editing/line-sizes.ts';
import { draftAfter } from '../followers/follow-positions.ts';
import type { Spill } from '../followers/follow-spill.ts';
import { type InputHabits, inputOf, textToEdit } from '../formula/cell-text.ts';
import { type Draft, isPointing, picking } from '../formula/draft.ts';
import { withBracketsClosed } from '../formula/typed-formula.ts';
import type { UndecidedEdit } from '../panels/late-edit-dialog.tsx';
import { areaOf, type Place, type Selection, selectionAt, selectionOf } from '../selection/selection.ts';
import { hiddenLines, isFilteredOut } from '../selection/visible-rows.ts';
import { namingCell } from '../session/cell-refusals.ts';
import { type Book, DECLINED, type OpenSheet, type TypedValue } from '../session/document-session.ts';
import type { Arrangement } from '../session/position-mapping.ts';
import { rearrangedSelection } from '../session/position-mapping.ts';
import { type Shape, withSizes } from '../session/sheet-shape.ts';
import type { Filter } from '../sort-and-filter/filter-actions.ts';
import type { GridView } from '../view/grid-view.ts';
import type { Source } from '../view/row-node.ts';
import type { Command, Direction } from './commands.ts';
import { askEdge, beside, isSamePlace, knownEdge, nextShown } from './navigation.ts';
import { countOf, refusal, selectedRanges } from './selected-areas.ts';
import { MAX_COUNTED_AREAS, readDistinct, readStatistics, type Statistics } from './statistics.ts';

/** A selection that stays so long is counted, in milliseconds. */
const SETTLED_MS = 120;

export interface DeskState {
  readonly sheet: string;
  readonly selection: Selection;
  /** Areas that were selected before it and still are (Ctrl and a click, Shift+F8). */
  readonly others: readonly Area[];
  /** Whether moves add to what is selected. */
  readonly isAdding: boolean;
  /** The column in which the person began to press Tab, and to which Enter returns; null: no Tab was the last key. */
  readonly tabColumn: number | null;
  readonly draft: Draft | null;
  /** Null: not counted (yet). */
  readonly statistics: Statistics | null;
  /** What copy or cut took, with its text: pasting that text here copies formulas and formats, too. */
  readonly taken: {
    readonly sheet: string;
    /** The part of the sheet around all that was taken. */
    readonly area: Area;
    readonly isCut: boolean;
    readonly text: string;
    readonly table: CopiedTable;
  } | null;
  /** The array of results that the active cell belongs to; null: none, or not known (yet). */
  readonly spill: Spill | null;
  /** Something long that is under way; null: nothing. */
  readonly work: Work | null;
  /** Rows that are about to be sorted, while somebody is asked; null: none. */
  readonly preview: Area | null;
  /** The filter of the sheet that is shown; null: it has none. */
  readonly filter: Filter | null;
  /** The last revision that has the selected cells, if they are gone; null: they are there. */
  readonly lostAt: number | null;
  /** Edits that waited while someone else changed their cells, until the person decides, the oldest first. */
  readonly lateEdits: readonly UndecidedEdit[];
}

/** What one person does with one open document: where they are, what they select and type. */
export class Desk {
  readonly book: Book;
  state: DeskState;
  view: GridView | null = null;
  /** What the page does itself with a command. */
  onCommand: (command: Command) => void = () => {};
  /** Something could not be done. `again` opens what was typed once more. */
  onFailure: (failure: Failure, again?: () => void) => void = () => {};
  private readonly listeners = new Set<() => void>();
  private settled: ReturnType<typeof setTimeout> | undefined;
  /** How many answers about cells were there when the selection was counted. */
  private countedAt = 0;
  /** The last revision that was told of by then. */
  private countedRevision: number | null = null;
  /** Where the selection was on sheets that were left. */
  private readonly left = new Map<string, Selection>();
  /** How often the person has selected something. */
  picks = 0;
  /** The last shape with a filter: there may be very many hidden rows. */
  private filtered: { readonly filter: Filter; readonly pulled: Shape; readonly shape: Shape } | null = null;
  /** Sizes of lines that are pulled right now, or that the document does not keep. */
  readonly pulled = new PulledSizes();

  constructor(book: Book, sheet: string) {
    this.book = book;
    book.onFilterChanged = (sheet) => this.filterChanged(sheet);
    book.subscribe(() => {
      if (book.state.latest !== this.countedRevision) this.countSoon();
    });
    const selection = selectionAt({ row: 0, column: 0 });
    this.state = {
      sheet,
      selection,
      others: [],
      isAdding: false,
      tabColumn: null,
      draft: null,
      statistics: null,
      taken: null,
      spill: null,
      work: null,
      preview: null,
      filter: null,
      lostAt: null,
      lateEdits: [],
    };
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  become(part: Partial<DeskState>): void {
    this.state = { ...this.state, ...part };
    this.book.lostBase = this.state.lostAt;
    for (const listener of this.listeners) listener();
  }

  get sheet(): OpenSheet {
    return this.book.sheet(this.state.sheet);
  }

  /** What is selected; merged cells belong to it as wholes. */
  get area(): Area {
    const { selection } = this.state;
    return selection.kind === 'cells' ? this.sheet.merges.around(areaOf(selection)) : areaOf(selection);
  }

  /** A cell with those that it is merged with. */
  span({ row, column }: Place): Area {
    return this.sheet.merges.at(row, column) ?? { top: row, left: column, bottom: row, right: column };
  }

  /** The cell that holds what is shown at a place: of merged ones the first. */
  holder(place: Place): Place {
    const { top, left } = this.span(place);
    return { row: top, column: left };
  }

  cell({ row, column }: Place): Cell | null | undefined {
    return this.sheet.cells.cell(row, column);
  }

  /** What the view draws cells from. */
  readonly source: Source = {
    shown: (row, column) => {
      const { cells } = this.sheet;
      return {
        cell: cells.cell(row, column),
        pending: cells.pendingText(row, column),
        look: cells.look(row, column),
      };
    },
    merged: (row, column) => this.sheet.merges.at(row, column),
  };

  /** Sizes as the document has them, with those that were pulled here, and without the rows that a filter leaves out. */
  get shape(): Shape {
    const { shape, name } = this.sheet;
    const { filter } = this.state;
    const pulled = this.pulled.over(name, shape);
    if (filter === null || filter.sheet !== name) return pulled;
    if (this.filtered?.filter !== filter || this.filtered.pulled !== pulled) {
      const rowHeights = withSizes(pulled.rowHeights, hiddenLines(filter));
      this.filtered = { filter, pulled, shape: { ...pulled, rowHeights } };
    }
    return this.filtered.shape;
  }

  /** Whether the person may see the sheet that is shown; a sheet that is still loading counts as one. */
  get mayRead(): boolean {
    const isHidden = this.sheet.layout?.may.read === false || this.sheet.cells.failure?.status === 403;
    return this.book.state.closed === null && !isHidden;
  }

  /** Whether the person may write to the sheet that is shown. */
  get canWrite(): boolean {
    const { canEdit, state } = this.book;
    const { layout } = this.sheet;
    // Until the layout says what others may do, what is typed could go to cells that they may not see.
    const isAllowed = layout === null ? state.document.permission === 'owner' : layout.may.write;
    return canEdit && this.mayRead && isAllowed;
  }

  /** How the document reads what is typed. */
  get habits(): InputHabits {
    const { locale, dateSystem } = this.book;
    return { locale, dateSystem };
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
    this.selectionChanged();
  }

  /** Selects, beside `others` if there are any. A draft that is open is written to its own cell first. */
  select(selection: Selection, reveal: Place | null = selection.corner, others: readonly Area[] = []): void {
    this.picks++;
    if (this.state.draft !== null) void this.commit(this.state.draft);
    this.become({ selection, ...ONE_SELECTION, others, isAdding: this.state.isAdding && others.length > 0 });
    if (reveal !== null) this.view?.reveal(reveal);
    this.selectionChanged();
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

  private selectionChanged(): void {
    clearTimeout(this.settled);
    this.settled = undefined;
    this.countSoon();
  }

  /** To be called when other cells than before may be known. */
  cellsChanged(): void {
    if (this.sheet.cells.answers !== this.countedAt) this.countSoon();
  }

  private countSoon(): void {
    this.settled ??= setTimeout(() => {
      this.settled = undefined;
      void this.count();
    }, SETTLED_MS);
  }

  private async count(): Promise<void> {
    const { selection, filter, others, sheet } = this.state;
    this.countedAt = this.sheet.cells.answers;
    this.countedRevision = this.book.state.latest;
    const areas = selectedRanges(this);
    if (countOf(areas) < 2 || areas.length > MAX_COUNTED_AREAS) return;
    const isSame = () => {
      const now = this.state;
      return now.selection === selection && now.filter === filter && now.others === others && now.sheet === sheet;
    };
    const statistics = await readStatistics(this, areas);
    if (!isSame()) return;
    this.become({ statistics });
    const distinct = statistics === null ? null : await readDistinct(this, areas);
    if (statistics !== null && distinct !== null && isSame()) this.become({ statistics: { ...statistics, distinct } });
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
    this.book.reach(open, area);
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
    if (!isFilteredOut(filter, sheet, row)) return this.countSoon();
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
