import { type AppliedBatch, type Edit, encodeDelta, encodeInverse } from '@cellwire/engine';
import { allocatePooledBytes, type StructureText } from '@cellwire/store/stored-forms';
import { formatAreas, formatRowOrders } from '../areas.ts';
import { describeStructure } from '../structure.ts';

/** What the log stores of a batch; see `encodeDelta`, `encodeInverse`, `formatAreas` and `describeStructure`. */
interface LogParts {
  readonly delta: Uint8Array;
  readonly inverse: Uint8Array;
  readonly areas: string;
  readonly rowOrders: string | null;
  readonly structure: StructureText | null;
}

/** The parts of a batch that is not committed. */
export const NOT_LOGGED: LogParts = {
  delta: new Uint8Array(0),
  inverse: new Uint8Array(0),
  areas: '',
  rowOrders: null,
  structure: null,
};

/** Returns everything that the log stores of a batch. */
export function encodeForLog(edits: readonly Edit[], { change, outcomes }: AppliedBatch): LogParts {
  return {
    delta: encodeDelta(change, allocatePooledBytes),
    inverse: encodeInverse(change, allocatePooledBytes),
    ...describeForLog(edits, { change, outcomes }),
  };
}

/** The parts of the log that are texts. */
export function describeForLog(
  edits: readonly Edit[],
  { change, outcomes }: Pick<AppliedBatch, 'change' | 'outcomes'>,
): Pick<LogParts, 'areas' | 'rowOrders' | 'structure'> {
  const sheets = { outcomes, before: change.before.sheets, after: change.after.sheets };
  return {
    areas: formatAreas(change, outcomes),
    rowOrders: formatRowOrders(outcomes),
    structure: describeStructure(edits, sheets),
  };
}
