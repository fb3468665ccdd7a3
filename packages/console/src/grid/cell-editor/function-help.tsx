import { type CSSProperties, useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { language, t } from '../../text/index.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { useGridState } from '../controller/use-controller.ts';
import { type CaretContext, getFormulaSeparators, parseCaretContext } from '../formula/formula-text.ts';
import {
  type FunctionInfo,
  findFunctions,
  findShownArgument,
  listShownArguments,
  loadFunctionInfos,
} from '../formula/function-info.ts';
import { getLocalNames, loadLocalNames, toNameKey } from '../formula/typed-formula.ts';
import {
  formatSuggestionId,
  getSuggestions,
  insertSuggestion,
  offerSuggestions,
  SUGGESTION_LIST,
  subscribeSuggestions,
} from './suggestions.ts';

const MAX_SUGGESTIONS = 8;

/** Suggestions for a function name, or the arguments of the call at the caret. */
export function FunctionHelp({ controller }: { readonly controller: GridController }) {
  const { draft } = useGridState(controller);
  const [infos, setInfos] = useState<ReadonlyMap<string, FunctionInfo>>(NO_INFOS);
  const { functions, marked } = useSyncExternalStore(subscribeSuggestions, getSuggestions);
  const isFormula = draft?.text.startsWith('=') === true;
  // Loaded with the document, because formulas can be typed offline.
  useEffect(() => {
    void loadFunctionInfos(language).then(setInfos);
    void loadLocalNames();
  }, []);
  const { locale } = controller.session;
  const { separator } = getFormulaSeparators(locale);
  const { word, call } = draft === null ? NO_CARET_CONTEXT : parseCaretContext(draft.text, draft.caret, separator);
  const prefix = isFormula ? (word?.text ?? '') : '';
  const text = draft?.text ?? '';
  useLayoutEffect(() => {
    const names = getLocalNames(locale);
    offerSuggestions(prefix === '' ? [] : findFunctions(infos, prefix, MAX_SUGGESTIONS, names), text);
  }, [infos, prefix, text, locale]);
  if (draft === null || !isFormula) return null;
  if (functions.length > 0) return <SuggestionList controller={controller} functions={functions} marked={marked} />;
  const name = call === null ? '' : (getLocalNames(locale).get(toNameKey(call.name)) ?? call.name);
  const info = infos.get(name);
  return info === undefined || call === null ? null : (
    <div className="function-help call" style={computePopupStyle(controller)} role="status">
      <Signature info={info} argument={call.argument} separator={separator} />
      <span className="hint">{info.what}</span>
    </div>
  );
}

const NO_INFOS: ReadonlyMap<string, FunctionInfo> = new Map();
const NO_CARET_CONTEXT: CaretContext = { word: null, call: null };

interface SuggestionListProps {
  readonly controller: GridController;
  readonly functions: readonly FunctionInfo[];
  readonly marked: number;
}

function SuggestionList({ controller, functions, marked }: SuggestionListProps) {
  return (
    <div
      id={SUGGESTION_LIST}
      className="function-help"
      style={computePopupStyle(controller)}
      role="listbox"
      aria-label={t.grid.suggestions}
    >
      {functions.map((info, place) => (
        <button
          key={info.name}
          id={formatSuggestionId(place)}
          type="button"
          role="option"
          aria-selected={place === marked}
          tabIndex={-1}
          onPointerDown={(event) => {
            event.preventDefault();
            insertSuggestion(controller, info);
          }}
        >
          <b>{info.name}</b>
          <span className="hint">{info.what}</span>
          {place === marked ? <kbd>Tab</kbd> : null}
        </button>
      ))}
    </div>
  );
}

/** Size and margin of the popup, in pixels. */
const POPUP_WIDTH = 560;
const POPUP_HEIGHT = 280;
const POPUP_MARGIN = 8;

/** Places the popup below the edited cell, or above it near the window's bottom. CSS places it for the formula bar. */
function computePopupStyle({ state: { draft, sheet }, view }: GridController): CSSProperties {
  if (draft?.where !== 'cell' || draft.sheet !== sheet || view === null) return {};
  const { row, column } = draft.position;
  const box = view.viewport.computeVisibleBox({ top: row, left: column, bottom: row, right: column });
  if (box === null) return {};
  const grid = view.element.getBoundingClientRect();
  const top = grid.top + box.y;
  const left = Math.max(POPUP_MARGIN, Math.min(grid.left + box.x, innerWidth - POPUP_WIDTH - POPUP_MARGIN));
  const isAbove = top + box.height + POPUP_HEIGHT > innerHeight && top > POPUP_HEIGHT;
  const side = isAbove
    ? { top: 'auto', bottom: innerHeight - top + POPUP_MARGIN }
    : { top: top + box.height + POPUP_MARGIN };
  return { position: 'fixed', left, right: 'auto', maxWidth: innerWidth - 2 * POPUP_MARGIN, ...side };
}

/** A call of the function. The argument at the caret is bold. */
function Signature({ info, argument, separator }: { info: FunctionInfo; argument: number; separator: string }) {
  const names = listShownArguments(info);
  const at = findShownArgument(info, argument);
  const before = names.slice(0, at).map((name) => `${name}${separator} `);
  const after = names.slice(at + 1).map((name) => `${separator} ${name}`);
  return (
    <code>
      {info.name}({before.join('')}
      <b>{names[at] ?? ''}</b>
      {after.join('')}
      {info.rest.length > 0 ? `${separator} …` : ''})
    </code>
  );
}
