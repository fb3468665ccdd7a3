import { areaText, type Snapshot } from '@cellwire/engine';
import { withSheet } from '../ranges.ts';

export interface TableView {
  readonly name: string;
  /** With its header row. */
  readonly range: string;
}

export function tableView(snapshot: Snapshot, { name, sheet, area }: Snapshot['tables'][number]): TableView {
  return { name, range: withSheet(snapshot.sheetById(sheet)?.name ?? '', areaText(area)) };
}
