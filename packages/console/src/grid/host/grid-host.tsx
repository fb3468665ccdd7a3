import { columnName } from '@cellwire/engine';
import { useEffect, useRef } from 'react';
import { t } from '../../text/index.ts';
import { createComboboxAttributes, subscribeSuggestions } from '../cell-editor/suggestions.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { describeActiveCell } from '../editing/rule-actions.ts';
import { findReferences } from '../formula/formula-text.ts';
import { parseSheetRange } from '../session/sheet-ranges.ts';
import { getCurrentFilter } from '../sort-and-filter/filter-actions.ts';
import { CELL_HINT } from '../view/cell-extras.ts';
import type { FilterHeader } from '../view/filter-buttons.ts';
import { GridView } from '../view/grid-view.ts';
import type { Mark } from '../view/marks-layer.ts';
import { createViewEvents, type OpenMenu } from './create-view-events.ts';
import { listenToEditor } from './editor-events.ts';

interface GridHostProps {
  readonly controller: GridController;
  readonly onMenu: OpenMenu;
}

/** Element of the grid: connects the view to the controller. */
export function GridHost({ controller, onMenu }: GridHostProps) {
  const place = useRef<HTMLDivElement>(null);
  const menu = useRef(onMenu);
  menu.current = onMenu;
  useEffect(() => {
    const editor = createEditor();
    const view = new GridView(editor, controller.cellSource, createViewEvents(controller, menu), {
      grid: t.grid.label,
      all: t.grid.all,
    });
    controller.view = view;
    place.current?.append(view.element);
    const update = () => updateView(controller, view, editor);
    let shownCell = controller.getCell(controller.state.selection.active);
    let shownFailure = controller.sheet.cells.failure;
    const redraw = () => {
      view.setShape(controller.shape);
      controller.handleCellsChanged();
      const cell = controller.getCell(controller.state.selection.active);
      const { failure } = controller.sheet.cells;
      if (cell === shownCell && failure === shownFailure) return;
      shownCell = cell;
      shownFailure = failure;
      controller.setState({});
    };
    const stops = [
      controller.subscribe(update),
      controller.session.subscribe(update),
      controller.session.listenToSheets({ onCellsOrLayoutChanged: redraw }),
      listenToEditor(controller, editor),
      subscribeSuggestions(() => setEditorAttributes(controller, editor)),
    ];
    redraw();
    update();
    view.focus();
    return () => {
      for (const stop of stops) stop();
      controller.view = null;
      view.close();
    };
  }, [controller]);
  return <div ref={place} className="grid-place" />;
}

function createEditor(): HTMLTextAreaElement {
  const editor = document.createElement('textarea');
  editor.className = 'grid-editor';
  editor.rows = 1;
  editor.spellcheck = false;
  editor.autocapitalize = 'off';
  editor.autocomplete = 'off';
  editor.wrap = 'soft';
  return editor;
}

/** Colours for references in formulas and for the selections of other people. */
const MARK_COLORS = ['#2563eb', '#c2410c', '#7c3aed', '#15803d', '#be185d', '#0e7490'] as const;

/** Draws the state of the controller. */
function updateView(controller: GridController, view: GridView, editor: HTMLTextAreaElement): void {
  const { selection, draft, sheet } = controller.state;
  const isHere = draft !== null && draft.sheet === sheet;
  view.setFilter(createFilterHeader(controller));
  const extras = describeActiveCell(controller);
  view.extras.setContent(extras);
  view.setSelection(controller.selectedArea, controller.getCellArea(selection.active), createGridMarks(controller));
  const { row, column } = selection.active;
  editor.setAttribute('aria-label', t.grid.editing(sheet, row, column));
  editor.classList.toggle('editing', isHere);
  editor.classList.toggle('refused', isHere && draft.problem !== null);
  const isDescribed = extras.text + extras.spoken !== '';
  if (isDescribed) editor.setAttribute('aria-describedby', CELL_HINT);
  else editor.removeAttribute('aria-describedby');
  setEditorAttributes(controller, editor);
  const text = isHere ? draft.text : '';
  if (editor.value !== text) {
    editor.value = text;
    const end = draft?.completion === undefined ? draft?.caret : text.length;
    if (isHere && draft.where === 'cell') editor.setSelectionRange(draft.caret, end ?? draft.caret);
  }
}

/** Sets the ARIA attributes of the editor: while a formula is typed, it is the combobox of the function list. */
function setEditorAttributes(controller: GridController, editor: HTMLTextAreaElement): void {
  const attributes = createComboboxAttributes(controller.state.draft, controller.state.draft?.where === 'cell');
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined) editor.removeAttribute(name);
    else editor.setAttribute(name, String(value));
  }
}

/** Lists the marks to draw: selections, copied cells, references of a formula, and selections of other people. */
function createGridMarks(controller: GridController): readonly Mark[] {
  const { selection, draft, sheet, copied, spill, sortPreview, fillTarget } = controller.state;
  const marks: Mark[] = [];
  if (spill !== null && spill.sheet === sheet) marks.push({ area: spill.area, kind: 'spill' });
  for (const [i, { range, user }] of controller.session.state.viewers.entries()) {
    const at = range === null ? null : parseSheetRange(range);
    if (at?.sheet !== sheet) continue;
    marks.push({
      area: at.area,
      kind: 'other',
      color: MARK_COLORS[(i + 1) % MARK_COLORS.length] ?? MARK_COLORS[0],
      label: user.name,
    });
  }
  for (const area of controller.state.otherAreas) marks.push({ area, kind: 'extra' });
  marks.push(
    { area: controller.selectedArea, kind: 'range' },
    { area: controller.getCellArea(selection.active), kind: 'active' },
  );
  if (copied !== null && copied.sheet === sheet && copied.lastRevision === null && !copied.isSheetReplaced)
    marks.push({ area: copied.area, kind: 'copied' });
  if (fillTarget !== null) marks.push({ area: fillTarget, kind: 'filling' });
  if (sortPreview !== null) marks.push({ area: sortPreview, kind: 'reference', color: MARK_COLORS[0] });
  if (draft !== null) {
    for (const [i, found] of findReferences(draft.text).entries()) {
      if ((found.sheet ?? draft.sheet) !== sheet) continue;
      marks.push({ area: found.area, kind: 'reference', color: MARK_COLORS[i % MARK_COLORS.length] ?? MARK_COLORS[0] });
    }
  }
  return marks;
}

function createFilterHeader(controller: GridController): FilterHeader | null {
  const filter = getCurrentFilter(controller);
  if (filter === null) return null;
  return {
    area: filter.area,
    isOn: (column) => filter.columns.has(column),
    getLabel: (column) => {
      const heading = controller.getCell({ row: filter.top, column })?.m ?? '';
      return t.filter.button(heading === '' ? columnName(column) : heading, filter.columns.has(column));
    },
  };
}
