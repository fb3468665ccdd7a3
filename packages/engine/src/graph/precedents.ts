import type { AreaNode, CellNode, Coordinate, Node, SheetPart, TableNode } from '../formula/ast.ts';
import { nameKey } from '../formula/index.ts';
import { intersects } from '../grid/area.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';
import type { DefinedName, Sheet, Table } from '../sheet/snapshot.ts';
import { isTableNamed, partOfTable } from '../sheet/tables.ts';

/** What names, tables and sheet parts in formulas mean at one revision. */
export interface Scope {
  readonly sheets: readonly Sheet[];
  readonly names: readonly DefinedName[];
  readonly tables: readonly Table[];
}

/** One reference of a formula's shape, on one sheet: coordinates relative to the cell, as in the tree. */
export interface Precedent {
  readonly sheet: number;
  readonly top: Coordinate;
  readonly left: Coordinate;
  readonly bottom: Coordinate;
  readonly right: Coordinate;
}

/** What the tree of a formula reads, as far as the tree itself tells. */
export interface Reading {
  readonly precedents: readonly Precedent[];
  /** Functions called, by name: the calculation knows which of them are volatile or dynamic. */
  readonly functions: ReadonlySet<string>;
  /** It reads a spilled area (`A1#`), whose size only the calculation knows. */
  readonly readsSpill: boolean;
  /** What it reads depends on which sheets, names and tables there are, beyond the sheets that it names one by one. */
  readonly structural: boolean;
}

interface Collected {
  readonly precedents: Precedent[];
  functions: Set<string> | null;
  structural: boolean;
  readsSpill: boolean;
  /** Defined names that it comes to, by itself or through others: each is looked into once, however often it occurs. */
  names: Set<DefinedName> | null;
  /** Nodes still to be looked at. */
  readonly pending: Node[];
}

const NOTHING: ReadonlySet<string> = new Set();

/** The cells that a formula stands in: rows of one column. */
export interface Place {
  readonly sheet: number;
  readonly column: number;
  readonly top: number;
  readonly bottom: number;
}

/** Collects what a formula reads, names expanded. */
export function readingOf(node: Node, at: Place, scope: Scope): Reading {
  const found: Collected = {
    precedents: [],
    functions: null,
    structural: false,
    readsSpill: false,
    names: null,
    pending: [],
  };
  collect(node, at, scope, found);
  // A set gives what is added while it is gone through, too.
  for (const name of found.names ?? []) collect(name.node, at, scope, found);
  const { precedents, functions, structural, readsSpill } = found;
  // Most formulas have none: a document of many distinct ones would hold an empty set for each.
  return { precedents, functions: functions ?? NOTHING, structural, readsSpill };
}

/** Without recursion: trees may be thousands of levels high. */
function collect(root: Node, at: Place, scope: Scope, found: Collected): void {
  const { pending } = found;
  for (let node: Node | undefined = root; node !== undefined; node = pending.pop()) {
    switch (node.k) {
      case 'cell':
        addReference(node, node.row, node.column, node.row, node.column, at.sheet, scope, found);
        break;
      case 'area':
        addReference(node, node.top, node.left, node.bottom, node.right, at.sheet, scope, found);
        break;
      case 'name':
        found.structural = true;
        expandName(node.name, partSheet(node.sheet) ?? at.sheet, at, scope, found);
        break;
      case 'table':
        found.structural = true;
        addTable(node, at, scope, found);
        break;
      case 'unary':
        if (node.op === '#') found.readsSpill = true;
        pending.push(node.arg);
        break;
      case 'binary':
        if (node.op === ':') addSpan(node.left, node.right, at.sheet, scope, found);
        pending.push(node.left, node.right);
        break;
      case 'parentheses':
        pending.push(node.arg);
        break;
      case 'call':
        addFunction(node.name, found);
        expandName(node.name, at.sheet, at, scope, found);
        for (const arg of node.args) pending.push(arg);
        break;
      case 'apply':
        pending.push(node.callee);
        for (const arg of node.args) pending.push(arg);
        break;
    }
  }
}

function addFunction(name: string, found: Collected): void {
  found.functions ??= new Set();
  found.functions.add(name);
}

function partSheet(part: SheetPart | undefined): number | undefined {
  return part && 'id' in part ? part.id : undefined;
}

/** The sheets that a sheet part names; none where they are not there. */
export function sheetsOfPart(part: SheetPart | undefined, own: number, sheets: readonly Sheet[]): readonly number[] {
  if (!part) return [own];
  if ('missing' in part) return [];
  if ('id' in part) return sheets.some((sheet) => sheet.id === part.id) ? [part.id] : [];
  const from = sheets.findIndex((sheet) => sheet.id === part.from);
  const to = sheets.findIndex((sheet) => sheet.id === part.to);
  if (from < 0 || to < 0) return [];
  return sheets.slice(Math.min(from, to), Math.max(from, to) + 1).map((sheet) => sheet.id);
}

