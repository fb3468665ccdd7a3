import { NUMBER_BASES } from './engineering/bases.ts';
import { COMPLEX } from './engineering/complex.ts';
import { CONVERSION } from './engineering/convert.ts';
import { SPECIAL } from './engineering/special.ts';
import type { FunctionSpec } from './spec.ts';

/** Number bases, bits, complex numbers, units, Bessel and error functions. */
export const ENGINEERING: readonly FunctionSpec[] = [NUMBER_BASES, COMPLEX, CONVERSION, SPECIAL].flat();
