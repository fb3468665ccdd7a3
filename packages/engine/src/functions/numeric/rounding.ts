/** Number of decimal digits that users see; later digits are errors of binary fractions. */
const SIGNIFICANT_DIGITS = 15;
/** If a scaled value is nearer to a boundary than this share, it is rounded by its 15 significant digits. */
const NOISE = 1e-14;
/** From this value on, all digits of a double are significant: none is an error of a binary fraction. */
const INTEGRAL = 1e15;

const POWERS: readonly number[] = Array.from({ length: 309 }, (_, n) => Number(`1e${n}`));

function getPowerOfTen(exponent: number): number {
  return POWERS[exponent] ?? Number.POSITIVE_INFINITY;
}

/** Rounds to 15 significant digits, which removes errors of binary fractions. */
export function removeNoise(value: number): number {
  return Number(value.toPrecision(SIGNIFICANT_DIGITS));
}

function roundTowardZero(scaled: number): number {
  const floor = Math.floor(scaled);
  return floor + 1 - scaled <= scaled * NOISE ? Math.floor(removeNoise(scaled)) : floor;
}

function roundAwayFromZero(scaled: number): number {
  const floor = Math.floor(scaled);
  return scaled - floor <= scaled * NOISE ? Math.ceil(removeNoise(scaled)) : Math.ceil(scaled);
}

function roundHalfAway(scaled: number): number {
  const floor = Math.floor(scaled);
  const part = scaled - floor;
  if (Math.abs(part - 0.5) > scaled * NOISE) return part > 0.5 ? floor + 1 : floor;
  return Math.floor(removeNoise(scaled) + 0.5);
}

/** Rounds the size of a number at a decimal place by `round`, and restores its sign. */
function roundAtDigits(value: number, digits: number, round: (scaled: number) => number): number {
  const size = Math.abs(value);
  const sign = value < 0 ? -1 : 1;
  const n = Math.trunc(digits);
  if (size === 0 || n >= POWERS.length) return value;
  if (size >= INTEGRAL) return n > 0 ? value : sign * roundAtPower(size, getPowerOfTen(-n), round);
  if (n >= 0) {
    const power = getPowerOfTen(n);
    const scaled = size * power;
    if (scaled >= INTEGRAL) return value;
    return (sign * round(scaled)) / power;
  }
  const power = getPowerOfTen(-n);
  if (power === Number.POSITIVE_INFINITY) return 0;
  return sign * round(size / power) * power;
}

/** Rounds a large number to a multiple of a power of ten. The remainder is exact. */
function roundAtPower(size: number, power: number, round: (scaled: number) => number): number {
  const rest = size % power;
  // One addition, which is rounded only once.
  return size + (round(rest / power) * power - rest);
}

/** ROUND: to a number of decimal places (negative: left of the point), halves away from zero. */
export function round(value: number, digits: number): number {
  return roundAtDigits(value, digits, roundHalfAway) + 0;
}

/** ROUNDDOWN and TRUNC: round toward zero. */
export function roundDown(value: number, digits: number): number {
  return (digits === 0 ? Math.trunc(value) : roundAtDigits(value, digits, roundTowardZero)) + 0;
}

/** ROUNDUP: rounds away from zero. */
export function roundUp(value: number, digits: number): number {
  return roundAtDigits(value, digits, roundAwayFromZero) + 0;
}

/** Returns the number of whole steps in a quotient, after removing errors of binary fractions. */
export function floorSteps(quotient: number): number {
  return Math.floor(snapToInteger(quotient));
}

/** Returns a quotient rounded up, after removing errors of binary fractions. */
export function ceilSteps(quotient: number): number {
  return Math.ceil(snapToInteger(quotient));
}

/** Returns a quotient rounded to the nearest integer, after removing errors of binary fractions. */
export function roundSteps(quotient: number): number {
  return Math.sign(quotient) * roundHalfAway(Math.abs(quotient));
}

/** Removes the rounding error of a number that is nearly an integer. */
function snapToInteger(value: number): number {
  const integer = Math.round(value);
  return Math.abs(value - integer) <= Math.abs(value) * NOISE ? removeNoise(value) : value;
}
