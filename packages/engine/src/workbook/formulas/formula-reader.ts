import type { Grammar, ParseNames } from '../../formula/index.ts';
import type { Template } from '../../sheet/template.ts';
import { TemplateReader } from './templates.ts';

/** Parses formula texts of a batch, with one `TemplateReader` for each grammar. */
export class FormulaReader {
  private readonly names: ParseNames;
  private readers: Map<Grammar, TemplateReader> | null = null;

  constructor(names: ParseNames) {
    this.names = names;
  }

  /** Parses a formula text for a cell. Equal formulas get the same template. */
  parseFormula(text: string, grammar: Grammar, row: number, column: number): Template {
    return this.ensureReader(grammar).readTemplate(text, row, column);
  }

  /** Drops the texts parsed so far. Call it when the same text may mean another formula from now on. */
  reset(): void {
    this.readers = null;
  }

  /** The reader for a grammar; creates it if there is none. */
  private ensureReader(grammar: Grammar): TemplateReader {
    const existingReader = this.readers?.get(grammar);
    if (existingReader !== undefined) return existingReader;
    const reader = new TemplateReader(grammar, this.names);
    this.readers = (this.readers ?? new Map<Grammar, TemplateReader>()).set(grammar, reader);
    return reader;
  }
}
