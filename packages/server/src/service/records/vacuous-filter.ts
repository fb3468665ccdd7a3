import { columnKey, isConstantFormula } from '@cellwire/engine';
import type { NamedComparison, NamedFilter } from './parse-filter.ts';

type Group = readonly NamedComparison[];
type Values = Extract<NamedComparison['test'], { readonly op: 'in' | 'nin' }>['values'];

/**
 * Whether a filter says nothing about the records: each of its parts holds for every record, whatever the records hold.
 * An empty `any` counts as such a part too. It names no condition, and a generated filter that lost its conditions must
 * not change records.
 */
export function isVacuous({ where, oneOf, none, formula }: NamedFilter): boolean {
  return (
    where.every(isAlwaysTrue) &&
    (oneOf === null || oneOf.length === 0 || coversAll(oneOf)) &&
    none.every((group) => group.some(isNeverTrue)) &&
    (formula === null || isConstantFormula(formula))
  );
}

function isAlwaysTrue({ test }: NamedComparison): boolean {
  return test.op === 'nin' && test.values.length === 0;
}

function isNeverTrue({ test }: NamedComparison): boolean {
  return test.op === 'in' && test.values.length === 0;
}

/** Whether at least one of the groups holds for every record: one that always does, or two that complement each other. */
function coversAll(groups: readonly Group[]): boolean {
  if (groups.some((group) => group.every(isAlwaysTrue))) return true;
  const single = groups.flatMap((group) => (group.length === 1 ? group : []));
  return single.some((a, i) => single.slice(i + 1).some((b) => areComplementary(a, b)));
}

function areComplementary(a: NamedComparison, b: NamedComparison): boolean {
  if (columnKey(a.name) !== columnKey(b.name)) return false;
  if (a.test.op === 'empty' && b.test.op === 'empty') return a.test.is !== b.test.is;
  if (a.test.op === 'nin' && b.test.op === 'nin') return areDisjoint(a.test.values, b.test.values);
  if (a.test.op === 'in' && b.test.op === 'nin') return isSubset(b.test.values, a.test.values);
  if (a.test.op === 'nin' && b.test.op === 'in') return isSubset(a.test.values, b.test.values);
  return false;
}

function areDisjoint(a: Values, b: Values): boolean {
  const keys = keysOf(a);
  return ![...keysOf(b)].some((key) => keys.has(key));
}

function isSubset(a: Values, whole: Values): boolean {
  return keysOf(a).isSubsetOf(keysOf(whole));
}

/** Texts are compared without case here. A filter that tells them apart is then taken for complementary less often. */
function keysOf(values: Values): ReadonlySet<string> {
  return new Set(values.map((value) => JSON.stringify(value === '' ? null : value).toLowerCase()));
}
