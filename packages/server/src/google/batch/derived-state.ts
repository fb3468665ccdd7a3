import type { Edit, Snapshot } from '@cellwire/engine';
import type { PlanSteps } from '../call.ts';
import { FILE_KINDS } from '../sheets/file-rules.ts';
import { KINDS } from '../sheets/state.ts';

/** Edits of cells and their formats. */
const CELL_EDITS: ReadonlySet<Edit['kind']> = new Set([
  'setValues',
  'clear',
  'setFormat',
  'styleCells',
  'mergeCells',
  'unmergeCells',
  'sizeLines',
  'hideLines',
  'groupLines',
  'setSheetPart',
]);

/** Further edits that change no styles of cells. A new sheet has no styles, and its id is new. */
const PLAIN_EDITS: ReadonlySet<Edit['kind']> = new Set([
  'attach',
  'addSheet',
  'renameSheet',
  'deleteSheet',
  'moveSheet',
  'colorSheet',
  'hideSheet',
  'changeSettings',
]);

/** True if an edit changes no styles of cells, or if it is `styleCells`. */
export function keepsOtherStyles({ kind }: Edit): boolean {
  return PLAIN_EDITS.has(kind) || CELL_EDITS.has(kind);
}

/** What requests derive from the state of a batch. */
type DerivedPart = 'formatRules' | 'names' | 'metadata';

/** Attachments that belong to each part. */
const KINDS_OF: Readonly<Record<DerivedPart, ReadonlySet<string>>> = {
  formatRules: new Set([KINDS.conditionalFormat, FILE_KINDS.conditionalFormat]),
  names: new Set([KINDS.namedRange]),
  metadata: new Set([KINDS.metadata]),
};

/** True if an edit changes neither `part`, nor the list of sheets, nor the positions of cells. */
export function isIndependent(edit: Edit, part: DerivedPart): boolean {
  if (edit.kind === 'attach') return !KINDS_OF[part].has(edit.attachment);
  if (edit.kind === 'setName' || edit.kind === 'deleteName') return part !== 'names';
  return CELL_EDITS.has(edit.kind);
}

/**
 * What requests of a batch need to know about names or metadata, computed once for many requests. It is computed again
 * after edits that may change it.
 */
export class DerivedState<T> {
  private value: T | null = null;
  /** The number of edits that the value contains. */
  private edits = 0;
  private readonly part: DerivedPart;

  constructor(part: DerivedPart) {
    this.part = part;
  }

  /** `readStructure` returns the structure after all `edits`. */
  *getOrCompute(
    edits: readonly Edit[],
    readStructure: () => PlanSteps<Snapshot>,
    compute: (structure: Snapshot) => T,
  ): PlanSteps<T> {
    if (this.value === null || !this.isCurrent(edits)) this.value = compute(yield* readStructure());
    this.edits = edits.length;
    return this.value;
  }

  /** Records that the value includes the effect of all edits of the batch. `edits`: all edits so far. */
  markUpToDate(edits: readonly Edit[]): void {
    this.edits = edits.length;
  }

  private isCurrent(edits: readonly Edit[]): boolean {
    for (let i = this.edits; i < edits.length; i++) if (!isIndependent(edits[i]!, this.part)) return false;
    return true;
  }
}
