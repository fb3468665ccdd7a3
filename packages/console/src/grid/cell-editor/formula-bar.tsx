import { cellText } from '@cellwire/engine';
import { type KeyboardEvent, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { t } from '../../text/index.ts';
import type { Desk } from '../controller/grid-controller.ts';
import { useDesk } from '../controller/use-controller.ts';
import { textToEdit } from '../formula/cell-text.ts';
import { selectionText } from '../selection/selection.ts';
import { keyInDraft } from './draft-keys.ts';
import { FunctionHelp } from './function-help.tsx';
import { goToText } from './go-to.ts';
import { comboboxOf, subscribeSuggestions, suggestions } from './suggestions.ts';

/** The selected range, and what the active cell holds: `f` or `v` to edit, beside it what it shows. */
export function FormulaBar({ desk }: { readonly desk: Desk }) {
  const { sheet, selection, draft, spill } = useDesk(desk);
  const field = useRef<HTMLTextAreaElement>(null);
  const cell = desk.cell(selection.active);
  // A cell that shows a result of a formula elsewhere has none to edit: that one is shown, greyed.
  const source = draft === null && cell?.f === undefined && spill?.sheet === sheet ? spill : null;
  const text = source?.formula ?? draft?.text ?? textToEdit(cell, desk.habits);
  useEffect(() => {
    const { current } = field;
    if (current === null || draft?.where !== 'bar') return;
    // On another sheet the formula is typed on here.
    if (draft.sheet !== sheet) current.focus({ preventScroll: true });
    if (document.activeElement === current) current.setSelectionRange(draft.caret, draft.caret);
  }, [draft, sheet]);
  useSyncExternalStore(subscribeSuggestions, suggestions);
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    event.stopPropagation();
    if (draft === null || event.nativeEvent.isComposing) return;
    if (keyInDraft(desk, draft, event)) event.preventDefault();
  };
  const isShownElse = draft === null && cell !== null && cell !== undefined && cell.m !== text;
  return (
    <div className="formula-bar">
      <RangeBox desk={desk} />
      <div className="formula-field">
        <textarea
          ref={field}
          className={source === null ? 'input' : 'input elsewhere'}
          rows={1}
          aria-label={t.grid.bar}
          {...comboboxOf(draft, draft?.where === 'bar')}
          spellCheck={false}
          readOnly={!desk.canWrite}
          value={text}
          onFocus={() => {
            if (desk.canWrite && draft === null) desk.begin(null, 'bar');
          }}
          onChange={({ currentTarget }) => desk.type(currentTarget.value, currentTarget.selectionStart, 'bar')}
          onSelect={({ currentTarget }) => {
            const { draft: now } = desk.state;
            if (now === null || now.caret === currentTarget.selectionStart) return;
            // Who clicks into the text edits it: arrow keys move within it from then on.
            const isQuick = now.isQuick && now.where === 'bar';
            desk.become({
              draft: { ...now, caret: currentTarget.selectionStart, where: 'bar', isQuick, picked: null },
            });
          }}
          onKeyDown={onKeyDown}
        />
        <FunctionHelp desk={desk} />
      </div>
      {source === null ? null : (
        <button
          type="button"
          className="range-link"
          title={t.grid.spilled}
          onClick={() => {
            desk.goTo({ row: source.area.top, column: source.area.left });
            desk.view?.focus();
          }}
        >
          {cellText(source.area.top, source.area.left)}
        </button>
      )}
      {isShownElse ? (
        <span className="shown-as" title={t.grid.shown}>
          {cell.m}
        </span>
      ) : null}
      {cell?.error !== undefined && draft === null ? <span className="problem why">{cell.error.message}</span> : null}
      {draft?.problem != null ? (
        <span className="problem why" role="alert">
          {t.grid.refused(draft.problem)}
        </span>
      ) : null}
    </div>
  );
}

function RangeBox({ desk }: { readonly desk: Desk }) {
  const { selection } = useDesk(desk);
  const [typed, setTyped] = useState<string | null>(null);
  const [isWrong, setWrong] = useState(false);
  const leave = () => {
    setTyped(null);
    setWrong(false);
  };
  return (
    <input
      className="input range-box"
      aria-label={t.grid.box}
      aria-invalid={isWrong}
      spellCheck={false}
      value={typed ?? selectionText(selection)}
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={leave}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Escape') desk.view?.focus();
        if (event.key !== 'Enter') return;
        // The key would go on to what has the focus by then: the cell's editor.
        event.preventDefault();
        const isGone = goToText(desk, event.currentTarget.value) === null;
        setWrong(!isGone);
        if (!isGone) return;
        leave();
        desk.view?.focus();
      }}
    />
  );
}
