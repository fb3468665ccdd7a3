import {
  type Grammar,
  matchesSkeleton,
  type ParseNames,
  parseWithSkeleton,
  type Skeleton,
} from '../../formula/index.ts';
import { Template } from '../../sheet/template.ts';

/**
 * Maximum number of recently parsed formulas that a batch keeps. If a formula was filled down from one of them,
 * scanning its text is enough.
 */
const MAX_REMEMBERED = 8;

interface RememberedTemplate {
  readonly skeleton: Skeleton;
  readonly template: Template;
}

/** Parses formula texts to templates. Formulas that were filled from one another get the same template. */
export class TemplateReader {
  private readonly grammar: Grammar;
  private readonly names: ParseNames;
  private readonly recent: RememberedTemplate[] = [];

  constructor(grammar: Grammar, names: ParseNames) {
    this.grammar = grammar;
    this.names = names;
  }

  /** Parses a formula text for a cell, or returns the template of an equal formula that was parsed before. */
  readTemplate(text: string, row: number, column: number): Template {
    for (const rememberedTemplate of this.recent)
      if (matchesSkeleton(rememberedTemplate.skeleton, text, row, column)) return rememberedTemplate.template;
    const { node, skeleton } = parseWithSkeleton(text, this.grammar, { row, column }, this.names);
    const template = new Template(node);
    if (skeleton) {
      this.recent.unshift({ skeleton, template });
      if (this.recent.length > MAX_REMEMBERED) this.recent.pop();
    }
    return template;
  }
}
