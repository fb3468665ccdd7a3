import type { DataBarScale, IconScale, RuleScale, VisualStyle } from '@cellwire/files';

/** What a scale shows for a number. `bounds`: the results of the scale's bounds. */
export function computeScaleStyle(scale: RuleScale, bounds: readonly number[], value: number): VisualStyle {
  switch (scale.kind) {
    case 'colors':
      return { fill: computeScaleColor(scale.colors, bounds, value) };
    case 'bar':
      return computeBarStyle(scale, bounds, value);
    case 'icons':
      return computeIconStyle(scale, bounds, value);
  }
}

/** The color of a value between the colors of the nearest bounds, as `#rrggbb`. */
function computeScaleColor(colors: readonly string[], bounds: readonly number[], value: number): string {
  const last = colors.length - 1;
  const above = bounds.findIndex((bound) => bound > value);
  if (above === 0) return getColor(colors, 0);
  if (above < 0 || value >= computeBound(bounds, last)) return getColor(colors, last);
  const [from, to] = [computeBound(bounds, above - 1), computeBound(bounds, above)];
  return mixColors(getColor(colors, above - 1), getColor(colors, above), (value - from) / (to - from));
}

function getColor(colors: readonly string[], index: number): string {
  return colors[index] ?? '#FFFFFF';
}

/** The bound at an index; 0 if it has no value. */
function computeBound(bounds: readonly number[], index: number): number {
  return bounds[index] ?? 0;
}

/** The color at `share` (0 to 1) of the way from one color to the other, as `#rrggbb`. */
function mixColors(start: string, end: string, share: number): string {
  const parts = [1, 3, 5].map((at) => {
    const [a, b] = [start, end].map((color) => Number.parseInt(color.slice(at, at + 2), 16));
    return Math.round((a ?? 0) + ((b ?? 0) - (a ?? 0)) * share);
  });
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

/** Bars of negative numbers, as new rules of Excel have them. */
const NEGATIVE_BAR = '#FF0000';

/** The start and end of a value's bar in percent of the cell's width; no bar if it has no length. */
function computeBarStyle(
  { color, lengths: [shortest, longest], bounds: kinds, hasAxis, hidesValue }: DataBarScale,
  bounds: readonly number[],
  value: number,
): VisualStyle {
  const includesZero = (at: number) => hasAxis && (kinds[at]?.kind === 'min' || kinds[at]?.kind === 'max');
  const low = includesZero(0) ? Math.min(0, computeBound(bounds, 0)) : computeBound(bounds, 0);
  const high = includesZero(1) ? Math.max(0, computeBound(bounds, 1)) : computeBound(bounds, 1);
  const hidden: VisualStyle = hidesValue ? { hidesValue } : {};
  if (low >= high) return hidden;
  const position = (number: number): number => {
    const share = (Math.min(Math.max(number, low), high) - low) / (high - low);
    return Math.round((shortest + share * (longest - shortest)) * 10) / 10;
  };
  const start = hasAxis ? position(0) : 0;
  const end = position(value);
  const isNegative = hasAxis && value < 0;
  const [from, to] = isNegative ? [end, start] : [start, end];
  if (from >= to) return hidden;
  return { bar: { color: isNegative ? NEGATIVE_BAR : color, from, to }, ...hidden };
}

/** The icon of a value: the one of the last bound that the value reaches, or exceeds if the bound is exclusive. */
function computeIconStyle(
  { bounds: kinds, set, isReversed, hidesValue }: IconScale,
  bounds: readonly number[],
  value: number,
): VisualStyle {
  let index = 0;
  for (let at = 1; at < bounds.length; at++) {
    const bound = computeBound(bounds, at);
    if (kinds[at]?.isExclusive ? value > bound : value >= bound) index = at;
  }
  const shown = isReversed ? bounds.length - 1 - index : index;
  return { icon: { set, index: shown }, ...(hidesValue ? { hidesValue } : {}) };
}
