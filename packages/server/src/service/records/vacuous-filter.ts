import { columnKey, isConstantFormula } from '@cellwire/engine';
import type { NamedComparison, NamedFilter } from './parse-filter.ts';

type ConditionGroup = readonly NamedComparison[];
type ComparedValues = Extract<NamedComparison['test'], { readonly op: 'in' | 'nin' }>['values'];

/**
 * True if a filter does not restrict the records: each part matches every record, regardless of its values. An empty
 * `any` counts as such a part, because a generated filter that lost its conditions must not change records.
 */
export function isVacuousFilter({ where, oneOf, none, formula }: NamedFilter): boolean {
  return (
    where.every(isAlwaysTrue) &&
    (oneOf === null || oneOf.length === 0 || coverAllRecords(oneOf)) &&
    none.every((group) => group.some(isNeverTrue)) &&
    (formula === null || isConstantFormula(formula))
  );
}

/** True for a test that every value passes: in none of no values. */
function isAlwaysTrue({ test }: NamedComparison): boolean {
  return test.op === 'nin' && test.values.length === 0;
}

/** True for a test that no value passes: one of no values. */
function isNeverTrue({ test }: NamedComparison): boolean {
  return test.op === 'in' && test.values.length === 0;
}

/**
 * True if the groups together match every record: one group always matches, or groups of one comparison cover all
 * values of a column, such as `empty: true` or `empty: false`, `ne: "a"` or `ne: "b"`.
 */
function coverAllRecords(groups: readonly ConditionGroup[]): boolean {
  if (groups.some((group) => group.every(isAlwaysTrue))) return true;
  const columns = new Map<string, CoveredValues>();
  for (const [comparison, ...others] of groups) {
    if (comparison === undefined || others.length > 0) continue;
    const key = columnKey(comparison.name);
    const covered = columns.get(key) ?? { listed: new Set(), left: null };
    columns.set(key, covered);
    addCoveredValues(covered, comparison);
  }
  return [...columns.values()].some(({ listed, left }) => left?.isSubsetOf(listed) ?? false);
}

/** The values of a column that match one of several comparisons. */
interface CoveredValues {
  readonly listed: Set<string>;
  /** The values that are not covered; null: only listed values are covered. */
  left: ReadonlySet<string> | null;
}

/**
 * Adds the values that the test accepts to `listed`. A test that accepts all others limits `left`, the values that no
 * such test accepts; null without such a test.
 */
function addCoveredValues(covered: CoveredValues, { test }: NamedComparison): void {
  if (test.op !== 'in' && test.op !== 'nin' && test.op !== 'empty') return;
  const isListed = test.op === 'empty' ? test.is : test.op === 'in';
  const keys = toComparisonKeys(test.op === 'empty' ? [null] : test.values);
  if (!isListed) covered.left = covered.left === null ? keys : covered.left.intersection(keys);
  else for (const key of keys) covered.listed.add(key);
}

/**
 * The values as texts that are equal for equal values. Texts are compared without case, so a case-sensitive filter is
 * recognized as vacuous less often.
 */
function toComparisonKeys(values: ComparedValues): ReadonlySet<string> {
  return new Set(values.map((value) => JSON.stringify(value === '' ? null : value).toLowerCase()));
}
