import { areaText, quoteSheetName } from '@cellwire/engine';
import { type FormEvent, useRef, useState } from 'react';
import { Checkbox, Field } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { describeFailure } from '../../components/states.tsx';
import { API, createFailure, type Failure, parseBody } from '../../data/http.ts';
import { t } from '../../text/index.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { MAX_OPERATIONS } from '../editing/cell-edits.ts';
import type { GridPosition } from '../selection/selection.ts';
import { isFilteredOut, splitVisibleAreas } from '../selection/visible-rows.ts';
import { formatSheetRange } from '../session/sheet-ranges.ts';

interface SearchOptions {
  readonly text: string;
  readonly matchCase: boolean;
  readonly entire: boolean;
}

/** Finds display texts, and replaces cell contents. */
export function FindBar({
  controller,
  onClose,
}: {
  readonly controller: GridController;
  readonly onClose: () => void;
}) {
  const form = useRef<HTMLFormElement>(null);
  const [message, setMessage] = useState('');
  const [isBusy, setBusy] = useState(false);
  const readOptions = (): SearchOptions & { with: string; formulas: boolean } => {
    const data = new FormData(form.current ?? undefined);
    return {
      text: String(data.get('find') ?? ''),
      with: String(data.get('with') ?? ''),
      matchCase: data.has('case'),
      entire: data.has('entire'),
      formulas: data.has('formulas'),
    };
  };
  const find = async (event: FormEvent) => {
    event.preventDefault();
    if (readOptions().text === '' || isBusy) return;
    const { selectionCount } = controller;
    const { sheet } = controller.state;
    setBusy(true);
    setMessage(t.find.searching);
    const found = await findMatchOnPage(controller, sheet, readOptions());
    setBusy(false);
    if (found !== null && 'ok' in found) return setMessage(describeFailure(found));
    // The sheet and the selection stay if the person has changed them since.
    const isUntouched = controller.state.sheet === sheet && controller.selectionCount === selectionCount;
    setMessage(found === null && isUntouched ? t.find.none : '');
    if (found !== null && isUntouched) controller.goTo(found);
  };
  const replace = async () => {
    const { text, with: other, matchCase, entire, formulas } = readOptions();
    const { rows, columns } = controller.sheet.shape;
    if (isBusy) return;
    if (text === '' || rows === 0) return setMessage(t.find.none);
    const { sheet, filter } = controller.state;
    const all = { top: 0, left: 0, bottom: rows - 1, right: columns - 1 };
    const areas = splitVisibleAreas(filter, sheet, [all]);
    if (areas.length > MAX_OPERATIONS) return setMessage(t.grid.tooManyAreas(MAX_OPERATIONS));
    const request = { find: text, with: other, matchCase, entireCell: entire, formulas };
    const operations = areas.map((area) => ({ replace: { range: formatSheetRange(sheet, area), ...request } }));
    const { revision: base } = controller.session.revisions;
    setBusy(true);
    setMessage(t.find.replacing);
    // A dry run first detects whether there are matches: a replacement without matches must not create a revision.
    const tried = await controller.session.previewStructure(operations, base);
    const answer =
      tried.ok && countReplacedCells(tried.value) > 0
        ? await controller.session.changeStructure(operations, base)
        : tried;
    setBusy(false);
    if (!answer.ok) return setMessage(describeFailure(answer));
    const count = countReplacedCells(answer.value);
    setMessage(count === 0 ? t.find.none : t.find.replaced(count));
  };
  return (
    <form
      ref={form}
      className="find-bar"
      onSubmit={(event) => void find(event)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Escape') onClose();
      }}
    >
      <div className="row">
        <Field label={t.find.find} name="find" autoFocus autoComplete="off" />
        {controller.session.canEdit ? <Field label={t.find.replace} name="with" autoComplete="off" /> : null}
      </div>
      <div className="row">
        <Checkbox name="case" label={t.find.matchCase} />
        <Checkbox name="entire" label={t.find.entire} />
        {controller.session.canEdit ? <Checkbox name="formulas" label={t.find.formulas} /> : null}
      </div>
      <div className="row">
        <button type="submit" className="button primary">
          {t.find.next}
        </button>
        {controller.session.canEdit ? (
          <button type="button" className="button" onClick={() => void replace()}>
            {t.find.all}
          </button>
        ) : null}
        <span role="status">{message}</span>
      </div>
      <button type="button" className="button quiet icon-only close" aria-label={t.close} onClick={onClose}>
        <Icon name="close" />
      </button>
    </form>
  );
}

