import type { Node } from '../formula/ast.ts';
import type { Template } from '../sheet/template.ts';
import { compileFormula } from './compile.ts';
import type { Code } from './evaluation.ts';
import { type FormatUse, formatUseOf } from './format-use.ts';
import { type Kernel, kernelOf } from './kernel.ts';

/** What the calculation makes of a template, each when it is wanted: most templates of one cell need none of it. */
export class Plan {
  private readonly node: Node;
  private codeHeld: Code | null = null;
  private kernelHeld: Kernel | null | undefined = undefined;
  private formatUseHeld: FormatUse | null = null;

  constructor(node: Node) {
    this.node = node;
  }

  get code(): Code {
    this.codeHeld ??= compileFormula(this.node);
    return this.codeHeld;
  }

  /** For plain arithmetic; null for anything else. */
  get kernel(): Kernel | null {
    if (this.kernelHeld === undefined) this.kernelHeld = kernelOf(this.node);
    return this.kernelHeld;
  }

  /** Where its result may take a number format from. */
  get formatUse(): FormatUse {
    this.formatUseHeld ??= formatUseOf(this.node);
    return this.formatUseHeld;
  }
}

export function planOf(template: Template): Plan {
  if (template.plan instanceof Plan) return template.plan;
  const plan = new Plan(template.node);
  template.plan = plan;
  return plan;
}
