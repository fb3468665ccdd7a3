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

/** Every function whose arguments are calculated before the call, by upper-case English name. */
export const FUNCTIONS: ReadonlyMap<string, FunctionSpec> = new Map(
  [MATH, STATISTICAL, LOOKUP, TEXT, DATE, FINANCIAL, LOGICAL, INFORMATION, ENGINEERING, DATABASE, ARRAY, GOOGLE]
    .flat()
    .map((spec) => [spec.name, spec]),
);

/** Every special form, which decides which of its arguments are calculated, by upper-case English name. */
export const FORMS: ReadonlyMap<string, FormSpec> = new Map([...BRANCHES, ...BINDING].map((spec) => [spec.name, spec]));

/** The function or form for an upper-case name in a call. */
export function findCallable(name: string): Callable | undefined {
  return FUNCTIONS.get(name) ?? FORMS.get(name);
}
