import type { AreaNode, BinaryNode, CallNode, CellNode, Coordinate, NameNode, Node } from '../formula/ast.ts';
import { nameKey } from '../formula/index.ts';
import { listNamesBoundInArguments } from '../functions/bound-names.ts';
import { findCallable } from '../functions/catalogue.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';
import type { DefinedName, Table } from '../sheet/snapshot.ts';
import { findNameInScope } from './names-in-scope.ts';
import type { FormulaRows, Precedent } from './precedent.ts';
import { findReferenceBounds, listBoundedAreas } from './reference-bounds.ts';
import { findResizedArea, isColumnOfSameTable, isPlainReference } from './resized-area.ts';
import { findPartSheet, resolveSheetPart, type SheetScope } from './sheet-parts.ts';
import { addTable } from './table-precedents.ts';

/** The meaning of names, tables and sheets in formulas at one revision. */
export interface NameScope extends SheetScope {
  readonly names: readonly DefinedName[];
  readonly tables: readonly Table[];
}

/** Properties of a formula beyond its references. */
export interface FormulaBehaviour {
  /** True if it is calculated after every change: it calls a volatile function, or its precedents are unknown. */
  readonly always: boolean;
  /** True if it is calculated on every new day, because it calls TODAY. */
  readonly daily: boolean;
  /** True if its precedents are recorded while it is calculated, because its tree does not name them (INDIRECT). */
  readonly dynamic: boolean;
  /** True if the formula may read cells that its tree does not name. Reads are checked during the calculation. */
  readonly indirect: boolean;
  /** True if the result depends on the clock. */
  readonly clock: boolean;
  /** True if the formula's meaning changes when sheets that it does not name are added, deleted or renamed. */
  readonly followsSheets: boolean;
  /** True if the formula's meaning changes when defined names or tables change. */
  readonly followsNames: boolean;
  /** True if the result depends on positions of cells or on texts of formulas, so that moving cells may change it. */
  readonly followsMoves: boolean;
  /** True if the result may change when rows are hidden or shown (SUBTOTAL, AGGREGATE). */
  readonly followsHiddenRows: boolean;
  /** True if it also refers to several sheets at once, to a missing sheet, or to another workbook. */
  readonly namesElsewhere: boolean;
}

/** Receives the number of sheets of each 3-D reference before its sheets are listed. May throw. */
type OnSheetsCounted = (sheets: number) => void;

/** The cells and names that a formula reads according to its tree. */
interface FormulaReads {
  readonly precedents: readonly Precedent[];
  readonly behaviour: FormulaBehaviour;
}

type MutableBehaviour = { -readonly [Trait in keyof FormulaBehaviour]: boolean };

interface FormulaReadsBuilder extends MutableBehaviour {
  readonly precedents: Precedent[];
  /** True if a function depends on more than the values of cells: on formulas, formats or sheets. */
  readsMore: boolean;
  /** Defined names that the formula uses directly or through other names. Each is expanded once. */
  names: Set<DefinedName> | null;
  /** Nodes that have not been visited. */
  readonly pending: Node[];
  /** For each pending node, the names bound by surrounding LET and LAMBDA calls; no defined names. */
  readonly bounds: (readonly string[])[];
  readonly count: OnSheetsCounted | null;
}

const NO_NAMES: readonly string[] = [];
const PLAIN: FormulaBehaviour = {
  always: false,
  daily: false,
  dynamic: false,
  indirect: false,
  clock: false,
  followsSheets: false,
  followsNames: false,
  followsMoves: false,
  followsHiddenRows: false,
  namesElsewhere: false,
};

