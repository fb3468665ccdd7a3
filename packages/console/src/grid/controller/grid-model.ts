import type { Area } from '@cellwire/engine';
import type { Cell } from '../../data/types.ts';
import type { InputLocale } from '../formula/cell-text.ts';
import { computeSelectedArea, createCellSelection, type GridPosition, type Selection } from '../selection/selection.ts';
import { listHiddenRowSpans } from '../selection/visible-rows.ts';
import type { DocumentSession } from '../session/document-session.ts';
import type { GridFilter } from '../session/filter.ts';
import type { OpenSheet } from '../session/open-sheet.ts';
import { overrideSizes, type SheetShape } from '../session/sheet-shape.ts';
import type { GridView } from '../view/grid-view.ts';
import type { CellSource } from '../view/row-node.ts';
import type { GridState } from './grid-state.ts';
import { ResizedLines } from './resized-lines.ts';

/** State of the grid for one person in one document, and what is derived from it. `GridController` adds the actions. */
export class GridModel {
  readonly session: DocumentSession;
  state: GridState;
  view: GridView | null = null;
  private readonly listeners = new Set<() => void>();
  /** Cached because a filter can hide very many rows. */
  private filteredShape: {
    readonly filter: GridFilter;
    readonly pulled: SheetShape;
    readonly shape: SheetShape;
  } | null = null;
  /** Time of the last character that was not accepted, in milliseconds since the page was loaded, and its selection. */
  refusedCharacter: { readonly at: number; readonly selection: Selection } | null = null;
  /** Line sizes that the document does not have yet. */
  readonly resizedLines = new ResizedLines();

  constructor(session: DocumentSession, sheet: string) {
    this.session = session;
    const selection = createCellSelection({ row: 0, column: 0 });
    this.state = {
      sheet,
      selection,
      otherAreas: [],
      isAddingAreas: false,
      tabColumn: null,
      draft: null,
      statistics: null,
      copied: null,
      spill: null,
      task: null,
      fillTarget: null,
      sortPreview: null,
      filter: null,
      lastRevision: null,
      inputProblem: null,
      replacedSheet: null,
      editConflicts: [],
    };
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  setState(part: Partial<GridState>): void {
    this.state = { ...this.state, ...part };
    for (const listener of this.listeners) listener();
  }

  /** Revision of the selected cells: the page's revision or, if they were deleted, their last revision. */
  get editBase(): number {
    return this.state.lastRevision ?? this.session.revisions.revision;
  }

  /** True if the selected cells were deleted: other cells are at their place. */
  get isSelectionDeleted(): boolean {
    return this.state.lastRevision !== null;
  }

  get sheet(): OpenSheet {
    return this.session.getOpenSheet(this.state.sheet);
  }

  /** The selected area, with whole merged ranges. */
  get selectedArea(): Area {
    const { selection } = this.state;
    return selection.kind === 'cells'
      ? this.sheet.mergedRanges.expandArea(computeSelectedArea(selection))
      : computeSelectedArea(selection);
  }

  /** A cell with its merged range. */
  getCellArea({ row, column }: GridPosition): Area {
    return this.sheet.mergedRanges.findArea(row, column) ?? { top: row, left: column, bottom: row, right: column };
  }

  /** The cell that holds the content: of a merged range the first. */
  findFirstMergedCell(position: GridPosition): GridPosition {
    const { top, left } = this.getCellArea(position);
    return { row: top, column: left };
  }

  getCell({ row, column }: GridPosition): Cell | null | undefined {
    return this.sheet.cells.getCell(row, column);
  }

  /** What the view draws. */
  readonly cellSource: CellSource = {
    getCell: (row, column) => {
      const { cells } = this.sheet;
      return {
        cell: cells.getCell(row, column),
        pending: cells.getPendingText(row, column),
        style: cells.getStyle(row, column),
      };
    },
    findMergedRange: (row, column) => this.sheet.mergedRanges.findArea(row, column),
  };

  /** Line sizes of the document, with the resized lines and without the rows that a filter hides. */
  get shape(): SheetShape {
    const { shape, name } = this.sheet;
    const { filter } = this.state;
    const pulled = this.resizedLines.applySizes(name, shape);
    if (filter === null || filter.sheet !== name) return pulled;
    if (this.filteredShape?.filter !== filter || this.filteredShape.pulled !== pulled) {
      const rowHeights = overrideSizes(pulled.rowHeights, listHiddenRowSpans(filter));
      this.filteredShape = { filter, pulled, shape: { ...pulled, rowHeights } };
    }
    return this.filteredShape.shape;
  }

  /** True if the person may see the current sheet, also while it is loading. */
  get canRead(): boolean {
    const isHidden = this.sheet.layout?.may.read === false || this.sheet.cells.failure?.status === 403;
    return this.session.state.closed === null && !isHidden;
  }

  /** True if the person may write to the current sheet. */
  get canWrite(): boolean {
    const { canEdit, state } = this.session;
    const { layout } = this.sheet;
    // Until the layout is known, only the owner may type: other people's input could go to cells that are hidden from
    // them.
    const isAllowed = layout === null ? state.document.permission === 'owner' : layout.may.write;
    return canEdit && this.canRead && isAllowed && this.state.replacedSheet === null;
  }

  /** How the document reads typed input. */
  get inputLocale(): InputLocale {
    const { locale, dateSystem } = this.session;
    return { locale, dateSystem };
  }
}
