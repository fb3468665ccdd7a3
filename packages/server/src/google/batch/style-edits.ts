import { type Area, type Edit, intersects } from '@cellwire/engine';
import { keepsOtherStyles } from './derived-state.ts';

type StyleEdit = Extract<Edit, { readonly kind: 'styleCells' }>;

/** Rows of an area whose edits are found by their rows. Taller areas are few and are searched one by one. */
const MAX_INDEXED_ROWS = 100;

/** The edits of a batch that change the styles of cells. A program may send one for each of many thousand cells. */
export class StyleEdits {
  /** All styles that the edits so far give to cells. */
  readonly styles = new Set<string>();
  /** True while the edits so far change the styles of cells only by `styleCells`. */
  keepsOthers = true;
  private readonly bySheet = new Map<number, SheetStyleEdits>();

  addEdits(edits: readonly Edit[]): void {
    this.keepsOthers &&= edits.every(keepsOtherStyles);
    for (const edit of edits) if (edit.kind === 'styleCells') this.addStyleEdit(edit);
  }

  /** The edits of cells of an area. Lists an edit of several rows several times. */
  listWithin(sheet: number, area: Area): Iterable<StyleEdit> {
    return this.bySheet.get(sheet)?.listWithin(area) ?? [];
  }

  private addStyleEdit(edit: StyleEdit): void {
    for (const [, to] of edit.styles) this.styles.add(to);
    const ofSheet = this.bySheet.get(edit.sheet) ?? new SheetStyleEdits();
    ofSheet.add(edit);
    this.bySheet.set(edit.sheet, ofSheet);
  }
}

class SheetStyleEdits {
  private readonly all: StyleEdit[] = [];
  private readonly tall: StyleEdit[] = [];
  private readonly byRow = new Map<number, StyleEdit[]>();

  add(edit: StyleEdit): void {
    this.all.push(edit);
    const { area } = edit;
    if (isTall(area)) {
      this.tall.push(edit);
      return;
    }
    for (let row = area.top; row <= area.bottom; row++) {
      const edits = this.byRow.get(row);
      if (edits === undefined) this.byRow.set(row, [edit]);
      else edits.push(edit);
    }
  }

  /** The edits that touch the area; an edit can appear several times. */
  *listWithin(area: Area): Iterable<StyleEdit> {
    for (const edits of isTall(area) ? [this.all] : this.listCandidates(area)) {
      for (const edit of edits) if (intersects(edit.area, area)) yield edit;
    }
  }

  /** Lists of edits that may touch the rows of the area. */
  private *listCandidates({ top, bottom }: Area): Iterable<readonly StyleEdit[]> {
    yield this.tall;
    for (let row = top; row <= bottom; row++) yield this.byRow.get(row) ?? [];
  }
}

/** True for an area with too many rows to be indexed by row. */
function isTall({ top, bottom }: Area): boolean {
  return bottom - top >= MAX_INDEXED_ROWS;
}
