import type { FunctionSpec } from './spec.ts';

export const LOGICAL: readonly FunctionSpec[] = [];
