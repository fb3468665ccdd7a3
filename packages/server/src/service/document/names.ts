import { areaText, type Snapshot } from '@cellwire/engine';
import { formatQualifiedRange } from '../ranges.ts';

export interface TableView {
  readonly name: string;
  /** Range including the header row. */
  readonly range: string;
}

export function toTableView(snapshot: Snapshot, { name, sheet, area }: Snapshot['tables'][number]): TableView {
  return { name, range: formatQualifiedRange(snapshot.sheetById(sheet)?.name ?? '', areaText(area)) };
}
