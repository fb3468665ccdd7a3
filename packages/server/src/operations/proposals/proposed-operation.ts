import type { PlanFeature } from '../../service/proposals/proposer.ts';
import type { Operation } from '../operation.ts';
import { RECORD_OPERATIONS } from '../records/index.ts';
import { REVISION_OPERATIONS } from '../revisions/index.ts';
import { SHEET_OPERATIONS } from '../sheets/index.ts';
import { STRUCTURE_OPERATIONS } from '../structure/index.ts';
import { VALUE_OPERATIONS } from '../values/index.ts';

/** The groups with operations that write cells, which a proposal can hold. */
const GROUPS: readonly Operation[] = [
  ...VALUE_OPERATIONS,
  ...SHEET_OPERATIONS,
  ...STRUCTURE_OPERATIONS,
  ...RECORD_OPERATIONS,
  ...REVISION_OPERATIONS,
];

/**
 * The operation of a proposal by its id; null: this version has no such operation, because another version stored the
 * proposal.
 */
export function findProposedOperation(id: string): Operation | null {
  return GROUPS.find((operation) => operation.id === id && operation.effect === 'write') ?? null;
}

/** The plan's feature that a proposed operation requires. */
export function findPlanFeature(id: string): PlanFeature {
  const { feature } = findProposedOperation(id)?.requires ?? {};
  return feature === 'valueWrites' ? feature : 'sheetOperations';
}
