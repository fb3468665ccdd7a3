import { MAX_MASK_DEPTH, MAX_MASK_LENGTH } from '../limits/google.ts';
import { createInvalidProblem } from './problem.ts';

/** The members that a mask names; null: all members, at any depth. */
export type FieldMask = ReadonlyMap<string, FieldMask> | null;

/** True for `*`, which matches all members. */
const ALL = '*';

/**
 * Compiles a field mask: names with `.` or `/` between levels, commas between paths, parentheses around several
 * members of one object, `*` for all of them. Names may be in camel or snake case. The grammar is Google's:
 * https://developers.google.com/slides/api/guides/field-masks
 */
export function compileMask(text: string): FieldMask {
  if (text.length > MAX_MASK_LENGTH) throw createInvalidMaskProblem(text);
  const parser = new MaskParser(text);
  const root: MaskNode = new Map();
  parser.parseList([root], 0);
  if (!parser.isAtEnd) throw createInvalidMaskProblem(text);
  return toMask(root);
}

/** `null`: the mask includes everything below the node. */
type MaskNode = Map<string, MaskNode | null>;

class MaskParser {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get isAtEnd(): boolean {
    this.skipBlanks();
    return this.at >= this.text.length;
  }

  /** Parses comma-separated paths below each of the nodes. */
  parseList(into: readonly MaskNode[], depth: number): void {
    do this.parsePath(into, depth);
    while (this.takeMark(','));
  }

  /** Parses one path, such as `a.b` or `a(b,c)`, and adds it to each of the nodes. */
  private parsePath(into: readonly MaskNode[], depth: number): void {
    if (depth > MAX_MASK_DEPTH) throw createInvalidMaskProblem(this.text);
    const name = this.parseName();
    if (this.takeMark('.') || this.takeMark('/')) return this.parsePath(listChildNodes(into, name), depth + 1);
    if (this.takeMark('(')) {
      this.parseList(listChildNodes(into, name), depth + 1);
      if (!this.takeMark(')')) throw createInvalidMaskProblem(this.text);
      return;
    }
    for (const node of into) node.set(name, null);
  }

  /** Parses a name or `*`. A name in snake case is returned in camel case. */
  private parseName(): string {
    this.skipBlanks();
    const [name] = /^(?:\*|[A-Za-z_][A-Za-z0-9_]*)/.exec(this.text.slice(this.at, this.at + MAX_NAME_LENGTH)) ?? [];
    if (name === undefined) throw createInvalidMaskProblem(this.text);
    this.at += name.length;
    return name === ALL ? ALL : name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  }

  /** Skips the mark and returns true if it comes next. */
  private takeMark(mark: string): boolean {
    this.skipBlanks();
    if (this.text[this.at] !== mark) return false;
    this.at++;
    return true;
  }

  private skipBlanks(): void {
    while (this.text[this.at] === ' ') this.at++;
  }
}

const MAX_NAME_LENGTH = 100;

/** The nodes of one member. A member that is included completely stays so. */
function listChildNodes(nodes: readonly MaskNode[], name: string): readonly MaskNode[] {
  return nodes.map((node) => {
    const existing = node.get(name);
    if (existing === null) return new Map();
    const child: MaskNode = existing ?? new Map();
    node.set(name, child);
    return child;
  });
}

/** The finished mask of a node; null if it includes all members. */
function toMask(node: MaskNode): FieldMask {
  if (node.get(ALL) === null) return null;
  return new Map([...node].map(([name, child]) => [name, child === null ? null : toMask(child)]));
}

function createInvalidMaskProblem(text: string) {
  return createInvalidProblem(`Invalid field mask: ${text.slice(0, MAX_SHOWN_MASK)}`);
}

const MAX_SHOWN_MASK = 200;

/** The mask for a member; undefined: the mask does not include it. */
export function findMemberMask(mask: FieldMask, name: string): FieldMask | undefined {
  if (mask === null) return null;
  return mask.get(name) ?? (mask.has(name) ? null : (mask.get(ALL) ?? (mask.has(ALL) ? null : undefined)));
}

/** Whether the mask includes a member or something below it. */
export function includesPath(mask: FieldMask, ...path: readonly string[]): boolean {
  let part: FieldMask | undefined = mask;
  for (const name of path) {
    part = findMemberMask(part, name);
    if (part === undefined) return false;
  }
  return true;
}

/**
 * The part of a value that a mask includes; undefined: nothing. List elements keep their positions if a later element
 * has an included part.
 */
export function selectMembers(value: unknown, mask: FieldMask): unknown {
  if (mask === null || value === undefined) return value;
  if (Array.isArray(value)) return (value as unknown[]).map((element) => selectMembers(element, mask) ?? {});
  if (typeof value !== 'object' || value === null) return undefined;
  const keptMembers: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const below = findMemberMask(mask, name);
    const left = below === undefined ? undefined : selectMembers(member, below);
    if (left !== undefined) keptMembers[name] = left;
  }
  return keptMembers;
}
