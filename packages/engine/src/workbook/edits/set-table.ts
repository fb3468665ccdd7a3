import { nameKey } from '../../formula/index.ts';
import { type Area, intersects, width } from '../../grid/area.ts';
import type { Draft } from '../../sheet/draft.ts';
import type { NewHeader } from '../../sheet/moves/move-tables.ts';
import type { Batch } from '../batch.ts';
import { nameProblem } from '../names.ts';
import { makeUnique, readHeaderText } from '../table-headers.ts';
import { createSheetOutcome, type EditOfKind, type EditResult } from './edit-result.ts';

/** Defines a table, or changes the area of the table with that name. Empty header cells get texts. */
export function setTable(batch: Batch, { name, sheet, area }: EditOfKind<'setTable'>): EditResult {
  const { draft } = batch;
  batch.flushFormulas();
  const key = nameKey(name);
  const isName = draft.names.some((definedName) => nameKey(definedName.name) === key);
  const message = nameProblem(name) ?? (isName ? 'a defined name is called so' : null);
  if (message !== null) return { kind: 'refusal', reason: 'invalidName', message };
  const others = draft.tables.filter((table) => nameKey(table.name) !== key);
  if (others.some((existingTable) => existingTable.sheet === sheet && intersects(existingTable.area, area))) {
    return { kind: 'refusal', reason: 'invalidTable', message: 'it overlaps another table' };
  }
  const columns = readColumnNames(draft, sheet, area);
  draft.tables = [...others, { name, sheet, area, headerRow: true, totalsRow: false, columns }];
  batch.reader.reset();
  batch.cells.putHeaders(findMissingHeaders(draft, sheet, area, columns));
  return createSheetOutcome(sheet);
}

/** The texts of an area's first row as unique names; cells without a header text get generated names. */
function readColumnNames(draft: Draft, sheet: number, area: Area): readonly string[] {
  const used = new Set<string>();
  return Array.from({ length: width(area) }, (_, i) => {
    const text = readHeaderText(draft, sheet, area.top, area.left + i) ?? `Column${i + 1}`;
    const name = makeUnique(text, used);
    used.add(nameKey(name));
    return name;
  });
}

/** Returns the headers that differ from the contents of their cells. */
function findMissingHeaders(draft: Draft, sheet: number, { top, left }: Area, columns: readonly string[]): NewHeader[] {
  return columns.flatMap((name, i) => {
    const column = left + i;
    return readHeaderText(draft, sheet, top, column) === name ? [] : [{ sheet, row: top, column, name }];
  });
}
