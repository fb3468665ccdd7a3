import { PARTS } from './date/parts.ts';
import { SPAN } from './date/span.ts';
import { WORKDAYS } from './date/workdays.ts';
import type { FunctionSpec } from './spec.ts';

export const DATE: readonly FunctionSpec[] = [...PARTS, ...SPAN, ...WORKDAYS];
