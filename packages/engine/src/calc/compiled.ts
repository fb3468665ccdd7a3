import type { Node } from '../formula/ast.ts';
import { Template } from '../sheet/template.ts';
import { compileFormula } from './compile.ts';
import type { Code } from './evaluation.ts';
import { type FormatUse, findFormatUse } from './format-use.ts';
import { compileKernel, type Kernel } from './kernel.ts';

/** The compiled forms of a template, each made on demand. Most templates of one cell need none. */
export class CompiledTemplate {
  private readonly node: Node;
  /** True for a formula with a cached result from a file. */
  readonly isCached: boolean;
  private madeCode: Code | null = null;
  private madeKernel: Kernel | null | undefined = undefined;
  private madeFormatUse: FormatUse | null = null;

  constructor(node: Node) {
    this.node = node;
    this.isCached = node.k === 'cached';
  }

  get code(): Code {
    this.madeCode ??= compileFormula(this.node);
    return this.madeCode;
  }

  /** The block calculation of a formula of plain arithmetic; null for other formulas. */
  get kernel(): Kernel | null {
    if (this.madeKernel === undefined) this.madeKernel = compileKernel(this.node);
    return this.madeKernel;
  }

  /** The parts of the formula that can give the result its number format. */
  get formatUse(): FormatUse {
    this.madeFormatUse ??= findFormatUse(this.node);
    return this.madeFormatUse;
  }
}

export function getCompiledTemplate(template: Template): CompiledTemplate {
  if (template.compiled instanceof CompiledTemplate) return template.compiled;
  const compiled = new CompiledTemplate(template.node);
  template.compiled = compiled;
  return compiled;
}

/** Returns the template of a formula that no longer shows the cached result of its file. */
export function createReleasedTemplate(template: Template): Template {
  const { node } = template;
  return node.k === 'cached' ? new Template(node.arg) : template;
}
