import type { Coordinate, Node } from '../../formula/ast.ts';
import {
  type FormulaPosition,
  findMovableReferences,
  type MovableReference,
  moveReference,
  replaceReferences,
} from '../../formula/index.ts';
import type { Move } from '../../grid/move.ts';
import { areSameNode, Template } from '../../sheet/template.ts';
import { areSameTemplate } from './update-runs.ts';

/** Maximum number of successors stored per template. Most templates have one or two. */
const MAX_SUCCESSORS = 4;

/** The template that results from replacing the references of another template by these. */
interface Successor {
  readonly references: readonly Node[];
  readonly template: Template;
}

/** The references of a template, and the templates that result from moves. */
interface TemplateHistory {
  readonly references: readonly MovableReference[];
  readonly successors: Successor[];
  /** True if a move of the batch created the template. */
  readonly isMade: boolean;
}

/**
 * Templates during the moves of one batch. Templates that differ only in references are compared by their references.
 * Each successor is created once, even if a thousand moves lead to it and back.
 */
export class MovedTemplates {
  private readonly histories = new Map<Template, TemplateHistory>();

  /**
   * Returns a formula after a move that also moves the formula from one position to another. Returns the same template
   * if nothing changes.
   */
  moveTemplate(template: Template, move: Move, from: FormulaPosition, to: FormulaPosition): Template {
    const history = this.ensureHistory(template);
    const { references } = history;
    let others: Node[] | null = null;
    for (let i = 0; i < references.length; i++) {
      const reference = references[i]!;
      const next = moveReference(reference, move, from, to);
      if (next === reference) continue;
      others ??= references.slice();
      others[i] = next;
    }
    return others === null ? template : this.ensureSuccessor(template, history, others);
  }

  /** The template with other references; creates it if it was not created before. */
  private ensureSuccessor(template: Template, history: TemplateHistory, references: readonly Node[]): Template {
    for (const one of history.successors) if (areSameNodes(one.references, references)) return one.template;
    const successor = new Template(replaceReferences(template.node, references));
    addSuccessor(history, { references, template: successor });
    const isBack = references.every((one) => one.k === 'cell' || one.k === 'area');
    this.histories.set(successor, {
      references: isBack ? references : findMovableReferences(successor.node),
      successors: isBack ? [{ references: history.references, template }] : [],
      isMade: true,
    });
    return successor;
  }

  /** True if the move `reverse` converts `movedTemplate` back to `template`. */
  isRestoredBy(
    template: Template,
    movedTemplate: Template,
    reverse: Move,
    from: FormulaPosition,
    to: FormulaPosition,
  ): boolean {
    const before = this.ensureHistory(template).references;
    const after = this.ensureHistory(movedTemplate).references;
    if (before.length !== after.length) return false;
    return after.every((one, i) => isSame(moveReference(one, reverse, from, to), before[i]!));
  }

  /**
   * True if two templates are the same formula. Different objects can be the same formula only if moves created them.
   */
  areEqual(a: Template, b: Template): boolean {
    if (a === b) return true;
    const [one, other] = [this.ensureHistory(a), this.ensureHistory(b)];
    return (one.isMade || other.isMade) && areSameNodes(one.references, other.references) && areSameTemplate(a, b);
  }

  /** The references and successors of a template; creates them if there are none. */
  private ensureHistory(template: Template): TemplateHistory {
    let history = this.histories.get(template);
    if (history === undefined) {
      history = { references: findMovableReferences(template.node), successors: [], isMade: false };
      this.histories.set(template, history);
    }
    return history;
  }
}

/** Remembers a template that results from a move. Forgets the oldest if there are many. */
function addSuccessor({ successors }: TemplateHistory, successor: Successor): void {
  if (successors.length === MAX_SUCCESSORS) successors.shift();
  successors.push(successor);
}

/** True if two lists contain equal references in the same order. */
function areSameNodes(a: readonly Node[], b: readonly Node[]): boolean {
  return a.length === b.length && a.every((one, i) => isSame(one, b[i]!));
}

/**
 * True if two references are equal. References to the formula's own sheet, which are the most frequent, are compared
 * part by part.
 */
function isSame(a: Node, b: Node): boolean {
  if (a === b) return true;
  if (a.k === 'cell' && b.k === 'cell') {
    if (!areSameCoordinates(a.row, b.row) || !areSameCoordinates(a.column, b.column)) return false;
    return a.sheet === b.sheet || areSameNode(a, b);
  }
  if (a.k === 'area' && b.k === 'area' && !(areSameCoordinates(a.top, b.top) && areSameCoordinates(a.bottom, b.bottom)))
    return false;
  return areSameNode(a, b);
}

function areSameCoordinates(a: Coordinate, b: Coordinate): boolean {
  return a.at === b.at && a.absolute === b.absolute;
}
