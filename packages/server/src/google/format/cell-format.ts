import { isFormat } from '@cellwire/engine';
import type { Mask } from '../field-mask.ts';
import { at, camel, choice, flag, integer, isMembers, object, type RequestObject, text } from '../json.ts';
import { invalid } from '../problem.ts';
import { type ColorNames, colorForms, namedColor } from './color.ts';

/** Google's `CellFormat` in the form of answers: empty members are absent, and colours appear in both forms. */
export type GoogleFormat = Readonly<Record<string, unknown>>;

export const BACKGROUND: ColorNames = { color: 'backgroundColor', style: 'backgroundColorStyle' };
export const FOREGROUND: ColorNames = { color: 'foregroundColor', style: 'foregroundColorStyle' };
export const LINE: ColorNames = { color: 'color', style: 'colorStyle' };

const HORIZONTAL = ['LEFT', 'CENTER', 'RIGHT'] as const;
const VERTICAL = ['TOP', 'MIDDLE', 'BOTTOM'] as const;
const WRAPS = ['OVERFLOW_CELL', 'LEGACY_WRAP', 'CLIP', 'WRAP'] as const;
const DIRECTIONS = ['LEFT_TO_RIGHT', 'RIGHT_TO_LEFT'] as const;
const LINKS = ['LINKED', 'PLAIN_TEXT'] as const;
const BORDER_STYLES = ['NONE', 'DOTTED', 'DASHED', 'SOLID', 'SOLID_MEDIUM', 'SOLID_THICK', 'DOUBLE'] as const;
export const SIDES = ['top', 'bottom', 'left', 'right'] as const;
const NUMBER_TYPES = ['TEXT', 'NUMBER', 'PERCENT', 'CURRENCY', 'DATE', 'TIME', 'DATE_TIME', 'SCIENTIFIC'] as const;
export type NumberType = (typeof NUMBER_TYPES)[number];

/** The default pattern of each number type. */
export const TYPE_PATTERNS: Readonly<Record<NumberType, string>> = {
  TEXT: '@',
  NUMBER: '#,##0.00',
  PERCENT: '0.00%',
  CURRENCY: '"$"#,##0.00',
  DATE: 'm/d/yyyy',
  TIME: 'h:mm:ss AM/PM',
  DATE_TIME: 'm/d/yyyy h:mm:ss',
  SCIENTIFIC: '0.00E+00',
};

const MEMBERS = [
  'numberFormat',
  'backgroundColor',
  'backgroundColorStyle',
  'borders',
  'padding',
  'horizontalAlignment',
  'verticalAlignment',
  'wrapStrategy',
  'textDirection',
  'textFormat',
  'hyperlinkDisplayType',
  'textRotation',
];

/** Converts a format from a request to the form of answers. */
export function readCellFormat(sent: RequestObject, place: string): GoogleFormat {
  const unknown = Object.keys(sent).find((name) => !MEMBERS.includes(camel(name)));
  if (unknown !== undefined) throw invalid(`Invalid ${place}: Unknown name "${unknown.slice(0, 100)}"`);
  const textFormat = object(sent, 'textFormat', place);
  const borders = object(sent, 'borders', place);
  const padding = object(sent, 'padding', place);
  const rotation = object(sent, 'textRotation', place);
  const numberFormat = object(sent, 'numberFormat', place);
  return omitEmpty({
    numberFormat: numberFormat && readNumberFormat(numberFormat, at(place, 'numberFormat')),
    ...colorOf(sent, BACKGROUND, place),
    borders: borders && readBorders(borders, at(place, 'borders')),
    padding: padding && readPadding(padding, place),
    horizontalAlignment: choice(sent, 'horizontalAlignment', HORIZONTAL, place),
    verticalAlignment: choice(sent, 'verticalAlignment', VERTICAL, place),
    wrapStrategy: choice(sent, 'wrapStrategy', WRAPS, place),
    textDirection: choice(sent, 'textDirection', DIRECTIONS, place),
    textFormat: textFormat && readTextFormat(textFormat, at(place, 'textFormat')),
    hyperlinkDisplayType: choice(sent, 'hyperlinkDisplayType', LINKS, place),
    textRotation: rotation && readRotation(rotation, place),
  });
}

/** Removes members that are absent or empty. */
export function omitEmpty(members: Readonly<Record<string, unknown>>): GoogleFormat {
  const present = Object.entries(members).filter(([, value]) => !isNothing(value));
  return Object.fromEntries(present);
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false || value === 0) return true;
  return isMembers(value) && Object.keys(value).length === 0;
}

function colorOf(sent: RequestObject, names: ColorNames, place: string): Record<string, unknown> {
  const hex = namedColor(sent, names, place);
  return hex === undefined || hex === null ? {} : colorForms(hex, names);
}

