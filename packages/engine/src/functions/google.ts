import type { FunctionSpec } from './spec.ts';

export const GOOGLE: readonly FunctionSpec[] = [];
