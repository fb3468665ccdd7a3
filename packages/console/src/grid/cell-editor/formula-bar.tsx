import { cellText } from '@cellwire/engine';
import { type KeyboardEvent, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { t, translateServiceText } from '../../text/index.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { useGridState } from '../controller/use-controller.ts';
import { createEditText } from '../formula/cell-text.ts';
import { formatSelection } from '../selection/selection.ts';
import { handleDraftKey } from './draft-keys.ts';
import { FunctionHelp } from './function-help.tsx';
import { selectByName } from './go-to.ts';
import { createComboboxAttributes, getSuggestions, subscribeSuggestions } from './suggestions.ts';

/** The selected range and the content of the active cell, with its displayed value beside it. */
export function FormulaBar({ controller }: { readonly controller: GridController }) {
  const { sheet, selection, draft, spill } = useGridState(controller);
  const field = useRef<HTMLTextAreaElement>(null);
  const cell = controller.isSelectionDeleted ? null : controller.getCell(selection.active);
  // A cell inside an array of results shows the formula of the array in grey.
  const source = draft === null && cell?.f === undefined && spill?.sheet === sheet ? spill : null;
  const text = source?.formula ?? draft?.text ?? createEditText(cell, controller.inputLocale);
  useEffect(() => {
    const { current } = field;
    if (current === null || draft?.where !== 'bar') return;
    // A formula that points at another sheet is edited in the bar.
    if (draft.sheet !== sheet) current.focus({ preventScroll: true });
    if (document.activeElement === current) current.setSelectionRange(draft.caret, draft.caret);
  }, [draft, sheet]);
  useSyncExternalStore(subscribeSuggestions, getSuggestions);
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    event.stopPropagation();
    // A field that is read-only has no input events.
    const isTyping = event.key.length === 1 && !event.ctrlKey && !event.metaKey;
    if (!controller.canWrite && isTyping) return controller.onCommand({ kind: 'edit' });
    if (draft === null || event.nativeEvent.isComposing) return;
    if (handleDraftKey(controller, draft, event)) event.preventDefault();
  };
  const isShownElse = draft === null && cell !== null && cell !== undefined && cell.m !== text;
  return (
    <div className="formula-bar">
      <RangeBox controller={controller} />
      <div className="formula-field">
        <textarea
          ref={field}
          className={source === null ? 'input' : 'input spilled'}
          rows={1}
          aria-label={t.grid.bar}
          {...createComboboxAttributes(draft, draft?.where === 'bar')}
          spellCheck={false}
          readOnly={!controller.canWrite}
          value={text}
          onFocus={() => {
            if (controller.canWrite && draft === null) controller.beginEditing(null, 'bar');
          }}
          onChange={({ currentTarget }) =>
            controller.typeText(currentTarget.value, currentTarget.selectionStart, 'bar')
          }
          onSelect={({ currentTarget }) => {
            const { draft: now } = controller.state;
            if (now === null || now.caret === currentTarget.selectionStart) return;
            // A click into the text starts editing: arrow keys then move the caret.
            const isQuick = now.isEnterMode && now.where === 'bar';
            controller.setState({
              draft: {
                ...now,
                caret: currentTarget.selectionStart,
                where: 'bar',
                isEnterMode: isQuick,
                pickedReference: null,
              },
            });
          }}
          onKeyDown={onKeyDown}
        />
        <FunctionHelp controller={controller} />
      </div>
      {source === null ? null : (
        <button
          type="button"
          className="range-link"
          title={t.grid.spilled}
          onClick={() => {
            controller.goTo({ row: source.area.top, column: source.area.left });
            controller.view?.focus();
          }}
        >
          {cellText(source.area.top, source.area.left)}
        </button>
      )}
      {isShownElse ? (
        <span className="display-value" title={t.grid.shown}>
          {cell.m}
        </span>
      ) : null}
      {cell?.error !== undefined && draft === null ? (
        <span className="problem inline-problem">{translateServiceText(cell.error.message)}</span>
      ) : null}
      {draft?.problem != null ? (
        <span className="problem inline-problem" role="alert">
          {t.grid.refused(draft.problem)}
        </span>
      ) : null}
    </div>
  );
}

function RangeBox({ controller }: { readonly controller: GridController }) {
  const { selection } = useGridState(controller);
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
      value={typed ?? formatSelection(selection)}
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={leave}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Escape') controller.view?.focus();
        if (event.key !== 'Enter') return;
        // Otherwise the key would also reach the cell's editor, which has the focus next.
        event.preventDefault();
        const isGone = selectByName(controller, event.currentTarget.value) === null;
        setWrong(!isGone);
        if (!isGone) return;
        leave();
        controller.view?.focus();
      }}
    />
  );
}
