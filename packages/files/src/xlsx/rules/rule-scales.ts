import { parseXmlBoolean } from '../../archive/xml.ts';
import type { VisualStyle } from '../styles/visual-style.ts';
import type { ConditionalFormatElement } from './rule-elements.ts';

/**
 * Colour scales, data bars and icon sets: what a rule shows for a number depends on the size of the number compared
 * with others.
 */

/** Resolves what rules of files refer to: a differential format by its index, and a colour by its attributes. */
export interface RuleStyles {
  readonly resolveDifferential: (index: number) => VisualStyle;
  readonly resolveColor: (attributes: Readonly<Record<string, string>>) => string | null;
}

/** A bound of a scale. `formula`: without `=`, in the grammar of files. */
export interface ScaleBound {
  readonly kind: 'min' | 'max' | 'num' | 'percent' | 'percentile' | 'formula';
  readonly formula: string;
  /** True if a value equal to the bound gets the icon below it. */
  readonly isExclusive?: true;
}

/** Colours are `#RRGGBB`. */
export type RuleScale =
  | { readonly kind: 'colors'; readonly bounds: readonly ScaleBound[]; readonly colors: readonly string[] }
  | DataBarScale
  | IconScale;

export interface DataBarScale {
  readonly kind: 'bar';
  /** The lower and the upper bound. */
  readonly bounds: readonly ScaleBound[];
  readonly color: string;
  /** Length of the shortest and the longest bar, in percent of the cell's width. */
  readonly lengths: readonly [shortest: number, longest: number];
  /** True if bars begin at zero and bars of negative numbers extend to the left. */
  readonly hasAxis: boolean;
  readonly hidesValue: boolean;
}

export interface IconScale {
  readonly kind: 'icons';
  /** The lower bound of each icon, beginning with the lowest icon. */
  readonly bounds: readonly ScaleBound[];
  /** The name of the icon set in the file format, such as `3Arrows`. */
  readonly set: string;
  readonly isReversed: boolean;
  readonly hidesValue: boolean;
}

/** Maximum number of bounds of a scale: an icon set with five icons. */
export const MAX_SCALE_BOUNDS = 5;

/** The default lengths of data bars in percent. Source: ECMA-376, part 1, 18.3.1.28. */
const SHORTEST_BAR = 10;
const LONGEST_BAR = 90;

const DEFAULT_ICON_SET = '3TrafficLights1';

/** Returns the scale of a rule of a file; null if it has none. */
export function toRuleScale(element: ConditionalFormatElement, styles: RuleStyles): RuleScale | null {
  const scale = buildRuleScale(element, styles);
  if (scale === null || scale.bounds.length < 2 || scale.bounds.length > MAX_SCALE_BOUNDS) return null;
  return scale;
}

/** The color scale, data bar or icon set of an element; null if it is none of them. */
function buildRuleScale(
  { attributes, points, bounds, bar, icons, isExtended }: ConditionalFormatElement,
  styles: RuleStyles,
) {
  switch (attributes['type']) {
    case 'colorScale':
      return buildColorScale(points, styles);
    case 'dataBar':
      return bar && buildDataBar(bar, readBounds(bounds), isExtended, styles);
    case 'iconSet':
      return icons && buildIconScale(icons, readBounds(bounds));
    default:
      return null;
  }
}

function buildColorScale(points: ConditionalFormatElement['points'], styles: RuleStyles): RuleScale {
  const shown = points.flatMap(({ bound, color }) => {
    const hex = styles.resolveColor(color);
    return hex === null ? [] : readBounds([bound]).map((read) => ({ bound: read, color: hex }));
  });
  return { kind: 'colors', bounds: shown.map(({ bound }) => bound), colors: shown.map(({ color }) => color) };
}

/**
 * The data bar of a rule; null if it is invalid. In Excel 2010 and later the bars begin at zero; such rules are marked
 * by an extension.
 */
function buildDataBar(
  { attributes, color }: NonNullable<ConditionalFormatElement['bar']>,
  bounds: readonly ScaleBound[],
  hasAxis: boolean,
  styles: RuleStyles,
): DataBarScale | null {
  const hex = styles.resolveColor(color);
  if (hex === null || bounds.length !== 2) return null;
  const { minLength = SHORTEST_BAR, maxLength = LONGEST_BAR, showValue } = attributes;
  const lengths = hasAxis ? ([0, 100] as const) : ([Number(minLength), Number(maxLength)] as const);
  if (!lengths.every((length) => length >= 0 && length <= 100)) return null;
  return { kind: 'bar', bounds, color: hex, lengths, hasAxis, hidesValue: isFalse(showValue) };
}

function buildIconScale(
  { iconSet = DEFAULT_ICON_SET, showValue, reverse }: NonNullable<ConditionalFormatElement['icons']>,
  bounds: readonly ScaleBound[],
): IconScale {
  return { kind: 'icons', bounds, set: iconSet, isReversed: parseXmlBoolean(reverse), hidesValue: isFalse(showValue) };
}

/** True for the XML values of false. */
function isFalse(value: string | undefined): boolean {
  return value !== undefined && !parseXmlBoolean(value);
}

/** The bounds of a scale. Bounds of an unknown kind are left out. */
function readBounds(bounds: ConditionalFormatElement['bounds']): readonly ScaleBound[] {
  return bounds.flatMap(({ type = '', val = '', gte }) =>
    isBoundKind(type) ? [{ kind: type, formula: val, ...(isFalse(gte) && { isExclusive: true as const }) }] : [],
  );
}

function isBoundKind(type: string): type is ScaleBound['kind'] {
  return ['min', 'max', 'num', 'percent', 'percentile', 'formula'].includes(type);
}
