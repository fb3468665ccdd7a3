import type { ErrorCode } from '../value/errors.ts';

/**
 * The syntax tree of a formula, relative to the cell that holds it, so that cells filled down from one another share
 * one tree. Nodes are plain JSON: the tree's JSON text is a template's identity and its stored form.
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

export interface NumberNode {
  readonly k: 'number';
  readonly value: number;
}
export interface TextNode {
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
/** An argument left out between separators: the second one of `IF(A1;;3)`. */
export interface MissingNode {
  readonly k: 'missing';
}

/**
 * The sheet of a reference: a stable sheet id (a rename changes no tree), two of them for a 3-D reference, or, where
 * no such sheet exists, the name as written; of another workbook what stands before the `!` (`[1]Sheet1`, `[1]`), which is
 * never looked into; absent for the formula's own sheet.
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
 * A rectangle `A1:B2`. Two absolute or two relative bounds are ordered; of an absolute and a relative one (`A$5:A1`) either
 * may be first, since their order depends on the cell: take the lesser of top and bottom, of left and right. `whole` is
 * 'columns' for `A:B`, 'rows' for `1:2`. `open` marks `A2:B` (open at the bottom).
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
/** A structured reference; an empty `table` is the table around the formula's cell. */
export interface TableNode {
  readonly k: 'table';
  readonly table: string;
  readonly items: readonly TableItem[];
  /** Absent: all columns. */
  readonly from?: string;
  /** The last column of `[[A]:[C]]`. */
  readonly to?: string;
}

/** `@` is implicit intersection, `#` the spilled range of an anchor. */
export type UnaryOperator = '-' | '+' | '%' | '@' | '#';
export interface UnaryNode {
  readonly k: 'unary';
  readonly op: UnaryOperator;
  readonly arg: Node;
}

/** `union` is `,` in files, on the wire `;` within brackets of its own and `~` anywhere; `intersect` is the blank; `:` joins two references into a range. */
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
/** Parentheses as written: kept so that a formula reads back as it was sent. */
export interface ParenthesesNode {
  readonly k: 'parentheses';
  readonly arg: Node;
}
/**
 * A formula of a file that cannot be calculated here: `value`, a constant or an array of them, is what it gave there. It
 * stays until something that the formula depends on changes. The whole tree, never a part.
 */
export interface CachedNode {
  readonly k: 'cached';
  readonly value: Node;
  readonly arg: Node;
}
/** A formula that cannot be read: its text (with `=`) and what to do about it. The whole tree, never a part. */
export interface InvalidNode {
  readonly k: 'invalid';
  readonly text: string;
  readonly message: string;
  /** It is nested deeper than formulas may be: refused where it is typed, kept as its text where a file holds it. */
  readonly tooDeep?: true;
}
