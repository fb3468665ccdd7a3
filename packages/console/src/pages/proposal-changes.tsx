import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { Proposal, ProposedChange } from '../data/proposals.ts';
import { t } from '../text/index.ts';
import { ProposalGrid } from './proposal-grid.tsx';
import { getDisplayedText, getHiddenValues, listProposalItems, type ProposalItem } from './proposal-values.ts';

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };

interface ProposalChangesProps {
  readonly document: string;
  readonly proposal: Proposal;
  /** Whether the list of changes gets the focus when it appears. */
  readonly takesFocus: boolean;
  /** Newest reported revision; null if none. */
  readonly revision: number | null;
}

/** What a proposal would change, as a list and as a part of the grid around the selected item. */
export function ProposalChanges({ document, proposal, takesFocus, revision }: ProposalChangesProps) {
  const { baseRevision, moves, changes } = proposal;
  const items = listProposalItems(proposal);
  const [selected, setSelected] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  // A rebase, whose button has lost the focus, changes the revision.
  const focusedFor = useRef(takesFocus ? null : baseRevision);
  useEffect(() => {
    if (focusedFor.current !== baseRevision) list.current?.focus();
    focusedFor.current = baseRevision;
  }, [baseRevision]);
  const last = items.length - 1;
  const at = Math.min(selected, last);
  const moveSelection = (event: KeyboardEvent<HTMLElement>): void => {
    const ends: Readonly<Record<string, number>> = { Home: 0, End: last };
    const by = STEPS[event.key];
    const to = by === undefined ? ends[event.key] : at + by;
    if (to === undefined) return;
    event.preventDefault();
    setSelected(Math.max(0, Math.min(last, to)));
  };
  if (items.length === 0) return proposal.hidden ? null : <p className="hint">{t.proposals.unseen}</p>;
  return (
    <>
      {moves.length > 0 && changes.some(({ deleted }) => deleted) ? (
        <p className="hint">{t.proposals.positions}</p>
      ) : null}
      <div className="proposal-changes">
        <div
          className="change-list"
          role="listbox"
          tabIndex={0}
          ref={list}
          aria-label={t.proposals.changes}
          aria-activedescendant={`change-${at}`}
          onKeyDown={moveSelection}
        >
          {items.map((item, i) => (
            <div
              key={item.key}
              id={`change-${i}`}
              role="option"
              aria-selected={i === at}
              className={getItemClass(item)}
              ref={i === at ? (element) => element?.scrollIntoView({ block: 'nearest' }) : undefined}
              tabIndex={-1}
              onClick={() => setSelected(i)}
              onKeyDown={moveSelection}
            >
              {item.change === null ? item.text : <ChangedCell change={item.change} />}
            </div>
          ))}
        </div>
        <ProposalGrid
          key={baseRevision}
          document={document}
          proposal={proposal}
          place={items[at]?.place ?? null}
          revision={revision}
        />
      </div>
    </>
  );
}

/** Returns the CSS class of an item, by its kind of change. */
function getItemClass({ change }: ProposalItem): string {
  if (change === null) return 'step';
  return change.deleted ? 'deleted' : change.derived ? 'derived' : 'written';
}

function ChangedCell({ change }: { readonly change: ProposedChange }) {
  const { cell, deleted, derived, formulas } = change;
  const hiddenValues = getHiddenValues(change);
  return (
    <>
      <b>{deleted ? <s>{cell}</s> : cell}</b>{' '}
      {renderChange(getDisplayedText(change, 'before'), deleted ? null : getDisplayedText(change, 'after'))}{' '}
      {derived ? <i>{t.proposals.derived}</i> : null}
      {deleted ? <i>{t.proposals.deleted}</i> : null}
      {formulas === undefined ? null : (
        <div className="detail">
          <span className="hint">{t.proposals.formula}</span>{' '}
          {renderChange(formulas.before ?? '', deleted ? null : (formulas.after ?? ''), t.proposals.noFormula)}
        </div>
      )}
      {hiddenValues === null ? null : (
        <div className="detail">
          <span className="hint">{t.proposals.exact}</span>{' '}
          {renderChange(String(hiddenValues.before ?? ''), String(hiddenValues.after ?? ''))}
        </div>
      )}
    </>
  );
}

/** The text before and after; `after` is null if the cell itself is removed. */
function renderChange(before: string, after: string | null, none = t.proposals.empty): ReactNode {
  const empty = <span className="hint">{none}</span>;
  return (
    <>
      {before === '' ? empty : <del>{before}</del>}
      {after === null ? null : <> → {after === '' ? empty : <ins>{after}</ins>}</>}
    </>
  );
}
