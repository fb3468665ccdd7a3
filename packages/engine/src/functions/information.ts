import type { FunctionSpec } from './spec.ts';

export const INFORMATION: readonly FunctionSpec[] = [];
