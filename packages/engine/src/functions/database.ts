import type { FunctionSpec } from './spec.ts';

export const DATABASE: readonly FunctionSpec[] = [];
