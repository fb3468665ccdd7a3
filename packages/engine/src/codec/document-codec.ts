import type { Node } from '../formula/ast.ts';
import { type Area, area } from '../grid/area.ts';
import { type FormatTable, GENERAL } from '../sheet/formats.ts';
import { type Layout, PLAIN_LAYOUT } from '../sheet/layout.ts';
import type { DefinedName, DocumentSettings, Sheet, Snapshot, Spill, Table } from '../sheet/snapshot.ts';
import { type Run, Template } from '../sheet/template.ts';

/** A run as `[top, bottom, index of template, writer]`. The writer is omitted for the document's owner. */
export type StoredRun = readonly [top: number, bottom: number, template: number, writer?: number];

/** The parts of a document outside its sheets. */
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
  /** The layout; absent if the sheet has the default layout. */
  readonly layout?: StoredLayout;
  readonly spills: readonly Spill[];
}

export type StoredSettings = DocumentSettings;

export function toStoredHead(snapshot: Snapshot): StoredHead {
  const { revision, hasClock, nextSheetId, names, tables } = snapshot;
  return { revision, hasClock, nextSheetId, names, tables };
}

export function toStoredSheetFields(sheet: Sheet): StoredSheetFields {
  const { id, name, hidden, color } = sheet;
  // The entries are sorted, because sets and maps keep their order of insertion, which differs between processes.
  const hiddenRows = [...sheet.hiddenRows].sort((a, b) => a - b);
  const spills = [...sheet.spills].sort(([a], [b]) => a - b).map(([, spill]) => spill);
  const fields = { id, name, hidden, color, hiddenRows, spills };
  return sheet.layout === PLAIN_LAYOUT ? fields : { ...fields, layout: toStoredLayout(sheet.layout) };
}

/** A layout as it is stored: four numbers per merged range, because there may be many. */
type StoredLayout = Omit<Layout, 'merges' | 'attachments'> &
  Partial<Pick<Layout, 'attachments'>> & { readonly merges: readonly number[] };

function toStoredLayout({ columns, rows, merges, attachments, carried }: Layout): StoredLayout {
  const corners = merges.flatMap(({ top, left, bottom, right }) => [top, left, bottom, right]);
  return { columns, rows, merges: corners, attachments, carried };
}

export function restoreLayout(stored: StoredLayout | undefined): Layout {
  if (stored === undefined) return PLAIN_LAYOUT;
  const merges: Area[] = [];
  for (let i = 0; i < stored.merges.length; i += 4) {
    const [top = 0, left = 0, bottom = 0, right = 0] = stored.merges.slice(i, i + 4);
    merges.push(area(top, left, bottom, right));
  }
  return { attachments: [], ...stored, merges };
}

/** Assigns indexes to templates while runs are stored. Equal trees may share an index. */
export class TemplateList {
  readonly nodes: Node[] = [];
  /** Indexes of the templates in the list; created for the first template, because most changes have none. */
  private indexes: Map<Template, number> | null = null;
  private readonly byTree: Map<string, number> | null;

  constructor(each: 'template' | 'tree' = 'template') {
    this.byTree = each === 'tree' ? new Map() : null;
  }

  storeRun(run: Run): StoredRun {
    this.indexes ??= new Map();
    const index = this.indexes.get(run.template) ?? this.addTemplate(run.template, this.indexes);
    return run.writer === null ? [run.top, run.bottom, index] : [run.top, run.bottom, index, run.writer];
  }

  private addTemplate(template: Template, indexes: Map<Template, number>): number {
    const { node } = template;
    const tree = this.byTree === null ? '' : JSON.stringify(node);
    const index = this.byTree?.get(tree) ?? this.nodes.push(node) - 1;
    this.byTree?.set(tree, index);
    indexes.set(template, index);
    return index;
  }
}

/** Creates a function that restores runs. Equal stored trees share one Template object. */
export function createRunRestorer(nodes: readonly Node[]): (sheet: number, column: number, run: StoredRun) => Run {
  const templates = nodes.map((node) => new Template(node));
  return (sheet, column, [top, bottom, template, writer = null]) => ({
    sheet,
    column,
    top,
    bottom,
    template: templates[template]!,
    writer,
  });
}

/** A stored format: its id in the stored document, code, whether it was inferred, and its style if it has one. */
export type StoredFormat = readonly [id: number, code: string, inferred: 0 | 1, style?: string];

export function storeFormats(table: FormatTable, ids: Iterable<number>): StoredFormat[] {
  return [...ids].map((id) => {
    const { code, inferred, style } = table.get(id);
    return createStoredFormat(id, code, inferred, style);
  });
}

/**
 * Assigns format numbers in a stored document. Existing numbers do not change; new formats follow in order of use. The
 * ids of formats in memory cannot be stored, because their order differs between processes.
 */
export class FormatNumbers {
  readonly stored: StoredFormat[];
  private readonly table: FormatTable;
  private readonly numbers = new Map<number, number>([[GENERAL, GENERAL]]);
  private next = 1;

  constructor(table: FormatTable, storedFormats: readonly StoredFormat[]) {
    this.table = table;
    this.stored = [...storedFormats];
    for (const [number, code, inferred, style] of storedFormats) {
      this.numbers.set(table.ensureFormat(code, inferred === 1, style), number);
      this.next = Math.max(this.next, number + 1);
    }
  }

  /** The stored number of a format, by its id in the table. */
  toStoredNumber(id: number): number {
    const existingNumber = this.numbers.get(id);
    if (existingNumber !== undefined) return existingNumber;
    const number = this.next++;
    const { code, inferred, style } = this.table.get(id);
    this.stored.push(createStoredFormat(number, code, inferred, style));
    this.numbers.set(id, number);
    return number;
  }
}

function createStoredFormat(id: number, code: string, inferred: boolean, style: string): StoredFormat {
  return style === '' ? [id, code, inferred ? 1 : 0] : [id, code, inferred ? 1 : 0, style];
}

/** Maps stored format ids to ids in a table. Adds missing formats to the table. */
export function createFormatMapper(table: FormatTable, stored: readonly StoredFormat[]): (id: number) => number {
  const ids = new Map(
    stored.map(([id, code, inferred, style]) => [id, table.ensureFormat(code, inferred === 1, style)]),
  );
  return (id) => ids.get(id) ?? 0;
}
