import type { ErrorCode } from '../value/errors.ts';

/**
 * The syntax tree of a formula, relative to its cell: cells that were filled from one another have the same tree. Nodes
 * are plain JSON. The JSON text of the tree identifies a template and is its stored form.
 */
export type Node =
  | NumberNode
  | TextNode
  | BooleanNode
  | ErrorNode
  | MissingNode
  | CellNode
  | AreaNode
  | NameNode
  | TableNode
  | UnaryNode
  | BinaryNode
  | CallNode
  | ApplyNode
  | ArrayNode
  | ParenthesesNode
  | CachedNode
  | InvalidNode;

interface NumberNode {
  readonly k: 'number';
  readonly value: number;
}
interface TextNode {
  readonly k: 'text';
  readonly value: string;
}
export interface BooleanNode {
  readonly k: 'boolean';
  readonly value: boolean;
}
export interface ErrorNode {
  readonly k: 'error';
  readonly code: ErrorCode;
}
/** An argument that is omitted between separators, such as the second argument of `IF(A1;;3)`. */
export interface MissingNode {
  readonly k: 'missing';
}

/**
 * The sheet of a reference. `id`: a sheet id, so that renaming a sheet changes no tree. `from` and `to`: a 3-D
 * reference. `missing`: the name in the text, if there is no such sheet. `external`: another workbook; the text before
 * the `!` (`[1]Sheet1`, `[1]`), which is never interpreted. Absent for the formula's own sheet.
 */
export type SheetPart =
  | { readonly id: number }
  | { readonly from: number; readonly to: number }
  | { readonly missing: string }
  | { readonly external: string };

/** One coordinate: absolute (`$`, zero-based) or an offset from the formula's own cell. */
export interface Coordinate {
  readonly at: number;
  readonly absolute: boolean;
}

/** A single cell, `A1`. */
export interface CellNode {
  readonly k: 'cell';
  readonly sheet?: SheetPart;
  readonly row: Coordinate;
  readonly column: Coordinate;
}
/**
 * A rectangle `A1:B2`. Two absolute or two relative bounds are in order. An absolute and a relative bound (`A$5:A1`)
 * may be in any order, because the order depends on the cell: use the lesser of top and bottom, and of left and right.
 * `whole` is 'columns' for `A:B`, 'rows' for `1:2`. `open` is set for `A2:B`, which is open at the bottom.
 */
export interface AreaNode {
  readonly k: 'area';
  readonly sheet?: SheetPart;
  readonly top: Coordinate;
  readonly left: Coordinate;
  readonly bottom: Coordinate;
  readonly right: Coordinate;
  readonly whole?: 'columns' | 'rows';
  readonly open?: true;
}
/** A defined name, or a parameter of LET or LAMBDA; `sheet` for `Sheet1!Name`. */
export interface NameNode {
  readonly k: 'name';
  readonly name: string;
  readonly sheet?: SheetPart;
}

export type TableItem = 'all' | 'data' | 'headers' | 'totals' | 'thisRow';
/** A structured reference. An empty `table` means the table around the formula's cell. */
export interface TableNode {
  readonly k: 'table';
  readonly table: string;
  readonly items: readonly TableItem[];
  /** The first column; absent for all columns. */
  readonly from?: string;
  /** The last column of `[[A]:[C]]`. */
  readonly to?: string;
}

/** An operator with one operand. `@` is implicit intersection, `#` the spilled range of an anchor. */
export type UnaryOperator = '-' | '+' | '%' | '@' | '#';
export interface UnaryNode {
  readonly k: 'unary';
  readonly op: UnaryOperator;
  readonly arg: Node;
}

/**
 * An operator with two operands. `union` is `,` in files; in the API it is `;` directly within brackets and `~`
 * anywhere. `intersect` is a blank. `:` joins two references to a range.
 */
export type BinaryOperator =
  | '+'
  | '-'
  | '*'
  | '/'
  | '^'
  | '&'
  | '='
  | '<>'
  | '<'
  | '<='
  | '>'
  | '>='
  | ':'
  | 'union'
  | 'intersect';
export interface BinaryNode {
  readonly k: 'binary';
  readonly op: BinaryOperator;
  readonly left: Node;
  readonly right: Node;
}

/** A function by its upper-case English name, without the `_xlfn.` prefixes of files. */
export interface CallNode {
  readonly k: 'call';
  readonly name: string;
  readonly args: readonly Node[];
}
/** A call of a value: `LAMBDA(x;x+1)(2)`. */
export interface ApplyNode {
  readonly k: 'apply';
  readonly callee: Node;
  readonly args: readonly Node[];
}
/** An array constant, row by row; elements are numbers, texts, booleans and errors. */
export interface ArrayNode {
  readonly k: 'array';
  readonly rows: readonly (readonly Node[])[];
}
/** Parentheses of the text. They are kept so that the API returns the formula as it was sent. */
interface ParenthesesNode {
  readonly k: 'parentheses';
  readonly arg: Node;
}
/**
 * A formula from a file that this engine cannot calculate. `value`, a constant or an array of constants, is its result
 * in the file. It is shown until a cell changes that the formula depends on. Always the root of a tree.
 */
export interface CachedNode {
  readonly k: 'cached';
  readonly value: Node;
  readonly arg: Node;
}
/** A formula that cannot be parsed: its text (with `=`) and an error message. Always the root of a tree. */
interface InvalidNode {
  readonly k: 'invalid';
  readonly text: string;
  readonly message: string;
  /** Present if the formula is nested too deeply. The API refuses it; an import keeps its text. */
  readonly tooDeep?: true;
}
