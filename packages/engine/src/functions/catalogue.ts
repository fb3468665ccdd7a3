import { ARRAY } from './array.ts';
import { DATABASE } from './database.ts';
import { DATE } from './date.ts';
import { ENGINEERING } from './engineering.ts';
import { FINANCIAL } from './financial.ts';
import { BINDING } from './forms/binding.ts';
import { BRANCHES } from './forms/branches.ts';
import { GOOGLE } from './google.ts';
import { INFORMATION } from './information.ts';
import { LOGICAL } from './logical.ts';
import { LOOKUP } from './lookup.ts';
import { MATH } from './math.ts';
import type { Callable, FormSpec, FunctionSpec } from './spec.ts';
import { STATISTICAL } from './statistical.ts';
import { TEXT } from './text.ts';

/** Every function that is given its arguments calculated, by upper-case English name. */
export const FUNCTIONS: ReadonlyMap<string, FunctionSpec> = new Map(
  [MATH, STATISTICAL, LOOKUP, TEXT, DATE, FINANCIAL, LOGICAL, INFORMATION, ENGINEERING, DATABASE, ARRAY, GOOGLE]
    .flat()
    .map((spec) => [spec.name, spec]),
);

/** Every form that decides itself what of its arguments is calculated, by upper-case English name. */
export const FORMS: ReadonlyMap<string, FormSpec> = new Map([...BRANCHES, ...BINDING].map((spec) => [spec.name, spec]));

/** What formulas mean by an upper-case name in a call. */
export function callableNamed(name: string): Callable | undefined {
  return FUNCTIONS.get(name) ?? FORMS.get(name);
}