function addReference(
  node: CellNode | AreaNode,
  top: Coordinate,
  left: Coordinate,
  bottom: Coordinate,
  right: Coordinate,
  own: number,
  scope: Scope,
  found: Collected,
): void {
  if (node.sheet && !('id' in node.sheet)) found.structural = true;
  for (const sheet of sheetsOfPart(node.sheet, own, scope.sheets)) {
    found.precedents.push({ sheet, top, left, bottom, right });
  }
}

/** `A1:INDEX(…)` and the like: the corners are known only to the calculation, unless both are plain cells. */
function addSpan(left: Node, right: Node, own: number, scope: Scope, found: Collected): void {
  if (left.k === 'cell' && right.k === 'cell') {
    addReference(left, left.row, left.column, right.row, right.column, own, scope, found);
  } else addFunction(':', found);
}

/** The defined name that a word means on a sheet: the sheet's own before the workbook's. */
export function nameInScope(name: string, sheet: number, names: readonly DefinedName[]): DefinedName | undefined {
  if (names.length === 0) return undefined;
  const same = namesByKey(names).get(nameKey(name));
  return same?.find((held) => held.sheet === sheet) ?? same?.find((held) => held.sheet === undefined);
}

const BY_KEY = new WeakMap<readonly DefinedName[], ReadonlyMap<string, readonly DefinedName[]>>();

/** Defined names by what their spellings share; kept with the list, which never changes. */
function namesByKey(names: readonly DefinedName[]): ReadonlyMap<string, readonly DefinedName[]> {
  const known = BY_KEY.get(names);
  if (known) return known;
  const found = new Map<string, DefinedName[]>();
  for (const name of names) {
    const key = nameKey(name.name);
    const same = found.get(key);
    if (same) same.push(name);
    else found.set(key, [name]);
  }
  BY_KEY.set(names, found);
  return found;
}

function expandName(name: string, lookupSheet: number, at: Place, scope: Scope, found: Collected): void {
  const defined = nameInScope(name, lookupSheet, scope.names);
  if (!defined) return addTable({ k: 'table', table: name, items: [] }, at, scope, found);
  found.structural = true;
  found.names ??= new Set();
  found.names.add(defined);
}

/** `[@Qty]` means in each row the table around it: rows of one formula may stand in, above and below several. */
function addTable(node: TableNode, at: Place, scope: Scope, found: Collected): void {
  for (const table of scope.tables) {
    if (isMeant(node, table, at)) addTablePart(node, table, found);
  }
}

function isMeant(node: TableNode, table: Table, { sheet, column, top, bottom }: Place): boolean {
  if (node.table !== '') return isTableNamed(table, node.table);
  return table.sheet === sheet && intersects(table.area, { top, left: column, bottom, right: column });
}

function addTablePart(node: TableNode, table: Table, found: Collected): void {
  const part = partOfTable(node, table);
  if (!part) return;
  const fixed = (at: number): Coordinate => ({ at, absolute: true });
  const own: Coordinate = { at: 0, absolute: false };
  const { top, left, bottom, right } = part.area;
  found.precedents.push({
    sheet: part.table.sheet,
    top: part.thisRow ? own : fixed(top),
    left: fixed(left),
    bottom: part.thisRow ? own : fixed(bottom),
    right: fixed(right),
  });
}

/** A coordinate's place for a formula cell at `own`; negative or beyond the grid where it falls off. */
export function place(coordinate: Coordinate, own: number): number {
  return coordinate.absolute ? coordinate.at : own + coordinate.at;
}

/** Columns that a precedent covers for formulas in `column`, or null where it falls off the grid. */
export function columnSpan(precedent: Precedent, column: number): { left: number; right: number } | null {
  const a = place(precedent.left, column);
  const b = place(precedent.right, column);
  const left = Math.min(a, b);
  const right = Math.max(a, b);
  return left < 0 || right >= MAX_COLUMNS ? null : { left, right };
}

/** Rows that a precedent covers for formulas in rows `first` to `last`, cut to the grid; null where off the grid. */
export function rowSpan(precedent: Precedent, first: number, last: number): { top: number; bottom: number } | null {
  const corners = [
    place(precedent.top, first),
    place(precedent.top, last),
    place(precedent.bottom, first),
    place(precedent.bottom, last),
  ];
  const top = Math.max(0, Math.min(...corners));
  const bottom = Math.min(MAX_ROWS - 1, Math.max(...corners));
  return top > bottom ? null : { top, bottom };
}