function readTextFormat(sent: RequestObject, place: string): GoogleFormat {
  return {
    ...colorOf(sent, FOREGROUND, place),
    ...omitEmpty({
      fontFamily: text(sent, 'fontFamily', place)?.slice(0, MAX_FONT_LENGTH),
      fontSize: integer(sent, 'fontSize', place),
      bold: flag(sent, 'bold', place),
      italic: flag(sent, 'italic', place),
      strikethrough: flag(sent, 'strikethrough', place),
      underline: flag(sent, 'underline', place),
    }),
  };
}

const MAX_FONT_LENGTH = 100;

function readPadding(sent: RequestObject, place: string): GoogleFormat {
  return omitEmpty(Object.fromEntries(SIDES.map((side) => [side, integer(sent, side, place)])));
}

function readRotation(sent: RequestObject, place: string): GoogleFormat {
  return omitEmpty({ angle: integer(sent, 'angle', place), vertical: flag(sent, 'vertical', place) });
}

function readNumberFormat(sent: RequestObject, place: string): GoogleFormat {
  const type = choice(sent, 'type', NUMBER_TYPES, place);
  const pattern = text(sent, 'pattern', place) ?? '';
  if (type === undefined) throw invalid(`Invalid ${place}: Number format type is required.`);
  if (pattern !== '' && !isFormat(pattern)) throw invalid(`Invalid ${place}: Invalid number format pattern.`);
  return omitEmpty({ type, pattern });
}

function readBorders(sent: RequestObject, place: string): GoogleFormat {
  return omitEmpty(
    Object.fromEntries(
      SIDES.map((side) => {
        const border = object(sent, side, place);
        return [side, border && readBorder(border, at(place, side))];
      }),
    ),
  );
}

/** One border. The style NONE means no border. */
export function readBorder(sent: RequestObject, place: string): GoogleFormat | undefined {
  const style = choice(sent, 'style', BORDER_STYLES, place) ?? 'NONE';
  if (style === 'NONE') return undefined;
  const hex = namedColor(sent, LINE, place) ?? '#000000';
  return { style, width: WIDTHS[style] ?? 1, ...colorForms(hex, LINE) };
}

const WIDTHS: Readonly<Record<string, number>> = { SOLID_MEDIUM: 2, SOLID_THICK: 3, DOUBLE: 3 };

const TWINS = [BACKGROUND, FOREGROUND, LINE];

/** A mask that names each colour in both of its forms. */
function withBothColorForms(mask: ReadonlyMap<string, Mask>): ReadonlyMap<string, Mask> {
  const twins = new Map(mask);
  for (const { color, style } of TWINS) {
    if (!mask.has(color) && !mask.has(style)) continue;
    twins.set(color, null);
    twins.set(style, null);
  }
  return twins;
}

/** A format with the members that a mask names replaced by those of another one. */
export function mergedFormat(googleFormat: GoogleFormat, sent: GoogleFormat, mask: Mask): GoogleFormat {
  if (mask === null) return sent;
  const merged: Record<string, unknown> = { ...googleFormat };
  for (const [name, below] of withBothColorForms(mask)) {
    const next = sent[name];
    const old = googleFormat[name];
    const value = below === null ? next : mergedFormat(isMembers(old) ? old : {}, isMembers(next) ? next : {}, below);
    if (isNothing(value) && !isColor(name, value)) delete merged[name];
    else merged[name] = value;
  }
  return merged;
}

/** Black is a colour without components. */
function isColor(name: string, value: unknown): boolean {
  return /[cC]olor(?:Style)?$/.test(name) && isMembers(value);
}

/** Throws if a mask names a member that a format does not have. */
export function refuseUnknownFormat(mask: Mask | undefined, place: string): void {
  for (const name of mask?.keys() ?? []) {
    if (name !== '*' && !MEMBERS.includes(name)) throw invalid(`Invalid ${place}: Invalid field: ${name}`);
  }
}

/** The format of cells without a format of their own. */
export const DEFAULT_FORMAT = {
  backgroundColor: { red: 1, green: 1, blue: 1 },
  padding: { top: 2, right: 3, bottom: 2, left: 3 },
  verticalAlignment: 'BOTTOM',
  wrapStrategy: 'OVERFLOW_CELL',
  textFormat: {
    foregroundColor: {},
    fontFamily: 'arial,sans,sans-serif',
    fontSize: 10,
    bold: false,
    italic: false,
    strikethrough: false,
    underline: false,
    foregroundColorStyle: { rgbColor: {} },
  },
  backgroundColorStyle: { rgbColor: { red: 1, green: 1, blue: 1 } },
} as const;

/** The displayed format of a cell: the default format with the cell's own members. */
export function effectiveFormat(format: GoogleFormat): GoogleFormat {
  const { textFormat = {}, padding, ...rest } = format;
  return {
    ...DEFAULT_FORMAT,
    ...rest,
    padding: padding ?? DEFAULT_FORMAT.padding,
    textFormat: { ...DEFAULT_FORMAT.textFormat, ...(textFormat as object) },
  };
}
