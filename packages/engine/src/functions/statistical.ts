import type { FunctionSpec } from './spec.ts';

export const STATISTICAL: readonly FunctionSpec[] = [];
