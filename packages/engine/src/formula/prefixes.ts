import type { Node } from './ast.ts';
import { UNDERSCORE } from './characters.ts';
import { createNameNode, createTableNode } from './nodes.ts';

/** Prefixes of LET and LAMBDA parameters in files. The second one declares an optional parameter. */
export const PARAMETER_PREFIX = '_xlpm.';
export const OPTIONAL_PARAMETER_PREFIX = '_xlop.';
/** A function as a value: `BYROW(A1:B2,_xleta.SUM)`. */
export const FUNCTION_VALUE_PREFIX = '_xleta.';

const FUNCTION_PREFIXES = ['_xlfn.', '_xlws.', '_xludf.', PARAMETER_PREFIX];

/** A function's upper-case name without any prefixes of files. */
export function removeFilePrefixes(writtenName: string): string {
  let from = 0;
  while (writtenName.charCodeAt(from) === UNDERSCORE) {
    const prefix = FUNCTION_PREFIXES.find((one) => hasPrefixAt(writtenName, one, from));
    if (prefix === undefined || from + prefix.length === writtenName.length) break;
    from += prefix.length;
  }
  return writtenName.slice(from).toUpperCase();
}

/** The node of a name with a file prefix; null for other names. */
export function readFileName(name: string): Node | null {
  if (name.charCodeAt(0) !== UNDERSCORE) return null;
  if (hasPrefix(name, PARAMETER_PREFIX)) return createNameNode(name.slice(PARAMETER_PREFIX.length));
  if (hasPrefix(name, OPTIONAL_PARAMETER_PREFIX)) {
    return createTableNode('', [], name.slice(OPTIONAL_PARAMETER_PREFIX.length));
  }
  return hasPrefix(name, FUNCTION_VALUE_PREFIX) ? createNameNode(name.slice(FUNCTION_VALUE_PREFIX.length)) : null;
}

function hasPrefix(name: string, prefix: string): boolean {
  return name.length > prefix.length && hasPrefixAt(name, prefix, 0);
}

function hasPrefixAt(text: string, prefix: string, from: number): boolean {
  return text.slice(from, from + prefix.length).toLowerCase() === prefix;
}
