import { areaText, type NameView, nameViews, type Snapshot } from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
import type { ServiceContext } from '../context.ts';
import { openReading } from '../open-table.ts';
import { withSheet } from '../ranges.ts';
import { isRefusal, type Refusal } from '../refusal.ts';

export interface TableView {
  readonly name: string;
  /** With its header row. */
  readonly range: string;
}

/** A list, and the commit that it is of. */
interface Listed<T> {
  readonly list: readonly T[];
  readonly head: string;
}

/** The defined names of a document. */
export async function listNames(context: ServiceContext, access: DocumentAccess): Promise<Listed<NameView> | Refusal> {
  const reading = await openReading(context, access);
  return isRefusal(reading) ? reading : { list: nameViews(reading.snapshot), head: reading.head };
}

/**
 * The tables of a document. Names of columns are values of the sheet: those of sheets that are hidden from the caller
 * are left out.
 */
export async function listTables(
  context: ServiceContext,
  access: DocumentAccess,
): Promise<Listed<TableView & { readonly columns: readonly string[] }> | Refusal> {
  const reading = await openReading(context, access);
  if (isRefusal(reading)) return reading;
  const { snapshot, head } = reading;
  const list = snapshot.tables.map((table) => ({
    ...tableView(snapshot, table),
    columns: access.hiddenSheets.has(table.sheet) ? [] : table.columns,
  }));
  return { list, head };
}

export function tableView(snapshot: Snapshot, { name, sheet, area }: Snapshot['tables'][number]): TableView {
  return { name, range: withSheet(snapshot.sheetById(sheet)?.name ?? '', areaText(area)) };
}
