import type { Area } from '@cellwire/engine';
import type { GridPosition } from '../selection/selection.ts';
import { canAcceptReferenceAt, findReferences, formatReference } from './formula-text.ts';

/** Unconfirmed input of a cell. It survives all changes of the document. */
export interface CellDraft {
  readonly sheet: string;
  readonly position: GridPosition;
  readonly text: string;
  readonly caret: number;
  /** The editor in which the person types: in the cell, or in the formula bar. */
  readonly where: 'cell' | 'bar';
  /** True if the first character started the draft: arrow keys then leave the cell. Otherwise they move the caret. */
  readonly isEnterMode: boolean;
  /** Content of the cell at the start. */
  readonly initialText: string;
  /** Last revision that contains the cell, if it was deleted; null if it exists. */
  readonly lastRevision: number | null;
  /** Reason for a refusal of the draft; null if it was not refused. */
  readonly problem: string | null;
  /** The reference that the last click inserted. The next click replaces it. */
  readonly pickedReference: PickedReference | null;
  /** Suggested rest of the text; absent if none. */
  readonly completion?: Completion;
}

interface PickedReference {
  readonly from: number;
  readonly to: number;
  /** The corner that keys move; by default the last. */
  readonly moving?: { readonly isBottom: boolean; readonly isRight: boolean };
}

/** True if the next click on a cell inserts a reference. */
export function canAcceptReference({ text, caret, pickedReference }: CellDraft): boolean {
  return pickedReference !== null || canAcceptReferenceAt(text, caret);
}

/**
 * Inserts a reference at the caret, or replaces the reference that was inserted last. Null if the formula accepts no
 * reference there.
 */
export function insertReference(draft: CellDraft, sheet: string, area: Area): CellDraft | null {
  const { text, caret, pickedReference } = draft;
  if (!canAcceptReference(draft)) return null;
  const { from, to } = pickedReference ?? { from: caret, to: caret };
  const reference = formatReference(sheet, draft.sheet, area);
  const end = from + reference.length;
  return {
    ...draft,
    text: text.slice(0, from) + reference + text.slice(to),
    caret: end,
    pickedReference: { from, to: end },
  };
}

/** Returns the draft with the next form of the reference at the caret: `A1`, `$A$1`, `A$1`, `$A1`. */
export function cycleReference(draft: CellDraft): CellDraft {
  const found = findReferences(draft.text).find(({ from, to }) => draft.caret >= from && draft.caret <= to);
  if (found === undefined) return draft;
  const reference = draft.text.slice(found.from, found.to);
  const mark = reference.lastIndexOf('!') + 1;
  const cells = reference.slice(mark);
  const [, column = '', row = ''] = /^(\$?)[A-Za-z]*(\$?)/.exec(cells) ?? [];
  const next = column === '' && row === '' ? '$ $' : column !== '' && row !== '' ? ' $' : column === '' ? '$ ' : ' ';
  const [nextColumn = '', nextRow = ''] = next.split(' ');
  const turned = cells.replaceAll('$', '').replace(/([A-Za-z]+)?(\d+)?/g, (_all, letters?: string, digits?: string) => {
    const first = letters === undefined ? '' : nextColumn + letters;
    return first + (digits === undefined ? '' : nextRow + digits);
  });
  const text = draft.text.slice(0, found.from) + reference.slice(0, mark) + turned + draft.text.slice(found.to);
  return { ...draft, text, caret: found.from + mark + turned.length, pickedReference: null };
}

/** A suggested text. The part that was not typed is selected, so typing replaces it. */
export interface Completion {
  /** The value in the column. */
  readonly value: string;
  /** Number of typed characters. */
  readonly typed: number;
}

/** Confirms a draft. An accepted completion gets the capitalization of the column's value. */
export function acceptCompletion(draft: CellDraft): CellDraft {
  const { completion, text } = draft;
  return completion !== undefined && text.toLowerCase() === completion.value.toLowerCase()
    ? { ...draft, text: completion.value }
    : draft;
}
