import type { CallNode, NameNode, Node, SheetPart } from '../formula/ast.ts';
import { nameKey, transformScoped } from '../formula/index.ts';
import { listNamesBoundInArguments } from '../functions/bound-names.ts';
import { findCallable } from '../functions/catalogue.ts';
import { findNameInScope } from '../graph/names-in-scope.ts';
import { resolveSheetPart } from '../graph/sheet-parts.ts';
import type { Draft } from '../sheet/draft.ts';
import type { DefinedName } from '../sheet/snapshot.ts';
import { createScopedKey, indexNamesByScope } from './scoped-names.ts';

/** Used instead of a sheet id for the formula of a name of the whole document. No sheet has this id. */
export const NO_SHEET = -1;

interface RenamedName {
  readonly name: string;
  /** The id of the sheet to which the name is scoped; absent for a name of the document. */
  readonly scope?: number;
  readonly newName: string;
}

const NONE_BOUND: readonly string[] = [];

/** Replaces a defined name by its new name in formulas. */
export class NameRenaming {
  /** True if a rewritten formula already contained the new name, which now means the renamed name. */
  isNewNameUsed = false;
  private readonly draft: Draft;
  private readonly names: readonly DefinedName[];
  private readonly renamed: readonly DefinedName[];
  private readonly newName: string;
  private readonly key: string;
  private readonly newKey: string;
  /**
   * A sheet on which the new name means the renamed one. It is added as prefix in formulas where the name alone means
   * something else.
   */
  private readonly sheet: SheetPart;

  /** `draft`: the state before the renaming. */
  constructor(draft: Draft, { name, scope, newName }: RenamedName) {
    this.draft = draft;
    this.names = draft.names;
    this.renamed = indexNamesByScope(draft.names).get(createScopedKey(name, scope)) ?? [];
    this.newName = newName;
    this.key = nameKey(name);
    this.newKey = nameKey(newName);
    this.sheet = { id: scope ?? draft.sheets[0]?.id ?? NO_SHEET };
  }

  /** `sheet`: the sheet of the formula, or `NO_SHEET`. */
  rewriteTree(root: Node, sheet: number): Node {
    return transformScoped(
      root,
      NONE_BOUND,
      (node, bound) => (node.k === 'call' && !isBound(node, bound) ? listNamesBoundInArguments(node, bound) : null),
      (node, bound) => {
        if (node.k !== 'name' && node.k !== 'call') return node;
        return isBound(node, bound) ? node : this.rewriteWord(node, bound, sheet);
      },
    );
  }

  /** Rewrites a name or a call that is not bound by a surrounding LET or LAMBDA. */
  private rewriteWord(node: NameNode | CallNode, bound: readonly string[], sheet: number): Node {
    const key = nameKey(node.name);
    if (key === this.newKey && key !== this.key) this.isNewNameUsed = true;
    if (key !== this.key) return node;
    if (node.k === 'name') {
      if (!this.isRenamed(node.sheet, sheet)) return node;
      const isHidden = node.sheet === undefined && bound.includes(this.newKey);
      return isHidden ? this.createQualifiedName() : { ...node, name: this.newName };
    }
    if (findCallable(node.name) !== undefined || !this.isRenamed(undefined, sheet)) return node;
    const name = this.newName.toUpperCase();
    const isHidden = bound.includes(this.newKey) || findCallable(name) !== undefined;
    return isHidden ? { k: 'apply', callee: this.createQualifiedName(), args: node.args } : { ...node, name };
  }

  /** The new name with the sheet to which it is scoped. */
  private createQualifiedName(): NameNode {
    return { k: 'name', name: this.newName, sheet: this.sheet };
  }

  /** True if the old name means the renamed definition in a formula on a sheet. */
  private isRenamed(part: SheetPart | undefined, formulaSheet: number): boolean {
    const [sheet] = resolveSheetPart(part, formulaSheet, this.draft);
    if (sheet === undefined) return false;
    const found =
      findNameInScope(this.key, sheet, this.names) ?? (sheet === NO_SHEET ? this.findOnlyDefinition() : undefined);
    return found !== undefined && this.renamed.includes(found);
  }

  /** Returns the definition of the old name if it is the same on every sheet where the name exists. */
  private findOnlyDefinition(): DefinedName | undefined {
    const [first, second] = this.names.filter(({ name }) => nameKey(name) === this.key);
    return second === undefined ? first : undefined;
  }
}

/** True if a surrounding LET or LAMBDA binds the name. */
function isBound(node: NameNode | CallNode, bound: readonly string[]): boolean {
  const isQualified = node.k === 'name' && node.sheet !== undefined;
  return !isQualified && bound.length > 0 && bound.includes(nameKey(node.name));
}
