import type { Area } from '@cellwire/engine';
import type { Cell } from '../../data/types.ts';
import type { InputHabits } from '../formula/cell-text.ts';
import { areaOf, type Place, selectionAt } from '../selection/selection.ts';
import { hiddenLines } from '../selection/visible-rows.ts';
import type { Book } from '../session/document-session.ts';
import type { Filter } from '../session/filter.ts';
import type { OpenSheet } from '../session/open-sheet.ts';
import { type Shape, withSizes } from '../session/sheet-shape.ts';
import type { GridView } from '../view/grid-view.ts';
import type { Source } from '../view/row-node.ts';
import type { DeskState } from './grid-state.ts';
import { PulledSizes } from './resized-lines.ts';

/** State of the grid for one person in one document, and what follows from it. `GridController` adds the actions. */
export class GridModel {
  readonly book: Book;
  state: DeskState;
  view: GridView | null = null;
  private readonly listeners = new Set<() => void>();
  /** The last shape with a filter: there may be very many hidden rows. */
  private filtered: { readonly filter: Filter; readonly pulled: Shape; readonly shape: Shape } | null = null;
  /** Sizes of lines that are pulled right now, or that the document does not keep. */
  readonly pulled = new PulledSizes();

  constructor(book: Book, sheet: string) {
    this.book = book;
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
}
