import type { Node } from '../../formula/ast.ts';
import { nameKey, renameTables, replaceSheet } from '../../formula/index.ts';
import { area } from '../../grid/area.ts';
import type { Draft } from '../../sheet/draft.ts';
import type { Sheet } from '../../sheet/snapshot.ts';
import { Template } from '../../sheet/template.ts';
import type { Batch } from '../batch.ts';
import { addSheetFormulas } from '../draft-sheets.ts';
import { findFreeTableName } from '../names.ts';
import { mapAttachments } from '../structure.ts';
import { createSheetOutcome, type EditOfKind, type EditResult } from './edit-result.ts';

/** Names of copied tables, by the `nameKey` of the original tables. */
type CopiedTables = ReadonlyMap<string, string>;

/**
 * Adds a copy of a sheet. The sender becomes the writer of its formulas. References without a sheet name refer to the
 * copy.
 */
export function duplicateSheet(batch: Batch, { sheet: id, name }: EditOfKind<'duplicateSheet'>): EditResult {
  const { draft } = batch;
  batch.resolveNewSheets();
  batch.calculateSoFar();
  const copy = draft.duplicateSheet(id, name, batch.writer);
  const tables = chooseTableCopyNames(draft, id);
  copyNames(draft, id, copy.id, tables);
  copyTables(draft, id, copy, tables);
  addSheetFormulas(batch, copy);
  const { rows, columns } = copy.extent();
  if (rows > 0) batch.written.addArea(copy.id, area(0, 0, rows - 1, columns - 1));
  batch.onSheetsAdded();
  return createSheetOutcome(copy.id);
}

/** Free names for copies of a sheet's tables. */
function chooseTableCopyNames({ tables, names }: Draft, sheet: number): CopiedTables {
  const used = new Set([...tables, ...names].map(({ name }) => nameKey(name)));
  const copies = new Map<string, string>();
  for (const table of tables) {
    if (table.sheet !== sheet) continue;
    const name = findFreeTableName(table.name, used);
    used.add(nameKey(name));
    copies.set(nameKey(table.name), name);
  }
  return copies;
}

/**
 * Copies names that refer to the sheet or its tables, as Excel does: the copies are scoped to the new sheet and refer
 * to it.
 */
function copyNames(draft: Draft, from: number, to: number, tables: CopiedTables): void {
  const sheetNames = draft.names.filter(({ sheet }) => sheet === from);
  const keys = new Set(sheetNames.map(({ name }) => nameKey(name)));
  const onCopy = (node: Node) => renameTables(replaceSheet(node, from, to), tables);
  const common = draft.names.filter(
    ({ name, sheet, node }) => sheet === undefined && !keys.has(nameKey(name)) && onCopy(node) !== node,
  );
  const copies = [...sheetNames, ...common].map((definedName) => ({
    ...definedName,
    sheet: to,
    node: onCopy(definedName.node),
  }));
  if (copies.length > 0) draft.names = [...draft.names, ...copies];
}

/**
 * Copies the tables of the sheet with new names, as Excel does. Formulas and attachments of the copy use the new names.
 */
function copyTables(draft: Draft, from: number, copy: Sheet, names: CopiedTables): void {
  if (names.size === 0) return;
  const sheetTables = draft.tables.filter(({ sheet }) => sheet === from);
  const copies = sheetTables.map((table) => ({
    ...table,
    name: names.get(nameKey(table.name)) ?? table.name,
    sheet: copy.id,
  }));
  draft.tables = [...draft.tables, ...copies];
  mapAttachments(draft, copy, (node) => renameTables(node, names));
  renameInFormulas(draft, copy, names);
}

/** Uses the new table names in the formulas of the copy. */
function renameInFormulas(draft: Draft, copy: Sheet, names: CopiedTables): void {
  const templates = new Map<Template, Template>();
  const renamed = (template: Template) => {
    const existingTemplate = templates.get(template);
    if (existingTemplate !== undefined) return existingTemplate;
    const node = renameTables(template.node, names);
    const copied = node === template.node ? template : new Template(node);
    templates.set(template, copied);
    return copied;
  };
  for (const [index, column] of copy.columns.entries()) {
    const runs = column?.runs ?? [];
    if (runs.length === 0) continue;
    draft.setRuns(
      copy.id,
      index,
      runs.map((run) => ({ ...run, template: renamed(run.template) })),
    );
  }
}
