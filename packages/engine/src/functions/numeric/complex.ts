/** A complex number. */
export interface Complex {
  readonly re: number;
  readonly im: number;
}

export function createComplex(re: number, im: number): Complex {
  return { re, im };
}

export const ONE: Complex = { re: 1, im: 0 };

export function add(a: Complex, b: Complex): Complex {
  return { re: a.re + b.re, im: a.im + b.im };
}

export function subtract(a: Complex, b: Complex): Complex {
  return { re: a.re - b.re, im: a.im - b.im };
}

export function multiply(a: Complex, b: Complex): Complex {
  return { re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re };
}

/** a / b by Smith's method, whose intermediate results do not overflow. */
export function divide(a: Complex, b: Complex): Complex {
  if (Math.abs(b.re) >= Math.abs(b.im)) {
    const ratio = b.im / b.re;
    const scale = b.re + b.im * ratio;
    return { re: (a.re + a.im * ratio) / scale, im: (a.im - a.re * ratio) / scale };
  }
  const ratio = b.re / b.im;
  const scale = b.re * ratio + b.im;
  return { re: (a.re * ratio + a.im) / scale, im: (a.im * ratio - a.re) / scale };
}

export function modulus(z: Complex): number {
  return Math.hypot(z.re, z.im);
}

export function argument(z: Complex): number {
  return Math.atan2(z.im, z.re);
}

export function fromPolar(radius: number, angle: number): Complex {
  return { re: radius * Math.cos(angle), im: radius * Math.sin(angle) };
}

export function exp(z: Complex): Complex {
  return fromPolar(Math.exp(z.re), z.im);
}

export function ln(z: Complex): Complex {
  return { re: Math.log(modulus(z)), im: argument(z) };
}

export function sqrt(z: Complex): Complex {
  if (z.im === 0) return z.re >= 0 ? { re: Math.sqrt(z.re), im: 0 } : { re: 0, im: Math.sqrt(-z.re) };
  const size = modulus(z);
  const half = Math.sqrt((size + Math.abs(z.re)) / 2);
  const other = Math.abs(z.im) / (2 * half);
  const sign = z.im < 0 ? -1 : 1;
  return z.re >= 0 ? { re: half, im: sign * other } : { re: other, im: sign * half };
}

export function sin(z: Complex): Complex {
  return { re: Math.sin(z.re) * Math.cosh(z.im), im: Math.cos(z.re) * Math.sinh(z.im) };
}

export function cos(z: Complex): Complex {
  return { re: Math.cos(z.re) * Math.cosh(z.im), im: -Math.sin(z.re) * Math.sinh(z.im) };
}

export function sinh(z: Complex): Complex {
  return { re: Math.sinh(z.re) * Math.cos(z.im), im: Math.cosh(z.re) * Math.sin(z.im) };
}

export function cosh(z: Complex): Complex {
  return { re: Math.cosh(z.re) * Math.cos(z.im), im: Math.sinh(z.re) * Math.sin(z.im) };
}

/** From this imaginary part on, tan z is ±i to double precision. */
const FAR_FROM_AXIS = 20;

/** tan z as (sin 2x + i sinh 2y) / (cos 2x + cosh 2y), because sin z / cos z loses digits of the smaller part. */
export function tan(z: Complex): Complex {
  if (Math.abs(z.im) > FAR_FROM_AXIS) {
    return { re: 2 * Math.sin(2 * z.re) * Math.exp(-2 * Math.abs(z.im)), im: Math.sign(z.im) };
  }
  const scale = Math.cos(2 * z.re) + Math.cosh(2 * z.im);
  return { re: Math.sin(2 * z.re) / scale, im: Math.sinh(2 * z.im) / scale };
}

/** tanh z = −i tan iz. */
export function tanh(z: Complex): Complex {
  const { re, im } = tan({ re: -z.im, im: z.re });
  return { re: im, im: -re };
}
