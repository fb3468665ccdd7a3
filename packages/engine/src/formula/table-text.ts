import type { TableItem, TableNode } from './ast.ts';
import type { Grammar } from './grammar.ts';
import { OPTIONAL_PARAMETER_PREFIX } from './prefixes.ts';

const KEYWORDS: Readonly<Record<TableItem, string>> = {
  all: '#All',
  data: '#Data',
  headers: '#Headers',
  totals: '#Totals',
  thisRow: '#This Row',
};

const SPECIAL = /['[\]#@]/g;
/**
 * Matches names that need no second pair of brackets. Blanks are allowed in `Table1[a b]`, but not in `Table1[@[a b]]`.
 */
const PLAIN = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_. ]*$/u;
const PLAIN_WORD = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.]*$/u;

/**
 * Returns the canonical text of a structured reference. `isStored`: prints `[[#This Row],[Col]]` as in files instead of
 * `[@Col]`. `isParameter`: prints the optional parameter of a LAMBDA, `[x]`.
 */
export function formatTableReference(
  node: TableNode,
  grammar: Grammar,
  isStored: boolean,
  isParameter: boolean,
): string {
  if (isStored && isParameter) return OPTIONAL_PARAMETER_PREFIX + node.from;
  return `${node.table}[${formatSpecifier(node, grammar, isStored)}]`;
}

/** The text in the brackets of a structured reference. */
function formatSpecifier(node: TableNode, grammar: Grammar, isStored: boolean): string {
  const columns = formatColumns(node);
  const [only] = node.items;
  if (only === undefined) return node.to === undefined ? formatSimpleColumn(node.from, PLAIN) : columns;
  if (node.items.length === 1) {
    if (only === 'thisRow' && !isStored)
      return `@${node.to === undefined ? formatSimpleColumn(node.from, PLAIN_WORD) : columns}`;
    if (node.from === undefined) return KEYWORDS[only];
  }
  const parts = node.items.map((item) => `[${KEYWORDS[item]}]`);
  if (columns !== '') parts.push(columns);
  return parts.join(grammar.argument);
}

/** The columns of a structured reference: `[A]`, `[A]:[B]` or the empty text. */
function formatColumns(node: TableNode): string {
  if (node.from === undefined) return '';
  return node.to === undefined ? addBrackets(node.from) : `${addBrackets(node.from)}:${addBrackets(node.to)}`;
}

/** The name of a column, in brackets if it contains characters that `plain` does not match. */
function formatSimpleColumn(column: string | undefined, plain: RegExp): string {
  if (column === undefined) return '';
  return plain.test(column) ? column : addBrackets(column);
}

function addBrackets(column: string): string {
  return `[${column.replace(SPECIAL, "'$&")}]`;
}
