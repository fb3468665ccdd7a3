import {
  type Grammar,
  moveReferences,
  NAME_PLACE,
  print,
  quoteSheetName,
  unwrapReferences,
  WIRE,
} from '../formula/index.ts';
import type { Move } from '../grid/move.ts';
import type { DefinedName, Snapshot } from '../sheet/snapshot.ts';

/** A defined name as the API shows it. */
export interface NameView {
  /** The name. A name that is scoped to a sheet starts with the sheet: `Orders!rate`. */
  readonly name: string;
  /** A formula with `=`, by default in the API's grammar. */
  readonly refersTo: string;
}

/** The defined names of a document, in its order. */
export function nameViews(snapshot: Snapshot, grammar: Grammar = WIRE): readonly NameView[] {
  return viewNames(snapshot.names, [snapshot], grammar);
}

/**
 * The names of a state as a later state would show them if only cells moved, and sheets were renamed, in between. Names
 * of a sheet that the later state does not have are left out.
 */
export function nameViewsAfterMoves(
  before: Snapshot,
  moves: readonly Move[],
  later: Snapshot,
  grammar: Grammar,
): readonly NameView[] {
  const kept = before.names.filter(({ sheet }) => sheet === undefined || later.hasSheet(sheet));
  const moved = kept.map((name) => ({
    ...name,
    node: moves.reduce((node, move) => moveReferences(node, move, NAME_PLACE, NAME_PLACE), name.node),
  }));
  return viewNames(moved, [later, before], grammar);
}

/** `states`: in these, in order, the names of sheets are found. */
function viewNames(names: readonly DefinedName[], states: readonly Snapshot[], grammar: Grammar): readonly NameView[] {
  const getSheetName = (id: number) => states.find((state) => state.hasSheet(id))?.sheetById(id)?.name ?? null;
  return names.map(({ name, sheet, node }) => {
    const scope = sheet === undefined ? null : getSheetName(sheet);
    const shown = scope === null ? name : `${quoteSheetName(scope)}!${name}`;
    return { name: shown, refersTo: print(unwrapReferences(node), grammar, NAME_PLACE, { getSheetName }) };
  });
}
