import type { FunctionSpec } from './spec.ts';

export const ENGINEERING: readonly FunctionSpec[] = [];
