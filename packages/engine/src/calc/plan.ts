import type { Node } from '../formula/ast.ts';
import { some } from '../formula/index.ts';
import { FUNCTIONS } from '../functions/catalogue.ts';
import type { Reading } from '../graph/precedents.ts';
import type { Template } from '../sheet/template.ts';
import { type Code, compileFormula } from './compile.ts';
import { type Kernel, kernelOf } from './kernel.ts';

/** What the calculation makes of a template, each when it is wanted: most templates of one cell need none of it. */
export class Plan {
  private readonly node: Node;
  private codeHeld: Code | null = null;
  private kernelHeld: Kernel | null | undefined = undefined;
  private givesFormatHeld: boolean | undefined = undefined;

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

  /** Some function or `%` in it gives its result a number format. */
  get givesFormat(): boolean {
    this.givesFormatHeld ??= some(this.node, givesFormat);
    return this.givesFormatHeld;
  }
}

export function planOf(template: Template): Plan {
  if (template.plan instanceof Plan) return template.plan;
  const plan = new Plan(template.node);
  template.plan = plan;
  return plan;
}

function givesFormat(node: Node): boolean {
  if (node.k === 'unary') return node.op === '%';
  return node.k === 'call' && FUNCTIONS.get(node.name)?.format !== undefined;
}

/** How a formula behaves beyond what its references tell. */
export interface Traits {
  /** Calculated anew at every change: volatile functions, and dynamic ones, whose precedents are not known. */
  readonly always: boolean;
  /** May read cells that its tree does not name: reads are checked while it runs. */
  readonly dynamic: boolean;
  /** Uses TODAY or NOW. */
  readonly clock: boolean;
  /** Means something else once sheets, names or tables come, go or are renamed. */
  readonly structural: boolean;
}

const CLOCK_FUNCTIONS: ReadonlySet<string> = new Set(['TODAY', 'NOW']);

export function traitsOf(reading: Reading): Traits {
  let always = false;
  let dynamic = reading.readsSpill;
  let clock = false;
  let structural = reading.structural;
  for (const name of reading.functions) {
    const spec = FUNCTIONS.get(name);
    if (spec?.volatile || spec?.dynamic || name === ':') always = true;
    if (spec?.dynamic || name === ':') dynamic = true;
    if (CLOCK_FUNCTIONS.has(name)) clock = true;
    if (spec?.structural) structural = true;
  }
  return { always, dynamic, clock, structural };
}
