import { type Area, columnName, contains, MAX_COLUMNS, MAX_ROWS } from '@cellwire/engine';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { tell } from '../../components/toasts.tsx';
import { copyWhenThere, readClipboard } from '../../data/clipboard.ts';
import type { Failure } from '../../data/http.ts';
import { numberText, t } from '../../text/index.ts';
import { withOffer } from '../cell-editor/autocomplete.ts';
import { isPointedByKeys, pointByKey } from '../cell-editor/pointing.ts';
import { comboboxOf, keyInSuggestions, subscribeSuggestions } from '../cell-editor/suggestions.ts';
import { PART_CELLS, Progress, readCells } from '../clipboard/bulk-transfer.ts';
import { type ClipboardTexts, paste } from '../clipboard/paste.ts';
import {
  type ClipboardForms,
  type CopiedPlaces,
  type CopiedTable,
  copiedTable,
  formsOf,
  OWN_TYPE,
  placesToCopy,
  tableOf,
} from '../clipboard-formats/copied-table.ts';
import { ARROWS, commandOf } from '../controller/commands.ts';
import type { Desk, DeskState } from '../controller/grid-controller.ts';
import { onlyOneArea, refusal } from '../controller/selected-areas.ts';
import { clearSelection, fillDownAlong, fillTo } from '../editing/cell-actions.ts';
import { fitSize, keepSize, setSize } from '../editing/line-sizes.ts';
import { type Draft, turnedReference } from '../formula/draft.ts';
import { referencesOf } from '../formula/formula-text.ts';
import { areaOf, selectionAt } from '../selection/selection.ts';
import { placeOf } from '../session/document-session.ts';
import { shownFilter } from '../sort-and-filter/filter-actions.ts';
import type { FilterHeader } from '../view/filter-buttons.ts';
import { GridView, type Mark, type ViewEvents } from '../view/grid-view.ts';
import type { Hit } from '../view/viewport.ts';

export function useDesk(desk: Desk): DeskState {
  return useSyncExternalStore(desk.subscribe, () => desk.state);
}

export function useBook(desk: Desk) {
  return useSyncExternalStore(desk.book.subscribe, () => desk.book.state);
}

