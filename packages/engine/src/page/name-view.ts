import { print, quoteSheetName, unwrapReferences, WIRE } from '../formula/index.ts';
import type { Snapshot } from '../sheet/snapshot.ts';

/** A defined name as the API shows it. */
export interface NameView {
  /** The name. A name that is scoped to a sheet starts with the sheet: `Orders!rate`. */
  readonly name: string;
  /** A formula in the API's grammar, with `=`. */
  readonly refersTo: string;
}

/** The defined names of a document, in its order. */
export function nameViews(snapshot: Snapshot): readonly NameView[] {
  const names = { getSheetName: (id: number) => snapshot.sheetById(id)?.name ?? null };
  return snapshot.names.map(({ name, sheet, node }) => {
    const scope = sheet === undefined ? undefined : snapshot.sheetById(sheet)?.name;
    const shown = scope === undefined ? name : `${quoteSheetName(scope)}!${name}`;
    return { name: shown, refersTo: print(unwrapReferences(node), WIRE, { row: 0, column: 0 }, names) };
  });
}
