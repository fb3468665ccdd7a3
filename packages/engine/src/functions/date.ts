import type { FunctionSpec } from './spec.ts';

export const DATE: readonly FunctionSpec[] = [];
