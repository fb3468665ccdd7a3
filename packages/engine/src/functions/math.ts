import type { FunctionSpec } from './spec.ts';

export const MATH: readonly FunctionSpec[] = [];
