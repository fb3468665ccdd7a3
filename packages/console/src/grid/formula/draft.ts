import type { Area } from '@cellwire/engine';
import type { GridPosition } from '../selection/selection.ts';
import { acceptsReferenceAt, findReferences, formatReference } from './formula-text.ts';

/** What is being typed into a cell. It lasts until it is confirmed or given up, whatever happens to the document. */
export interface Draft {
  readonly sheet: string;
  readonly position: GridPosition;
  readonly text: string;
  readonly caret: number;
  /** Where it is typed. */
  readonly where: 'cell' | 'bar';
  /** Begun by typing: arrows leave the cell. Else they move within the text. */
  readonly isEnterMode: boolean;
  /** What the cell held when it began. */
  readonly initialText: string;
  /** The last revision that has its cell, if that is gone; null: it is there. */
  readonly lastRevision: number | null;
  /** Why it was not accepted. */
  readonly problem: string | null;
  /** The reference that a click has just put in: the next click replaces it. */
  readonly pickedReference: PickedReference | null;
  /** What the column offers for the rest of the text; absent: nothing. */
  readonly completion?: Completion;
}

interface PickedReference {
  readonly from: number;
  readonly to: number;
  /** Which corner of the range keys move; absent: the last. */
  readonly moving?: { readonly isBottom: boolean; readonly isRight: boolean };
}

/** Whether the next click on a cell puts a reference into the draft. */
export function acceptsReference({ text, caret, pickedReference }: Draft): boolean {
  return pickedReference !== null || acceptsReferenceAt(text, caret);
}

/** Puts a reference in at the caret, or in the place of the one that was picked before; null: it does not fit there. */
export function insertReference(draft: Draft, sheet: string, area: Area): Draft | null {
  const { text, caret, pickedReference } = draft;
  if (!acceptsReference(draft)) return null;
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

/** The reference at the caret with its `$` one step on: `A1`, `$A$1`, `A$1`, `$A1`. */
export function cycleReference(draft: Draft): Draft {
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

/** A draft with the rest of a value that its column offers; the rest is selected, and typing replaces it. */
export interface Completion {
  /** The value as the column has it. */
  readonly value: string;
  /** Characters of the draft that were typed. */
  readonly typed: number;
}

/** A draft as it is confirmed: a value that was offered is taken as the column has it. */
export function acceptCompletion(draft: Draft): Draft {
  const { completion, text } = draft;
  return completion !== undefined && text.toLowerCase() === completion.value.toLowerCase()
    ? { ...draft, text: completion.value }
    : draft;
}