/** Collects what a formula reads, including the formulas of defined names that it uses. */
export function readFormula(
  node: Node,
  formulaRows: FormulaRows,
  scope: NameScope,
  onSheetsCounted?: OnSheetsCounted,
): FormulaReads {
  const reads: FormulaReadsBuilder = {
    precedents: [],
    always: false,
    daily: false,
    dynamic: false,
    indirect: false,
    clock: false,
    followsSheets: false,
    followsNames: false,
    followsMoves: false,
    followsHiddenRows: false,
    namesElsewhere: false,
    readsMore: false,
    names: null,
    pending: [],
    bounds: [],
    count: onSheetsCounted ?? null,
  };
  collectReads(node, formulaRows, scope, reads);
  // The loop also visits items that are added to the set during the iteration.
  for (const name of reads.names ?? []) collectReads(name.node, formulaRows, scope, reads);
  // A cached result does not depend on the time, nor on volatile functions.
  if (node.k === 'cached') reads.always = reads.daily = reads.dynamic = reads.indirect = reads.clock = false;
  // Not all reads of such functions are recorded.
  if (reads.dynamic && (reads.readsMore || reads.followsHiddenRows)) reads.always = true;
  if (reads.always) reads.daily = reads.dynamic = false;
  return { precedents: reads.precedents, behaviour: createBehaviour(reads) };
}

/** Returns the behaviour of a formula. Most formulas share one object, because there may be very many formulas. */
function createBehaviour(reads: FormulaReadsBuilder): FormulaBehaviour {
  const { always, daily, dynamic, indirect, clock } = reads;
  const { followsSheets, followsNames, followsMoves, followsHiddenRows, namesElsewhere } = reads;
  const isRepeated = always || daily || dynamic || indirect || clock;
  const isFollowing = followsSheets || followsNames || followsMoves || followsHiddenRows;
  if (!isRepeated && !isFollowing && !namesElsewhere) return PLAIN;
  return {
    always,
    daily,
    dynamic,
    indirect,
    clock,
    followsSheets,
    followsNames,
    followsMoves,
    followsHiddenRows,
    namesElsewhere,
  };
}

/** Collects the reads of a tree. Does not recurse because trees may be thousands of levels high. */
function collectReads(root: Node, formulaRows: FormulaRows, scope: NameScope, reads: FormulaReadsBuilder): void {
  const { pending, bounds } = reads;
  let bound = NO_NAMES;
  for (let node: Node | undefined = root; node !== undefined; node = pending.pop(), bound = bounds.pop() ?? NO_NAMES) {
    switch (node.k) {
      case 'cell':
      case 'area':
        collectReference(node, formulaRows.sheet, scope, reads);
        break;
      case 'name':
        collectName(node, bound, formulaRows, scope, reads);
        break;
      case 'table':
        reads.followsNames = true;
        addTable(node, formulaRows, scope.tables, reads.precedents);
        break;
      case 'unary':
        // The size of a spilled area is known only during the calculation.
        if (node.op === '#') reads.indirect = true;
        addPendingNode(node.arg, bound, reads);
        break;
      case 'binary':
        if (node.op === ':') addSpan(node, bound, formulaRows.sheet, scope, reads);
        addPendingNode(node.left, bound, reads);
        addPendingNode(node.right, bound, reads);
        break;
      case 'parentheses':
      case 'cached':
        addPendingNode(node.arg, bound, reads);
        break;
      case 'call':
        collectCall(node, bound, formulaRows, scope, reads);
        break;
      case 'apply':
        addPendingNode(node.callee, bound, reads);
        for (const arg of node.args) addPendingNode(arg, bound, reads);
        break;
    }
  }
}

/** Schedules a visit of a node. `bound`: names that surround it. */
function addPendingNode(node: Node, bound: readonly string[], reads: FormulaReadsBuilder): void {
  reads.pending.push(node);
  reads.bounds.push(bound);
}

/** True if a surrounding LET or LAMBDA binds a name. */
function isBound(name: string, bound: readonly string[]): boolean {
  return bound.length > 0 && bound.includes(nameKey(name));
}

