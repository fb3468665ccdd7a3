import type { PlanFeature } from '../../service/proposals/proposer.ts';
import { operationNamed } from '../registry.ts';

/** The feature of a plan that a proposed operation needs. */
export function planFeatureOf(operation: string): PlanFeature {
  const { feature } = operationNamed(operation)?.requires ?? {};
  return feature === 'valueWrites' ? feature : 'sheetOperations';
}
