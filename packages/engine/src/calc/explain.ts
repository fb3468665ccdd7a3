import type { Node } from '../formula/ast.ts';
import { isNestedDeeper, MAX_COMPILED_NESTING, MAX_NESTING, nameKey, walkTree } from '../formula/index.ts';
import { collectBoundNames } from '../functions/bound-names.ts';
import { FUNCTIONS, findCallable } from '../functions/catalogue.ts';
import { findArityProblem } from '../functions/invoke.ts';
import { findNameInScope } from '../graph/names-in-scope.ts';
import type { NameScope } from '../graph/precedents.ts';
import { findTableByName } from '../sheet/tables.ts';
import type { ErrorCode } from '../value/errors.ts';

/** The beginning of every message about `#REF!`. */
const INVALID_REFERENCE = 'A reference is not valid';

/** A sentence about a problem that the formula's text shows; null if there is none. */
export function findFormulaProblem(node: Node, sheet: number, scope: NameScope): string | null {
  if (node.k === 'invalid') return node.message;
  if (isNestedDeeper(node, MAX_COMPILED_NESTING))
    return `The formula is nested too deeply: more than ${MAX_NESTING} levels`;
  const bound = new Set<string>();
  let problem: string | null = null;
  walkTree(node, (next) => {
    if (next.k === 'call') for (const name of collectBoundNames(next)) bound.add(name);
    problem ??= findNodeProblem(next, sheet, scope, bound);
    return problem === null;
  });
  return problem;
}

function findNodeProblem(node: Node, sheet: number, scope: NameScope, bound: ReadonlySet<string>): string | null {
  if (node.k === 'call') return findCallProblem(node.name, node.args.length, sheet, scope, bound);
  if ((node.k === 'cell' || node.k === 'area' || node.k === 'name') && node.sheet && 'missing' in node.sheet) {
    return `${INVALID_REFERENCE}: there is no sheet ${node.sheet.missing}`;
  }
  if ('sheet' in node && node.sheet && 'external' in node.sheet)
    return `${INVALID_REFERENCE}: other workbooks are not read (${node.sheet.external})`;
  if (node.k === 'name') {
    const isDefined = bound.has(nameKey(node.name)) || FUNCTIONS.has(node.name.toUpperCase());
    if (isDefined || findNameInScope(node.name, sheet, scope.names) || isTable(node.name, scope)) return null;
    return `Unknown name ${node.name}`;
  }
  return null;
}

function findCallProblem(
  name: string,
  count: number,
  sheet: number,
  scope: NameScope,
  bound: ReadonlySet<string>,
): string | null {
  const spec = findCallable(name);
  if (spec) return findArityProblem(spec, count);
  return bound.has(nameKey(name)) || findNameInScope(name, sheet, scope.names) ? null : `Unknown function ${name}`;
}

function isTable(name: string, scope: NameScope): boolean {
  return findTableByName(name, scope.tables) !== undefined;
}

const GENERAL_MESSAGES: Readonly<Record<ErrorCode, string>> = {
  '#NULL!': 'The ranges have no cell in common',
  '#DIV/0!': 'Division by zero',
  '#VALUE!': 'A value has the wrong type for the formula',
  '#REF!': `${INVALID_REFERENCE}: its cells do not exist, they hold hidden values that the formula's writer may not see or that text (INDIRECT) may not open, or the formula depends on its own result`,
  '#NAME?': 'A name in the formula is not known',
  '#NUM!': 'A number is not valid for the formula, or too large',
  '#N/A': 'The value looked for is not available',
  '#SPILL!': 'The result needs cells that are not empty, or reaches beyond the sheet',
  '#CALC!': 'The result cannot be shown in a cell',
  '#ERROR!': 'The formula cannot be read',
};

/** A sentence for users about an error value. */
export function getErrorMessage(code: ErrorCode): string {
  return GENERAL_MESSAGES[code];
}