interface GridHostProps {
  readonly desk: Desk;
  readonly onMenu: (on: Hit['on'], at: { readonly x: number; readonly y: number }) => void;
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
export const COLORS = ['#2563eb', '#c2410c', '#7c3aed', '#15803d', '#be185d', '#0e7490'] as const;

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

function areaOfHit({ on, row, column }: Hit): Area {
  const isRow = on === 'row' || on === 'corner';
  const isColumn = on === 'column' || on === 'corner';
  return {
    top: isColumn ? 0 : row,
    bottom: isColumn ? MAX_ROWS - 1 : row,
    left: isRow ? 0 : column,
    right: isRow ? MAX_COLUMNS - 1 : column,
  };
}

const KINDS = {
  row: 'rows',
  column: 'columns',
  corner: 'all',
  cell: 'cells',
  columnEdge: 'columns',
  rowEdge: 'rows',
} as const;

function viewEvents(desk: Desk, menu: { readonly current: GridHostProps['onMenu'] }): ViewEvents {
  let isPicking = false;
  let from: Hit | null = null;
  return {
    onDown: (hit, event) => {
      isPicking = desk.pick(areaOfHit(hit));
      from = hit;
      if (isPicking) return;
      if (desk.state.draft !== null) void desk.confirm();
      const kind = KINDS[hit.on];
      const { selection, others } = desk.state;
      const isMore = event.ctrlKey || event.metaKey;
      const next = event.shiftKey ? { ...selection, corner: hit, kind } : { ...selectionAt(desk.holder(hit)), kind };
      const kept = isMore && !event.shiftKey ? [...others, desk.area] : isMore || event.shiftKey ? others : [];
      desk.select(next, hit.on === 'cell' ? hit : null, kept);
      desk.view?.focus();
    },
    onDrag: (hit) => {
      if (isPicking && from !== null) {
        const [a, b] = [areaOfHit(from), areaOfHit({ ...hit, on: from.on })];
        desk.pick({
          top: Math.min(a.top, b.top),
          left: Math.min(a.left, b.left),
          bottom: Math.max(a.bottom, b.bottom),
          right: Math.max(a.right, b.right),
        });
        return;
      }
      const { selection } = desk.state;
      if (selection.corner.row === hit.row && selection.corner.column === hit.column) return;
      desk.select({ ...selection, corner: { row: hit.row, column: hit.column } }, null, desk.state.others);
    },
    onUp: () => {
      isPicking = false;
      desk.view?.focus();
    },
    onDoubleClick: (hit) => {
      if (hit.on === 'columnEdge') fitSize(desk, 'columns', hit.column);
      if (hit.on === 'rowEdge') fitSize(desk, 'rows', hit.row);
      if (hit.on === 'cell' && desk.canWrite && desk.state.draft === null) desk.begin(null, 'cell');
    },
    onMenu: (hit, at) => {
      const areas = [areaOf(desk.state.selection), ...desk.state.others];
      const isInside = areas.some((area) => contains(area, hit.row, hit.column));
      if (!isInside || hit.on !== 'cell') desk.select({ ...selectionAt(desk.holder(hit)), kind: KINDS[hit.on] }, null);
      menu.current(hit.on, at);
    },
    onSeen: (area) => desk.sheet.cells.want(area),
    onLineSize: (axis, line, size, isDone) =>
      isDone ? void keepSize(desk, axis, line, size) : setSize(desk, axis, line, size),
    onFill: (to) => report(desk, fillTo(desk, to)),
    onFillAlong: () => report(desk, fillDownAlong(desk)),
    onFilter: (column) => openFilter(desk, column),
  };
}

/** Asks about a column of the filter: its header becomes the active cell. */
function openFilter(desk: Desk, column: number): void {
  const filter = shownFilter(desk);
  if (filter === null) return;
  desk.select(selectionAt({ row: filter.top, column }));
  desk.onCommand({ kind: 'filter' });
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

function report(desk: Desk, outcome: Promise<Failure | null>): void {
  void outcome.then((failure) => failure !== null && desk.onFailure(failure));
}

/** The editor has the focus all the time: the first character of a draft is typed into it like any other. */
function listenToKeys(desk: Desk, editor: HTMLTextAreaElement): () => void {
  const stop = new AbortController();
  const on = <K extends keyof HTMLElementEventMap>(name: K, listener: (event: HTMLElementEventMap[K]) => void) =>
    editor.addEventListener(name, listener, { signal: stop.signal });
  on('input', (event) => {
    if (desk.state.draft === null && !desk.canWrite) {
      editor.value = '';
      return desk.onCommand({ kind: 'edit' });
    }
    desk.type(editor.value, editor.selectionStart, 'cell');
    const isTyped = event instanceof InputEvent && event.inputType === 'insertText' && !event.isComposing;
    const { draft } = desk.state;
    if (isTyped && draft !== null && draft.caret === draft.text.length) desk.become({ draft: withOffer(desk, draft) });
  });
  on('select', () => followCaret(desk, editor));
  on('keyup', () => followCaret(desk, editor));
  on('click', () => followCaret(desk, editor));
  on('keydown', (event) => {
    if (event.isComposing) return;
    const { draft } = desk.state;
    const isTaken = draft === null ? runKey(desk, event) : keyInDraft(desk, draft, event);
    if (isTaken) event.preventDefault();
  });
  on('copy', (event) => take(desk, event, false));
  on('cut', (event) => take(desk, event, true));
  /** Whether the paste that follows is to be of values alone: the event does not tell which keys it comes from. */
  let isValues = false;
  on('keydown', ({ code, ctrlKey, metaKey, shiftKey }) => {
    isValues = code === 'KeyV' && shiftKey && (ctrlKey || metaKey);
  });
  on('paste', (event) => {
    if (desk.state.draft !== null) return;
    event.preventDefault();
    if (!desk.canWrite) return desk.onCommand({ kind: 'edit' });
    const given = (type: string) => event.clipboardData?.getData(type) ?? '';
    const forms = { text: given('text/plain'), html: given('text/html'), own: given(OWN_TYPE) };
    report(desk, isValues ? pasteValues(desk, forms) : paste(desk, forms));
  });
  return () => stop.abort();
}

/** Browsers give such a paste nothing but the text: the other forms are read where the page may. */
export async function pasteValues(desk: Desk, given?: ClipboardTexts): Promise<Failure | null> {
  const isKnown = given !== undefined && (given.html || given.own || desk.state.taken?.text === given.text);
  const read = isKnown ? null : await readClipboard();
  const forms = read ?? given;
  return forms === undefined ? refusal(t.grid.pasteHint) : paste(desk, forms, true);
}

function followCaret(desk: Desk, editor: HTMLTextAreaElement): void {
  const { draft } = desk.state;
  if (draft?.where !== 'cell' || draft.caret === editor.selectionStart) return;
  desk.become({ draft: { ...draft, caret: editor.selectionStart, picked: null } });
}

function runKey(desk: Desk, event: KeyboardEvent): boolean {
  const command = commandOf(event);
  if (command === null) return false;
  if (command.kind === 'clear') {
    if (!desk.canWrite) desk.onCommand({ kind: 'edit' });
    else report(desk, clearSelection(desk));
  } else desk.run(command);
  return true;
}

/** Arrow keys point at cells, Ctrl+PageUp and Ctrl+PageDown go to another sheet for them. */
function keyWhilePointing(
  desk: Desk,
  draft: Draft,
  {
    key,
    shiftKey,
    altKey,
    ctrlKey,
    metaKey,
  }: Pick<KeyboardEvent, 'key' | 'altKey' | 'shiftKey' | 'ctrlKey' | 'metaKey'>,
): boolean {
  const far = ctrlKey || metaKey;
  const to = ARROWS[key];
  if (to !== undefined && !altKey) {
    pointByKey(desk, draft, { to, extend: shiftKey, far });
    return true;
  }
  if (!far || (key !== 'PageUp' && key !== 'PageDown')) return false;
  desk.run({ kind: 'sheet', step: key === 'PageDown' ? 1 : -1 });
  return true;
}

/** Keys that end a draft or change it as a whole; others are the text's own. */
export function keyInDraft(
  desk: Desk,
  draft: Draft,
  event: Pick<KeyboardEvent, 'key' | 'altKey' | 'shiftKey' | 'ctrlKey' | 'metaKey'>,
): boolean {
  if (keyInSuggestions(desk, event)) return true;
  if (isPointedByKeys(draft) && keyWhilePointing(desk, draft, event)) return true;
  const step = event.shiftKey ? -1 : 1;
  switch (event.key) {
    case 'Escape':
      desk.cancel();
      return true;
    case 'Enter':
      if (event.altKey) {
        const { text, caret } = draft;
        desk.type(`${text.slice(0, caret)}\n${text.slice(caret)}`, caret + 1, draft.where);
        return true;
      }
      void desk.confirm();
      desk.step('column', step);
      return true;
    case 'Tab':
      void desk.confirm();
      desk.step('row', step);
      return true;
    case 'F2':
      desk.become({ draft: { ...draft, isQuick: !draft.isQuick } });
      return true;
    case 'F4':
      desk.become({ draft: turnedReference(draft) });
      return true;
  }
  const arrow = ARROWS[event.key];
  const isLeaving = arrow !== undefined && draft.isQuick && draft.where === 'cell' && !draft.text.startsWith('=');
  if (!isLeaving) return false;
  void desk.confirm();
  desk.run({ kind: 'move', to: arrow, extend: false, far: false });
  return true;
}

function take(desk: Desk, event: ClipboardEvent, isCut: boolean): void {
  if (desk.state.draft !== null) return;
  event.preventDefault();
  if (isCut && !desk.canWrite) return desk.onCommand({ kind: 'edit' });
  const { sheet } = desk.state;
  const refused = isCut ? onlyOneArea(desk) : null;
  if (refused !== null) return desk.onFailure(refused);
  const places = placesToCopy(desk);
  if (typeof places === 'string') return desk.onFailure(refusal(places));
  const keep = (table: CopiedTable, { text }: ClipboardForms) =>
    desk.become({ taken: { sheet, area: places.area, isCut, text, table } });
  const known = copiedTable(desk, places);
  if (known !== null) {
    const forms = formsAt(desk, known, places);
    event.clipboardData?.setData('text/plain', forms.text);
    event.clipboardData?.setData('text/html', forms.html);
    event.clipboardData?.setData(OWN_TYPE, forms.own);
    return keep(known, forms);
  }
  const progress = isLarge(places) ? new Progress(desk, 'copy', cellsOf(places)) : null;
  const coming = fetchedTable(desk, places, progress);
  const forms = coming.then((table) => (table === null ? null : formsAt(desk, table, places)));
  void copyWhenThere(forms).then(async (isCopied) => {
    const [table, all] = [await coming, await forms];
    progress?.end();
    if (isCopied && table !== null && all !== null) {
      keep(table, all);
      if (progress !== null) tell('good', t.grid.copied(numberText(cellsOf(places))));
    } else if (progress?.isCancelled !== true) tell('bad', t.grid.notCopied);
  });
}

function cellsOf({ rows, columns }: CopiedPlaces): number {
  return rows.length * columns.length;
}

/** Whether cells are read in parts, and not kept. */
function isLarge(places: CopiedPlaces): boolean {
  return cellsOf(places) > PART_CELLS;
}

/** `progress`: of a table that is read in parts. */
async function fetchedTable(desk: Desk, places: CopiedPlaces, progress: Progress | null): Promise<CopiedTable | null> {
  if (progress !== null) {
    const cells = await readCells(desk, places, progress);
    return cells === null ? null : tableOf(desk, places, cells);
  }
  return (await desk.sheet.cells.fetched(places.area)) ? copiedTable(desk, places) : null;
}

function formsAt(desk: Desk, table: CopiedTable, { rows, columns }: CopiedPlaces): ClipboardForms {
  const { cells } = desk.sheet;
  return formsOf(table, (row, column) => cells.look(rows[row] ?? 0, columns[column] ?? 0));
}
