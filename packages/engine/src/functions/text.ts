import type { FunctionSpec } from './spec.ts';
import { BASIC } from './text/basic.ts';
import { JOIN } from './text/join.ts';
import { NUMERIC } from './text/numeric.ts';
import { REGEX } from './text/regex.ts';
import { SEARCH } from './text/search.ts';
import { SPLIT } from './text/split.ts';

export const TEXT: readonly FunctionSpec[] = [...BASIC, ...SEARCH, ...SPLIT, ...JOIN, ...NUMERIC, ...REGEX];
