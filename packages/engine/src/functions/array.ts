import { LAMBDAS } from './array/lambda.ts';
import { PIVOT } from './array/pivot.ts';
import { SELECT } from './array/select.ts';
import { SHAPE } from './array/shape.ts';
import type { FunctionSpec } from './spec.ts';

export const ARRAY: readonly FunctionSpec[] = [...SHAPE, ...SELECT, ...LAMBDAS, ...PIVOT];
