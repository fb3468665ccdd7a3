import type { FunctionSpec } from './spec.ts';

export const FINANCIAL: readonly FunctionSpec[] = [];
