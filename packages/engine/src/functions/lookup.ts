import type { FunctionSpec } from './spec.ts';

export const LOOKUP: readonly FunctionSpec[] = [];
