import { isError, type Scalar } from '../value/scalar.ts';
import { foldCase } from './wildcard.ts';

const COLLATOR = new Intl.Collator('en', { sensitivity: 'accent' });
const PLAIN = /^[0-9a-z ]*$/i;

/** Texts by dictionary order, case ignored: negative, 0 or positive. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  if (PLAIN.test(a) && PLAIN.test(b)) {
    const x = a.toLowerCase();
    const y = b.toLowerCase();
    return x < y ? -1 : x > y ? 1 : 0;
  }
  return COLLATOR.compare(a, b);
}

/** Whether two texts are the same but for case. */
export function sameText(a: string, b: string): boolean {
  return a === b || foldCase(a) === foldCase(b);
}

function rank(value: Scalar): number {
  if (typeof value === 'number') return 0;
  if (typeof value === 'string') return 1;
  if (typeof value === 'boolean') return 2;
  return isError(value) ? 3 : 4;
}

/** The order of sorting and of `<`: numbers, texts, booleans, errors, blanks last. Blanks are not converted. */
export function compareScalars(a: Scalar, b: Scalar): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const ra = rank(a);
  const rb = rank(b);
  if (ra !== rb) return ra - rb;
  if (typeof a === 'string') return compareTexts(a, b as string);
  if (typeof a === 'boolean') return Number(a) - Number(b);
  return 0;
}

/** How the comparison operators see a blank: as the zero of the other side's type. */
function blankAs(other: Scalar): Scalar {
  if (typeof other === 'string') return '';
  if (typeof other === 'boolean') return false;
  return 0;
}

/** Numbers closer than this share of one of them may read the same in fifteen significant digits. */
const NEARBY = 1e-14;
const COMPARED_DIGITS = 15;

/**
 * Numbers as the comparison operators see them: in their fifteen significant digits, so that `=0,1+0,2=0,3` is TRUE as
 * in Excel. Lookups and sorting compare all digits (`compareScalars`).
 */
export function compareNumbers(a: number, b: number): number {
  const difference = a - b;
  if (Math.abs(difference) > Math.abs(a) * NEARBY || difference === 0) return difference;
  // As texts, for the largest numbers are rounded past what a number can hold.
  return a.toPrecision(COMPARED_DIGITS) === b.toPrecision(COMPARED_DIGITS) ? 0 : difference;
}

/** `compareScalars` for the operators `=`, `<`, …: a blank equals 0, "" and FALSE. Neither may be an error. */
export function compareOperands(a: Scalar, b: Scalar): number {
  if (typeof a === 'number' && typeof b === 'number') return compareNumbers(a, b);
  if (a === null) return b === null ? 0 : compareScalars(blankAs(b), b);
  if (b === null) return compareScalars(a, blankAs(a));
  return compareScalars(a, b);
}
