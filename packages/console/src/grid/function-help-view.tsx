import { useEffect, useState } from 'react';
import { language, t } from '../text/index.ts';
import type { Desk } from './desk.ts';
import { marksOf } from './drafts.ts';
import { typingAt } from './formula-text.ts';
import { beginningWith, type FunctionInfo, functionInfos, shownArgument } from './function-help.ts';
import { KINDS, WHAT } from './function-texts.ts';
import { useDesk } from './grid-host.tsx';
import { suggest, takeSuggestion } from './suggestion.ts';

const MOST_SUGGESTIONS = 8;

/** While a formula is typed: functions that begin so, or the arguments of the call that the caret is in. */
export function FunctionHelp({ desk }: { readonly desk: Desk }) {
  const { draft } = useDesk(desk);
  const [infos, setInfos] = useState<ReadonlyMap<string, FunctionInfo> | null>(null);
  const isFormula = draft?.text.startsWith('=') === true;
  useEffect(() => {
    if (isFormula) void functionInfos().then(setInfos);
  }, [isFormula]);
  suggest(null);
  if (draft === null || infos === null || !isFormula) return null;
  const { separator } = marksOf(desk.book.locale);
  const { word, call } = typingAt(draft.text, draft.caret, separator);
  const found = word === null ? [] : beginningWith(infos, word.text, MOST_SUGGESTIONS);
  suggest(found[0] ?? null);
  if (found.length > 0) {
    return (
      <div className="function-help" role="listbox" aria-label={t.grid.suggestions}>
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
            <span className="hint">{whatOf(info)}</span>
            {place === 0 ? <kbd>Tab</kbd> : null}
          </button>
        ))}
      </div>
    );
  }
  const info = call === null ? undefined : infos.get(call.name);
  return info === undefined || call === null ? null : (
    <div className="function-help call" role="status">
      <Signature info={info} argument={call.argument} separator={separator} />
      <span className="hint">{whatOf(info)}</span>
    </div>
  );
}

/** A call of the function with its arguments' kinds, the one being typed in bold. */
function Signature({ info, argument, separator }: { info: FunctionInfo; argument: number; separator: string }) {
  const kinds = [...info.args, ...info.rest.map((kind) => `[${kind.replace(/[[\]]/g, '')}]`)].map(kindText);
  const at = shownArgument(info, argument);
  const before = kinds.slice(0, at).map((kind) => `${kind}${separator} `);
  const after = kinds.slice(at + 1).map((kind) => `${separator} ${kind}`);
  return (
    <code>
      {info.name}({before.join('')}
      <b>{kinds[at] ?? ''}</b>
      {after.join('')}
      {info.rest.length > 0 ? `${separator} …` : ''})
    </code>
  );
}

function kindText(kind: string): string {
  const bare = kind.replace(/[[\]]/g, '');
  const text = KINDS[bare]?.[language] ?? bare;
  return kind.startsWith('[') ? `[${text}]` : text;
}

/** What a function does; of one without a text of its own, what family it is of. */
export function whatOf({ name, family }: FunctionInfo): string {
  return (WHAT[name] ?? WHAT[`family ${family}`])?.[language] ?? '';
}
