import type { Node } from '../formula/ast.ts';
import type { FormatTable } from '../sheet/formats.ts';
import type { DefinedName, DocumentSettings, Sheet, Snapshot, Spill, Table } from '../sheet/snapshot.ts';
import { type Run, Template } from '../sheet/template.ts';

/** Runs as `[top, bottom, index of template, writer]`, the last left out where that is the document's owner. */
export type StoredRun = readonly [top: number, bottom: number, template: number, writer?: number];

/** What a document has beside its sheets' cells. */
export interface StoredHead {
  readonly revision: number;
  readonly hasClock: boolean;
  readonly nextSheetId: number;
  readonly names: readonly DefinedName[];
  readonly tables: readonly Table[];
}

export interface StoredSheetFields {
  readonly id: number;
  readonly name: string;
  readonly hidden: boolean;
  readonly color: string | null;
  readonly hiddenRows: readonly number[];
  readonly spills: readonly Spill[];
}

export type StoredSettings = DocumentSettings;

export function headOf(snapshot: Snapshot): StoredHead {
  const { revision, hasClock, nextSheetId, names, tables } = snapshot;
  return { revision, hasClock, nextSheetId, names, tables };
}

export function sheetFieldsOf(sheet: Sheet): StoredSheetFields {
  const { id, name, hidden, color } = sheet;
  return { id, name, hidden, color, hiddenRows: [...sheet.hiddenRows], spills: [...sheet.spills.values()] };
}

/** Templates by index while runs are stored. */
export class TemplateList {
  readonly nodes: Node[] = [];
  private readonly indexes = new Map<Template, number>();

  store(run: Run): StoredRun {
    let index = this.indexes.get(run.template);
    if (index === undefined) {
      index = this.nodes.push(run.template.node) - 1;
      this.indexes.set(run.template, index);
    }
    return run.writer === null ? [run.top, run.bottom, index] : [run.top, run.bottom, index, run.writer];
  }
}

/** Turns stored runs back, one Template a stored tree. */
export function runRestorer(nodes: readonly Node[]): (sheet: number, column: number, run: StoredRun) => Run {
  const templates = nodes.map((node) => new Template(node));
  return (sheet, column, [top, bottom, template, writer = null]) => ({
    sheet,
    column,
    top,
    bottom,
    template: templates[template] as Template,
    writer,
  });
}

/** A format as stored: its id in the storing document, its code, and whether it was inferred. */
export type StoredFormat = readonly [id: number, code: string, inferred: 0 | 1];

export function storeFormats(table: FormatTable, ids: Iterable<number>): StoredFormat[] {
  return [...ids].map((id) => {
    const { code, inferred } = table.get(id);
    return [id, code, inferred ? 1 : 0];
  });
}

/** Maps stored format ids to those of a table, which learns formats it did not have. */
export function formatMapper(table: FormatTable, stored: readonly StoredFormat[]): (id: number) => number {
  const ids = new Map(stored.map(([id, code, inferred]) => [id, table.idOf(code, inferred === 1)]));
  return (id) => ids.get(id) ?? 0;
}