/** Collects a name: of a surrounding LET or LAMBDA, a defined name, a table, or a function that is used as a value. */
function collectName(
  node: NameNode,
  bound: readonly string[],
  formulaRows: FormulaRows,
  scope: NameScope,
  reads: FormulaReadsBuilder,
): void {
  if (node.sheet === undefined && isBound(node.name, bound)) return;
  if (node.sheet !== undefined && 'external' in node.sheet) return;
  reads.followsNames = true;
  if (node.sheet !== undefined) reads.followsSheets = true;
  const isName = expandName(node.name, findPartSheet(node.sheet) ?? formulaRows.sheet, formulaRows, scope, reads);
  if (!isName) addFunction(node.name.toUpperCase(), reads);
}

/** Collects the reads of a call, and the names that it binds for its arguments. */
function collectCall(
  node: CallNode,
  bound: readonly string[],
  formulaRows: FormulaRows,
  scope: NameScope,
  reads: FormulaReadsBuilder,
): void {
  const isValue = isBound(node.name, bound);
  const isOffset = !isValue && findCallable(node.name)?.refersTo === 'offset';
  const isBounded = isOffset && addBounds(node, bound, formulaRows.sheet, scope, reads);
  if (!isValue && !isBounded && !addFunction(node.name, reads)) {
    // An unknown function may become known when a name is defined.
    reads.followsNames = true;
    expandName(node.name, formulaRows.sheet, formulaRows, scope, reads);
  }
  if (!isValue) addResizedArgument(node, bound, formulaRows.sheet, scope, reads);
  const isMeasured = !isValue && findCallable(node.name)?.measures !== undefined;
  const scopes = isValue ? null : listNamesBoundInArguments(node, bound);
  for (const [i, arg] of node.args.entries()) {
    const inner = scopes === null ? bound : scopes[i];
    if (isMeasured && isClosedReference(arg)) addUnreadReference(arg, formulaRows.sheet, scope, reads);
    else if (inner != null) addPendingNode(arg, inner, reads);
  }
}

/** Adds the cells of an argument that gets the size of the first argument (SUMIF). */
function addResizedArgument(
  { name, args }: CallNode,
  bound: readonly string[],
  ownSheet: number,
  scope: NameScope,
  reads: FormulaReadsBuilder,
): void {
  const resized = findCallable(name)?.resizes;
  if (resized === undefined || args[resized] === undefined) return;
  const [model, target] = [args[0]!, args[resized]].map((arg) => resolveName(arg, bound, ownSheet, scope));
  if (isColumnOfSameTable(model!, target!)) return;
  if (!isPlainReference(model) || !isPlainReference(target)) {
    reads.dynamic = true;
    reads.indirect = true;
    return;
  }
  const corners = findResizedArea(model, target);
  if (corners === null) return;
  const { top, left, bottom, right } = corners;
  addReference(target, top, left, bottom, right, ownSheet, scope, reads);
  // The area is not a reference of the tree, so moved cells do not change it as they change references.
  reads.namesElsewhere = true;
  reads.followsMoves = true;
}

/** The formula of a defined name; other nodes unchanged. */
function resolveName(node: Node, bound: readonly string[], ownSheet: number, scope: NameScope): Node {
  if (node.k !== 'name' || (node.sheet === undefined && isBound(node.name, bound))) return node;
  return findNameInScope(node.name, findPartSheet(node.sheet) ?? ownSheet, scope.names)?.node ?? node;
}

/** True for a cell, and for an area whose size does not depend on the filled cells. */
function isClosedReference(node: Node): node is CellNode | AreaNode {
  return node.k === 'cell' || (node.k === 'area' && node.bottom.at < MAX_ROWS - 1 && node.right.at < MAX_COLUMNS - 1);
}

/** Adds the argument of ROWS and similar functions, which do not read the cells of a plain reference. */
function addUnreadReference(
  node: CellNode | AreaNode,
  ownSheet: number,
  scope: NameScope,
  reads: FormulaReadsBuilder,
): void {
  const from = reads.precedents.length;
  collectReference(node, ownSheet, scope, reads);
  for (let i = from; i < reads.precedents.length; i++) {
    reads.precedents[i] = { ...reads.precedents[i]!, isUnread: true };
  }
}

