/** The largest n whose factorial is a finite double. */
const MAX_FACTORIAL = 170;
/** The largest n whose double factorial is a finite double. */
const MAX_DOUBLE_FACTORIAL = 300;
/** Maximum number of factors. Products of more factors are not finite doubles. */
const MAX_FACTORS = 1100;

const FACTORIALS: readonly number[] = (() => {
  const table = [1];
  for (let n = 1; n <= MAX_FACTORIAL; n++) table.push(table[n - 1]! * n);
  return table;
})();

/** n! of an integer n ≥ 0; infinite for n above 170. */
export function factorial(n: number): number {
  return FACTORIALS[n] ?? Number.POSITIVE_INFINITY;
}

/** n!! of an integer n ≥ -1. */
export function doubleFactorial(n: number): number {
  if (n > MAX_DOUBLE_FACTORIAL) return Number.POSITIVE_INFINITY;
  let result = 1;
  for (let k = n; k > 1; k -= 2) result *= k;
  return result;
}

/** The number of combinations of k out of n, integers with 0 ≤ k ≤ n; exact below 2^53. */
export function combinations(n: number, k: number): number {
  const few = Math.min(k, n - k);
  if (few > MAX_FACTORS) return Number.POSITIVE_INFINITY;
  let result = 1;
  for (let i = 1; i <= few; i++) {
    const next = (result * (n - few + i)) / i;
    result = next < Number.MAX_SAFE_INTEGER / n ? Math.round(next) : next;
    if (result === Number.POSITIVE_INFINITY) return result;
  }
  return result < Number.MAX_SAFE_INTEGER ? Math.round(result) : result;
}

/** The number of permutations of k out of n, integers with 0 ≤ k ≤ n. */
export function permutations(n: number, k: number): number {
  let result = 1;
  for (let i = 0; i < k; i++) {
    result *= n - i;
    if (result === Number.POSITIVE_INFINITY) return result;
  }
  return result;
}