/** Returns the number of replaced cells in the service's answer. */
function countReplacedCells(answer: unknown): number {
  const { structure } = answer as { structure?: { operations?: readonly { cells?: number }[] } };
  return (structure?.operations ?? []).reduce((sum, { cells = 0 }) => sum + cells, 0);
}

/** A match; null if there is none. */
type SearchResult = GridPosition | null | Failure;

/** How often the search is repeated while cells move. */
const MAX_SEARCHES = 5;

/**
 * The next matching cell of a sheet, at its present position on the page. It may have moved since the service answered.
 * Null if the person leaves the sheet meanwhile.
 */
async function findMatchOnPage(
  controller: GridController,
  sheet: string,
  options: SearchOptions,
): Promise<SearchResult> {
  const isFound = createMatcher(options);
  for (let attempt = 1; controller.state.sheet === sheet; attempt++) {
    const found = await requestNextMatch(controller, options);
    if (found === null || 'ok' in found || controller.state.sheet !== sheet) return found;
    const { row, column } = found;
    await controller.sheet.cells.ensureLoaded({ top: row, bottom: row, left: column, right: column });
    const text = controller.getCell(found)?.m;
    if ((text !== undefined && isFound(text)) || attempt === MAX_SEARCHES) return found;
    await controller.session.revisions.catchUp();
  }
  return null;
}

/** The next matching cell after the active one, row by row, then from the start. */
async function requestNextMatch(controller: GridController, options: SearchOptions): Promise<SearchResult> {
  const { sheet } = controller.state;
  const { rows, columns } = controller.sheet.shape;
  const { active } = controller.state.selection;
  if (rows === 0) return null;
  const { filter } = controller.state;
  const isFound = createMatcher(options);
  const isMatch = (cell: string, { row }: GridPosition) => isFound(cell) && !isFilteredOut(filter, sheet, row);
  const searchBetween = (top: number, bottom: number, isWanted: (cell: string, position: GridPosition) => boolean) => {
    if (bottom < top) return null;
    const range = `${quoteSheetName(sheet)}!${areaText({ top, bottom, left: 0, right: Math.max(0, columns - 1) })}`;
    const path = `${API}/documents/${controller.session.id}/values/${encodeURIComponent(range)}?render=display`;
    return searchRows(path, top, isWanted);
  };
  const after = await searchBetween(active.row, rows - 1, (cell, position) => {
    const isAfter = position.row > active.row || position.column > active.column;
    return isAfter && isMatch(cell, position);
  });
  return after ?? searchBetween(0, Math.min(active.row, rows - 1), isMatch);
}

/** Returns a function that tests whether a displayed text matches the search. */
function createMatcher({ text, matchCase, entire }: SearchOptions): (cell: string) => boolean {
  const foldCase = (value: string) => (matchCase ? value : value.toLowerCase());
  const searched = foldCase(text);
  return (cell) => (entire ? foldCase(cell) === searched : foldCase(cell).includes(searched));
}

/** Reads rows as NDJSON until a cell matches, then aborts the response. */
async function searchRows(
  path: string,
  top: number,
  matches: (cell: string, position: GridPosition) => boolean,
): Promise<SearchResult> {
  const stop = new AbortController();
  const response = await fetch(path, { headers: { accept: 'application/x-ndjson' }, signal: stop.signal }).catch(
    () => null,
  );
  if (response === null || response.body === null) return UNREACHABLE;
  if (!response.ok) return createFailure(response.status, parseBody(await response.text()));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let row = top; ; ) {
    const part = await reader.read().catch(() => null);
    if (part === null) return UNREACHABLE;
    if (part.done) return null;
    const lines = (rest + part.value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const cells: unknown = JSON.parse(line);
      if (!Array.isArray(cells)) return null;
      for (const [column, cell] of cells.entries()) {
        if (cell === null || !matches(String(cell), { row, column })) continue;
        stop.abort();
        return { row, column };
      }
      row++;
    }
  }
}

/** The failure of a search whose answer does not arrive, or ends too early. */
const UNREACHABLE = createFailure(0, {});