function collectReference(
  node: CellNode | AreaNode,
  ownSheet: number,
  scope: NameScope,
  reads: FormulaReadsBuilder,
): void {
  if (node.k === 'cell') addReference(node, node.row, node.column, node.row, node.column, ownSheet, scope, reads);
  else addReference(node, node.top, node.left, node.bottom, node.right, ownSheet, scope, reads);
}

/** Records the properties of a function. Returns false if there is no such function. */
function addFunction(name: string, reads: FormulaReadsBuilder): boolean {
  const spec = findCallable(name);
  if (spec === undefined) return false;
  if (spec.volatile && spec.clock !== 'day') reads.always = true;
  if (spec.clock === 'day') reads.daily = true;
  if (spec.indirect) reads.dynamic = reads.indirect = true;
  if (spec.clock !== undefined) reads.clock = true;
  if (spec.structural || spec.readsFormats) reads.readsMore = true;
  if (spec.structural) reads.followsSheets = true;
  if (spec.positional) reads.followsMoves = true;
  if (spec.subtotal) reads.followsHiddenRows = true;
  return true;
}

function addReference(
  node: CellNode | AreaNode,
  top: Coordinate,
  left: Coordinate,
  bottom: Coordinate,
  right: Coordinate,
  ownSheet: number,
  scope: NameScope,
  reads: FormulaReadsBuilder,
): void {
  const sheets = resolveSheetPart(node.sheet, ownSheet, scope);
  // A deleted sheet may be restored with its id.
  if (node.sheet && !('external' in node.sheet) && (!('id' in node.sheet) || sheets.length === 0)) {
    reads.followsSheets = true;
  }
  if (node.sheet && !('id' in node.sheet && sheets.length === 1)) reads.namesElsewhere = true;
  if (sheets.length > 1) reads.count?.(sheets.length);
  for (const sheet of sheets) {
    reads.precedents.push({ sheet, top, left, bottom, right });
  }
}

/** Adds a range between two references, for example `A1:INDEX(…)`. */
function addSpan(
  node: BinaryNode,
  bound: readonly string[],
  ownSheet: number,
  scope: NameScope,
  reads: FormulaReadsBuilder,
): void {
  const { left, right } = node;
  if (left.k === 'cell' && right.k === 'cell') {
    addReference(left, left.row, left.column, right.row, right.column, ownSheet, scope, reads);
  } else if (!addBounds(node, bound, ownSheet, scope, reads)) {
    reads.dynamic = true;
    reads.indirect = true;
  }
}

/**
 * Adds areas that contain all cells of a reference whose own cells are known only during the calculation. Returns false
 * if no bounds of the reference are known.
 */
function addBounds(
  node: Node,
  bound: readonly string[],
  ownSheet: number,
  scope: NameScope,
  reads: FormulaReadsBuilder,
): boolean {
  const bounds = findReferenceBounds(node, (name) => isBound(name, bound));
  if (bounds === null) return false;
  const sheets = resolveSheetPart(bounds.sheet, ownSheet, scope);
  const [sheet] = sheets;
  if (sheet === undefined || sheets.length > 1) return false;
  for (const area of listBoundedAreas(bounds)) reads.precedents.push({ sheet, ...area });
  // The areas are not references of the tree, so moved cells do not change them as they change references.
  reads.namesElsewhere = true;
  reads.followsMoves = true;
  return true;
}

/** Adds the cells of a table, or records a defined name. Returns true for a defined name. */
function expandName(
  name: string,
  lookupSheet: number,
  formulaRows: FormulaRows,
  scope: NameScope,
  reads: FormulaReadsBuilder,
): boolean {
  const defined = findNameInScope(name, lookupSheet, scope.names);
  if (!defined) {
    addTable({ k: 'table', table: name, items: [] }, formulaRows, scope.tables, reads.precedents);
    return false;
  }
  reads.followsNames = true;
  reads.names ??= new Set();
  reads.names.add(defined);
  return true;
}
