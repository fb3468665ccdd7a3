import type { SharedText } from './shared-memory.ts';
import { type LazyRuns, type Run, Template } from './template.ts';

/** Number of integers per packed run: its rows, the location of its tree's text, and its writer. */
export const RUN_INTEGERS = 6;
/** Writer number of the document's owner. User numbers begin at 1. */
const OWNER = 0;

/** The number that a packed run stores for a writer. */
export function packWriter(writer: number | null): number {
  return writer ?? OWNER;
}

/** Runs of a column in memory that several threads share. */
export interface SharedRuns {
  /** For each run: top, bottom, index of the buffer, start and length of the tree's JSON text in bytes, writer. */
  readonly integers: Int32Array;
  readonly buffers: readonly SharedArrayBuffer[];
}

/** Templates by the location of their text. Runs with the same tree share a template, also in different columns. */
export class TemplatePool {
  private readonly byBuffer = new Map<SharedArrayBuffer, Map<number, Template>>();

  getTemplate(text: SharedText): Template {
    let templates = this.byBuffer.get(text.buffer);
    if (templates === undefined) {
      templates = new Map();
      this.byBuffer.set(text.buffer, templates);
    }
    let template = templates.get(text.start);
    if (template === undefined) {
      template = Template.fromShared(text);
      templates.set(text.start, template);
    }
    return template;
  }
}

/**
 * The runs of a column that another thread shared. Runs and their trees are created on demand: a thread that only
 * serves values of a document with 100,000 formulas needs few of them.
 */
export class PackedRuns implements LazyRuns {
  readonly shared: SharedRuns;
  readonly length: number;
  private readonly sheet: number;
  private readonly column: number;
  private readonly pool: TemplatePool;
  private readonly madeRuns = new Map<number, Run>();
  private all: readonly Run[] | null = null;

  constructor(sheet: number, column: number, shared: SharedRuns, pool: TemplatePool) {
    this.shared = shared;
    this.length = shared.integers.length / RUN_INTEGERS;
    this.sheet = sheet;
    this.column = column;
    this.pool = pool;
  }

  at(row: number): Run | undefined {
    const { integers } = this.shared;
    let low = 0;
    let high = this.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const at = middle * RUN_INTEGERS;
      if (integers[at + 1]! < row) low = middle + 1;
      else if (integers[at]! > row) high = middle - 1;
      else return this.makeRun(middle);
    }
    return undefined;
  }

  list(): readonly Run[] {
    this.all ??= Array.from({ length: this.length }, (_, i) => this.makeRun(i));
    return this.all;
  }

  private makeRun(index: number): Run {
    let run = this.madeRuns.get(index);
    if (run === undefined) {
      const { integers, buffers } = this.shared;
      const at = index * RUN_INTEGERS;
      const template = this.pool.getTemplate({
        buffer: buffers[integers[at + 2]!] as SharedArrayBuffer,
        start: integers[at + 3]!,
        length: integers[at + 4]!,
      });
      const { sheet, column } = this;
      const top = integers[at]!;
      const bottom = integers[at + 1]!;
      const writer = integers[at + 5]!;
      run = { sheet, column, top, bottom, template, writer: writer === OWNER ? null : writer };
      this.madeRuns.set(index, run);
    }
    return run;
  }
}
