import type { SheetPart } from '../formula/ast.ts';
import {
  type FormulaPosition,
  findMovableReferences,
  getGrammar,
  type MovableReference,
  moveReference,
  parse,
  print,
  replaceReferences,
} from '../formula/index.ts';
import { resolveBounds } from '../formula/reference-bounds.ts';
import type { Move } from '../grid/move.ts';
import { type Rearrangement, type RowOrder, rearrangeArea, rearrangeCell } from '../grid/row-order.ts';
import type { LocaleId } from '../locale/index.ts';

/** Sheet names at the time when a text was typed, and now. */
interface SheetNames {
  /** Returns the id of the sheet that had a name before the moves; -1 if there was none. */
  readonly idBefore: (name: string) => number;
  /** Returns the current name of a sheet; null if it was deleted. */
  readonly nameAfter: (id: number) => string | null;
}

/**
 * Updates the references of a typed formula after moves and sorts, so that they refer to the same cells. `from`: the
 * cell in which it was typed, which is also moved. References follow moves as in cells, and also sorted rows. Returns
 * the same text if no reference changes, if it cannot be parsed, or if its cell was deleted.
 */
export function moveFormulaText(
  text: string,
  locale: LocaleId | null,
  from: FormulaPosition,
  steps: readonly Rearrangement[],
  { idBefore, nameAfter }: SheetNames,
): string {
  const grammar = getGrammar(locale);
  const node = parse(text, grammar, from, { findSheetId: idBefore });
  if (node.k === 'invalid') return text;
  const written = findMovableReferences(node);
  if (written.length === 0) return text;
  let place = from;
  let references: readonly ReturnType<typeof moveReference>[] = written;
  for (const step of steps) {
    const next = rearrangeCell(step, place);
    if (next === null) return text;
    const formulaPosition = place;
    references = references.map((one) => (isMovable(one) ? moveReferenceText(step, one, formulaPosition, next) : one));
    place = next;
  }
  const names = { getSheetName: nameAfter };
  const isNamedAnew = written.some(({ sheet }) => sheet !== undefined && !isSameSheet(sheet, idBefore, nameAfter));
  const after = replaceReferences(node, references);
  const before = print(node, grammar, from, { getSheetName: nameAfter });
  const printed = print(after, grammar, place, names);
  return printed === before && !isNamedAnew ? text : printed;
}

/** True if a moved reference is still a reference and not an error. */
function isMovable(node: ReturnType<typeof moveReference>): node is MovableReference {
  return node.k === 'cell' || node.k === 'area';
}

/** A reference after a move or a sort. */
function moveReferenceText(
  step: Rearrangement,
  reference: MovableReference,
  from: FormulaPosition,
  to: FormulaPosition,
) {
  return moveReference(reference, step.kind === 'order' ? toMove(step, reference, from) : step, from, to);
}

/**
 * Describes the effect of a sort on one reference as a move. A reference to several rows that the sort separates does
 * not change.
 */
function toMove(step: RowOrder, reference: MovableReference, from: FormulaPosition): Move {
  const sheet = reference.sheet === undefined ? from.sheet : 'id' in reference.sheet ? reference.sheet.id : NO_SHEET;
  const area = resolveBounds(reference, from);
  const to = area && rearrangeArea(step, { sheet, area });
  if (area === null || to === null) return NO_MOVE;
  return { kind: 'carry', sheet, area, toSheet: sheet, row: to.area.top, column: to.area.left };
}

/** A sheet id that does not exist. */
const NO_SHEET = -1;
const NO_MOVE: Move = { kind: 'insert', sheet: NO_SHEET, axis: 'rows', at: 0, count: 1 };

/** True if the names in a sheet part still mean the same sheets. */
function isSameSheet(part: SheetPart, idBefore: SheetNames['idBefore'], nameAfter: SheetNames['nameAfter']): boolean {
  const ids = 'id' in part ? [part.id] : 'from' in part ? [part.from, part.to] : [];
  return ids.every((id) => {
    const name = nameAfter(id);
    return name !== null && idBefore(name) === id;
  });
}
