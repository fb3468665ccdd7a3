/** Decimal digits that a number has for users; what lies below is the noise of binary fractions. */
const SIGNIFICANT_DIGITS = 15;
/** Parts of a scaled value closer to a boundary than this (relative) are decided on its 15 significant digits. */
const NOISE = 1e-14;
/** From here on a double has no digits to spare for noise: what it holds is meant. */
const INTEGRAL = 1e15;

const POWERS: readonly number[] = Array.from({ length: 309 }, (_, n) => Number(`1e${n}`));

function powerOfTen(exponent: number): number {
  return POWERS[exponent] ?? Number.POSITIVE_INFINITY;
}

/** A value with the noise of binary fractions taken off: 15 significant digits. */
export function denoise(value: number): number {
  return Number(value.toPrecision(SIGNIFICANT_DIGITS));
}

function towardZero(scaled: number): number {
  const floor = Math.floor(scaled);
  return floor + 1 - scaled <= scaled * NOISE ? Math.floor(denoise(scaled)) : floor;
}

function awayFromZero(scaled: number): number {
  const floor = Math.floor(scaled);
  return scaled - floor <= scaled * NOISE ? Math.ceil(denoise(scaled)) : Math.ceil(scaled);
}

function halfAway(scaled: number): number {
  const floor = Math.floor(scaled);
  const part = scaled - floor;
  if (Math.abs(part - 0.5) > scaled * NOISE) return part > 0.5 ? floor + 1 : floor;
  return Math.floor(denoise(scaled) + 0.5);
}

function roundAtDigits(value: number, digits: number, round: (scaled: number) => number): number {
  const size = Math.abs(value);
  const sign = value < 0 ? -1 : 1;
  const n = Math.trunc(digits);
  if (size === 0 || n >= POWERS.length) return value;
  if (size >= INTEGRAL) return n > 0 ? value : sign * roundAtPower(size, powerOfTen(-n), round);
  if (n >= 0) {
    const power = powerOfTen(n);
    const scaled = size * power;
    if (scaled >= INTEGRAL) return value;
    return (sign * round(scaled)) / power;
  }
  const power = powerOfTen(-n);
  if (power === Number.POSITIVE_INFINITY) return 0;
  return sign * round(size / power) * power;
}

/** A large number at a multiple of a power of ten; the remainder is exact. */
function roundAtPower(size: number, power: number, round: (scaled: number) => number): number {
  const rest = size % power;
  // One sum, so that it is rounded once.
  return size + (round(rest / power) * power - rest);
}

/** ROUND: to a number of decimal places (negative: left of the point), halves away from zero. */
export function round(value: number, digits: number): number {
  return roundAtDigits(value, digits, halfAway) + 0;
}

/** ROUNDDOWN and TRUNC. */
export function roundDown(value: number, digits: number): number {
  return (digits === 0 ? Math.trunc(value) : roundAtDigits(value, digits, towardZero)) + 0;
}

/** ROUNDUP. */
export function roundUp(value: number, digits: number): number {
  return roundAtDigits(value, digits, awayFromZero) + 0;
}

/** A quotient cut to an integer, after taking off noise: how often a step fits. */
export function floorSteps(quotient: number): number {
  return Math.floor(nearInteger(quotient));
}

export function ceilSteps(quotient: number): number {
  return Math.ceil(nearInteger(quotient));
}

export function roundSteps(quotient: number): number {
  return Math.sign(quotient) * halfAway(Math.abs(quotient));
}

function nearInteger(value: number): number {
  const integer = Math.round(value);
  return Math.abs(value - integer) <= Math.abs(value) * NOISE ? denoise(value) : value;
}
