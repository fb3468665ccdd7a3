import { type CSSProperties, useEffect, useState } from 'react';
import { language, t } from '../text/index.ts';
import type { Desk } from './desk.ts';
import { marksOf } from './drafts.ts';
import { typingAt } from './formula-text.ts';
import { beginningWith, type FunctionInfo, functionInfos, shownArgument, shownArguments } from './function-help.ts';
import { useDesk } from './grid-host.tsx';
import { suggest, takeSuggestion } from './suggestion.ts';

const MOST_SUGGESTIONS = 8;

/** While a formula is typed: functions that begin so, or the arguments of the call that the caret is in. */
export function FunctionHelp({ desk }: { readonly desk: Desk }) {
  const { draft } = useDesk(desk);
  const [infos, setInfos] = useState<ReadonlyMap<string, FunctionInfo> | null>(null);
  const isFormula = draft?.text.startsWith('=') === true;
  useEffect(() => {
    if (isFormula) void functionInfos(language).then(setInfos);
  }, [isFormula]);
  suggest(null);
  if (draft === null || infos === null || !isFormula) return null;
  const { separator } = marksOf(desk.book.locale);
  const { word, call } = typingAt(draft.text, draft.caret, separator);
  const found = word === null ? [] : beginningWith(infos, word.text, MOST_SUGGESTIONS);
  suggest(found[0] ?? null);
  if (found.length > 0) {
    return (
      <div className="function-help" style={placeOf(desk)} role="listbox" aria-label={t.grid.suggestions}>
        {found.map((info, place) => (
          <button
            key={info.name}
            type="button"
            role="option"
            aria-selected={place === 0}
            tabIndex={-1}
            onPointerDown={(event) => {
              event.preventDefault();
              takeSuggestion(desk, info);
            }}
          >
            <b>{info.name}</b>
            <span className="hint">{info.what}</span>
            {place === 0 ? <kbd>Tab</kbd> : null}
          </button>
        ))}
      </div>
    );
  }
  const info = call === null ? undefined : infos.get(call.name);
  return info === undefined || call === null ? null : (
    <div className="function-help call" style={placeOf(desk)} role="status">
      <Signature info={info} argument={call.argument} separator={separator} />
      <span className="hint">{info.what}</span>
    </div>
  );
}

/** Pixels of the largest help, and around it. */
const WIDTH = 560;
const HEIGHT = 280;
const AROUND = 8;

/** Below the cell that is typed into, or above it where the window ends; a draft of the formula bar has it there. */
function placeOf({ state: { draft, sheet }, view }: Desk): CSSProperties {
  if (draft?.where !== 'cell' || draft.sheet !== sheet || view === null) return {};
  const { row, column } = draft.place;
  const box = view.viewport.box({ top: row, left: column, bottom: row, right: column });
  if (box === null) return {};
  const grid = view.element.getBoundingClientRect();
  const top = grid.top + box.y;
  const left = Math.max(AROUND, Math.min(grid.left + box.x, innerWidth - WIDTH - AROUND));
  const isAbove = top + box.height + HEIGHT > innerHeight && top > HEIGHT;
  const side = isAbove ? { top: 'auto', bottom: innerHeight - top + AROUND } : { top: top + box.height + AROUND };
  return { position: 'fixed', left, right: 'auto', maxWidth: innerWidth - 2 * AROUND, ...side };
}

/** A call of the function with its arguments, the one being typed in bold. */
function Signature({ info, argument, separator }: { info: FunctionInfo; argument: number; separator: string }) {
  const names = shownArguments(info);
  const at = shownArgument(info, argument);
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
