import type { FunctionSpec } from './spec.ts';

export const TEXT: readonly FunctionSpec[] = [];
