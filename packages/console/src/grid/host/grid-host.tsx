import { columnName } from '@cellwire/engine';
import { useEffect, useRef } from 'react';
import { t } from '../../text/index.ts';
import { comboboxOf, subscribeSuggestions } from '../cell-editor/suggestions.ts';
import type { Desk } from '../controller/grid-controller.ts';
import { referencesOf } from '../formula/formula-text.ts';
import { placeOf } from '../session/sheet-ranges.ts';
import { shownFilter } from '../sort-and-filter/filter-actions.ts';
import type { FilterHeader } from '../view/filter-buttons.ts';
import { GridView } from '../view/grid-view.ts';
import type { Mark } from '../view/marks-layer.ts';
import { listenToKeys } from './editor-events.ts';
import { type OpenMenu, viewEvents } from './view-events.ts';

interface GridHostProps {
  readonly desk: Desk;
  readonly onMenu: OpenMenu;
}

/** The place of the grid in the page: joins the view to what the person at it does. */
export function GridHost({ desk, onMenu }: GridHostProps) {
  const place = useRef<HTMLDivElement>(null);
  const menu = useRef(onMenu);
  menu.current = onMenu;
  useEffect(() => {
    const editor = newEditor();
    const view = new GridView(editor, desk.source, viewEvents(desk, menu), { grid: t.grid.label, all: t.grid.all });
    desk.view = view;
    place.current?.append(view.element);
    const update = () => show(desk, view, editor);
    let known = desk.cell(desk.state.selection.active);
    let knownFailure = desk.sheet.cells.failure;
    const drawn = () => {
      view.setShape(desk.shape);
      desk.cellsChanged();
      const cell = desk.cell(desk.state.selection.active);
      const { failure } = desk.sheet.cells;
      if (cell === known && failure === knownFailure) return;
      known = cell;
      knownFailure = failure;
      desk.become({});
    };
    const stops = [
      desk.subscribe(update),
      desk.book.subscribe(update),
      listenToKeys(desk, editor),
      subscribeSuggestions(() => describeEditor(desk, editor)),
    ];
    desk.book.onSheetDrawn = drawn;
    drawn();
    update();
    view.focus();
    return () => {
      for (const stop of stops) stop();
      desk.book.onSheetDrawn = () => {};
      desk.view = null;
      view.end();
    };
  }, [desk]);
  return <div ref={place} className="grid-place" />;
}

function newEditor(): HTMLTextAreaElement {
  const editor = document.createElement('textarea');
  editor.className = 'grid-editor';
  editor.rows = 1;
  editor.spellcheck = false;
  editor.autocapitalize = 'off';
  editor.autocomplete = 'off';
  editor.wrap = 'soft';
  return editor;
}

/** Colours of the references of a formula, and of other people. */
const COLORS = ['#2563eb', '#c2410c', '#7c3aed', '#15803d', '#be185d', '#0e7490'] as const;

function show(desk: Desk, view: GridView, editor: HTMLTextAreaElement): void {
  const { selection, draft, sheet } = desk.state;
  const isHere = draft !== null && draft.sheet === sheet;
  view.setFilter(headerOf(desk));
  view.setSelection(desk.area, desk.span(selection.active), marksOf(desk));
  const { row, column } = selection.active;
  editor.setAttribute('aria-label', t.grid.editing(sheet, row, column));
  editor.classList.toggle('editing', isHere);
  editor.classList.toggle('refused', isHere && draft.problem !== null);
  describeEditor(desk, editor);
  const text = isHere ? draft.text : '';
  if (editor.value !== text) {
    editor.value = text;
    const end = draft?.offer === undefined ? draft?.caret : text.length;
    if (isHere && draft.where === 'cell') editor.setSelectionRange(draft.caret, end ?? draft.caret);
  }
}

/** While a formula is typed the editor is the text field of the list of functions. */
function describeEditor(desk: Desk, editor: HTMLTextAreaElement): void {
  const attributes = comboboxOf(desk.state.draft, desk.state.draft?.where === 'cell');
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined) editor.removeAttribute(name);
    else editor.setAttribute(name, String(value));
  }
}

function marksOf(desk: Desk): readonly Mark[] {
  const { selection, draft, sheet, taken, spill, preview } = desk.state;
  const marks: Mark[] = [];
  if (spill !== null && spill.sheet === sheet) marks.push({ area: spill.area, kind: 'spill' });
  for (const [i, { range, user }] of desk.book.state.present.entries()) {
    const at = range === null ? null : placeOf(range);
    if (at?.sheet !== sheet) continue;
    marks.push({ area: at.area, kind: 'other', color: COLORS[(i + 1) % COLORS.length] ?? COLORS[0], label: user.name });
  }
  for (const area of desk.state.others) marks.push({ area, kind: 'also' });
  marks.push({ area: desk.area, kind: 'range' }, { area: desk.span(selection.active), kind: 'active' });
  if (taken !== null && taken.sheet === sheet) marks.push({ area: taken.area, kind: 'copied' });
  if (preview !== null) marks.push({ area: preview, kind: 'reference', color: COLORS[0] });
  if (draft !== null) {
    for (const [i, found] of referencesOf(draft.text).entries()) {
      if ((found.sheet ?? draft.sheet) !== sheet) continue;
      marks.push({ area: found.area, kind: 'reference', color: COLORS[i % COLORS.length] ?? COLORS[0] });
    }
  }
  return marks;
}

function headerOf(desk: Desk): FilterHeader | null {
  const filter = shownFilter(desk);
  if (filter === null) return null;
  return {
    area: filter.area,
    isOn: (column) => filter.columns.has(column),
    labelOf: (column) => {
      const heading = desk.cell({ row: filter.top, column })?.m ?? '';
      return t.filter.button(heading === '' ? columnName(column) : heading, filter.columns.has(column));
    },
  };
}
