import type { CachedNode, Node } from '../../formula/ast.ts';
import { nameKey, walkTree } from '../../formula/index.ts';
import { collectBoundNames } from '../../functions/bound-names.ts';
import { findCallable } from '../../functions/catalogue.ts';
import { findNameInScope } from '../../graph/names-in-scope.ts';
import type { NameScope } from '../../graph/precedents.ts';
import { type Area, area } from '../../grid/area.ts';
import type { Snapshot } from '../../sheet/snapshot.ts';
import { areSameNode, Template } from '../../sheet/template.ts';
import { CellError } from '../../value/errors.ts';
import type { Scalar } from '../../value/scalar.ts';

/**
 * The reason why a formula of a file cannot be calculated: it reads another workbook, calls an unknown function, or
 * cannot be parsed.
 */
type Uncalculable = 'otherWorkbook' | 'unknownFunction' | 'unknownSyntax';

/**
 * Returns the reason why a formula cannot be calculated; null if it can be calculated, even if the result is an error.
 * Follows defined names.
 */
export function findUncalculable(node: Node, sheet: number, scope: NameScope): Uncalculable | null {
  if (node.k === 'invalid') return 'unknownSyntax';
  const pending: Node[] = [node];
  const visited = new Set<Node>(pending);
  let reason: Uncalculable | null = null;
  for (let tree = pending.pop(); tree !== undefined && reason !== 'otherWorkbook'; tree = pending.pop()) {
    const bound = new Set<string>();
    walkTree(tree, (next) => {
      if (next.k === 'call') for (const name of collectBoundNames(next)) bound.add(name);
      if ('sheet' in next && next.sheet !== undefined && 'external' in next.sheet) reason = 'otherWorkbook';
      if ((next.k !== 'call' && next.k !== 'name') || bound.has(nameKey(next.name))) return true;
      const defined = findNameInScope(next.name, sheet, scope.names);
      if (defined === undefined) {
        if (next.k === 'call' && isUnavailable(next.name)) reason ??= 'unknownFunction';
      } else if (!visited.has(defined.node)) {
        visited.add(defined.node);
        pending.push(defined.node);
      }
      return true;
    });
  }
  return reason;
}

/** True if a formula, or a defined name that it uses, reads another workbook for which `isMissing` returns true. */
export function readsMissingWorkbook(
  node: Node,
  sheet: number,
  scope: NameScope,
  isMissing: (sheet: string) => boolean,
): boolean {
  const pending: Node[] = [node];
  const visited = new Set<Node>(pending);
  let isFound = false;
  for (let tree = pending.pop(); tree !== undefined && !isFound; tree = pending.pop()) {
    walkTree(tree, (next) => {
      if ('sheet' in next && next.sheet !== undefined && 'external' in next.sheet) {
        isFound ||= isMissing(next.sheet.external);
      } else if (next.k === 'name' || next.k === 'call') {
        const defined = findNameInScope(next.name, sheet, scope.names);
        if (defined !== undefined && !visited.has(defined.node)) {
          visited.add(defined.node);
          pending.push(defined.node);
        }
      }
      return true;
    });
  }
  return isFound;
}

/** True if this engine does not have a function with this name. */
function isUnavailable(name: string): boolean {
  const spec = findCallable(name);
  return spec === undefined || spec.unavailable === true;
}

/** Adds a cached result from a file to a formula: one value, or rows of values. */
export function addCachedResult({ node }: Template, values: readonly (readonly Scalar[])[]): Template {
  const rows = values.map((row) => row.map(toConstantNode));
  const [[only] = [], ...others] = rows;
  const isOne = only !== undefined && others.length === 0 && rows[0]?.length === 1;
  return new Template({ k: 'cached', value: isOne ? only : { k: 'array', rows }, arg: node });
}

/** The node of a constant. */
function toConstantNode(value: Scalar): Node {
  if (typeof value === 'number') return { k: 'number', value };
  if (typeof value === 'boolean') return { k: 'boolean', value };
  if (value instanceof CellError) return { k: 'error', code: value.code };
  return { k: 'text', value: value ?? '' };
}

/** Removes the cached result from a formula's tree. Other trees are returned unchanged. */
export function removeCachedResult(node: Node): Node {
  return node.k === 'cached' ? node.arg : node;
}

/** True if `existing` is the same formula with a cached result. */
export function isCachedForm(existing: Node, node: Node): existing is CachedNode {
  return existing.k === 'cached' && areSameNode(existing.arg, node);
}

/** Counts the cells whose formulas cannot be calculated, by reason. Calls `onCells` for each run. */
export function countUncalculable(
  snapshot: Snapshot,
  onCells: (reason: Uncalculable, cells: { readonly sheet: string; readonly area: Area }) => void = () => undefined,
): Readonly<Record<Uncalculable, number>> {
  const counts = { otherWorkbook: 0, unknownFunction: 0, unknownSyntax: 0 };
  for (const sheet of snapshot.sheets) {
    const reasons = new Map<Template, Uncalculable | null>();
    for (const [index, column] of sheet.columns.entries()) {
      for (const { top, bottom, template } of column?.runs ?? []) {
        let reason = reasons.get(template);
        if (reason === undefined) {
          reason = findUncalculable(removeCachedResult(template.node), sheet.id, snapshot);
          reasons.set(template, reason);
        }
        if (reason === null) continue;
        counts[reason] += bottom - top + 1;
        onCells(reason, { sheet: sheet.name, area: area(top, index, bottom, index) });
      }
    }
  }
  return counts;
}
