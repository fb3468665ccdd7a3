import type { FunctionSpec } from './spec.ts';

export const ARRAY: readonly FunctionSpec[] = [];
