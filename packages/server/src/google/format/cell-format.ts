import { isFormat } from '@cellwire/engine';
import type { FieldMask } from '../field-mask.ts';
import {
  isRequestObject,
  joinPath,
  type RequestObject,
  readChoice,
  readFlag,
  readInteger,
  readObject,
  readText,
  refuseUnknownMembers,
} from '../json.ts';
import { createInvalidProblem } from '../problem.ts';
import { type ColorNames, parseNamedColor, toColorForms } from './color.ts';

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

const NUMBER_FORMAT_MEMBERS = ['type', 'pattern'];
const ROTATION_MEMBERS = ['angle', 'vertical'];
const TEXT_MEMBERS = [
  'foregroundColor',
  'foregroundColorStyle',
  'fontFamily',
  'fontSize',
  'bold',
  'italic',
  'strikethrough',
  'underline',
  'link',
];

/** Converts a format from a request to the form of answers, without its link: see `writeCellFormat`. */
export function readCellFormat(format: RequestObject, path: string): GoogleFormat {
  refuseUnknownMembers(format, MEMBERS, path);
  const textFormat = readObject(format, 'textFormat', path);
  const borders = readObject(format, 'borders', path);
  const padding = readObject(format, 'padding', path);
  const rotation = readObject(format, 'textRotation', path);
  const numberFormat = readObject(format, 'numberFormat', path);
  return omitEmptyMembers({
    numberFormat: numberFormat && readNumberFormat(numberFormat, joinPath(path, 'numberFormat')),
    ...parseColorMembers(format, BACKGROUND, path),
    borders: borders && readBorders(borders, joinPath(path, 'borders')),
    padding: padding && readPadding(padding, joinPath(path, 'padding')),
    horizontalAlignment: readChoice(format, 'horizontalAlignment', HORIZONTAL, path, 'HorizontalAlign'),
    verticalAlignment: readChoice(format, 'verticalAlignment', VERTICAL, path, 'VerticalAlign'),
    wrapStrategy: readChoice(format, 'wrapStrategy', WRAPS, path, 'WrapStrategy'),
    textDirection: readChoice(format, 'textDirection', DIRECTIONS, path, 'TextDirection'),
    textFormat: textFormat && readTextFormat(textFormat, joinPath(path, 'textFormat')),
    hyperlinkDisplayType: readChoice(format, 'hyperlinkDisplayType', LINKS, path, 'HyperlinkDisplayType'),
    textRotation: rotation && readRotation(rotation, joinPath(path, 'textRotation')),
  });
}

/** Removes members that are absent or empty. */
export function omitEmptyMembers(members: Readonly<Record<string, unknown>>): GoogleFormat {
  const present = Object.entries(members).filter(([, value]) => !isEmptyMember(value));
  return Object.fromEntries(present);
}

/** True for the values that Google's API leaves out: absent, zero, false, empty text or object. */
function isEmptyMember(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false || value === 0) return true;
  return isRequestObject(value) && Object.keys(value).length === 0;
}

/** The members of a color in both forms of Google's API; empty if the object has no color. */
function parseColorMembers(object: RequestObject, names: ColorNames, path: string): Record<string, unknown> {
  const hex = parseNamedColor(object, names, path);
  return hex === undefined || hex === null ? {} : toColorForms(hex, names);
}

function readTextFormat(textFormat: RequestObject, path: string): GoogleFormat {
  refuseUnknownMembers(textFormat, TEXT_MEMBERS, path);
  return {
    ...parseColorMembers(textFormat, FOREGROUND, path),
    ...omitEmptyMembers({
      fontFamily: readText(textFormat, 'fontFamily', path)?.slice(0, MAX_FONT_LENGTH),
      fontSize: readInteger(textFormat, 'fontSize', path),
      bold: readFlag(textFormat, 'bold', path),
      italic: readFlag(textFormat, 'italic', path),
      strikethrough: readFlag(textFormat, 'strikethrough', path),
      underline: readFlag(textFormat, 'underline', path),
    }),
  };
}

const MAX_FONT_LENGTH = 100;

function readPadding(padding: RequestObject, path: string): GoogleFormat {
  refuseUnknownMembers(padding, SIDES, path);
  return omitEmptyMembers(Object.fromEntries(SIDES.map((side) => [side, readInteger(padding, side, path)])));
}

function readRotation(rotation: RequestObject, path: string): GoogleFormat {
  refuseUnknownMembers(rotation, ROTATION_MEMBERS, path);
  return omitEmptyMembers({
    angle: readInteger(rotation, 'angle', path),
    vertical: readFlag(rotation, 'vertical', path),
  });
}

function readNumberFormat(numberFormat: RequestObject, path: string): GoogleFormat {
  refuseUnknownMembers(numberFormat, NUMBER_FORMAT_MEMBERS, path);
  const type = readChoice(numberFormat, 'type', NUMBER_TYPES, path, 'NumberFormatType');
  const pattern = readText(numberFormat, 'pattern', path) ?? '';
  if (type === undefined) throw createInvalidProblem('Number format type is required.');
  if (pattern !== '' && !isFormat(pattern)) throw createInvalidProblem('Invalid number format pattern.');
  return omitEmptyMembers({ type, pattern });
}

function readBorders(borders: RequestObject, path: string): GoogleFormat {
  refuseUnknownMembers(borders, SIDES, path);
  return omitEmptyMembers(
    Object.fromEntries(
      SIDES.map((side) => {
        const border = readObject(borders, side, path);
        return [side, border && readBorder(border, joinPath(path, side))];
      }),
    ),
  );
}

/** One border. The style NONE means no border. */
export function readBorder(border: RequestObject, path: string): GoogleFormat | undefined {
  refuseUnknownMembers(border, ['style', 'width', 'color', 'colorStyle'], path);
  const style = readChoice(border, 'style', BORDER_STYLES, path, 'Style') ?? 'NONE';
  if (style === 'NONE') return undefined;
  const hex = parseNamedColor(border, LINE, path) ?? '#000000';
  return { style, width: WIDTHS[style] ?? 1, ...toColorForms(hex, LINE) };
}

const WIDTHS: Readonly<Record<string, number>> = { SOLID_MEDIUM: 2, SOLID_THICK: 3, DOUBLE: 3 };

const TWINS = [BACKGROUND, FOREGROUND, LINE];

/** A mask that names each colour in both of its forms. */
function addBothColorForms(mask: ReadonlyMap<string, FieldMask>): ReadonlyMap<string, FieldMask> {
  const twins = new Map(mask);
  for (const { color, style } of TWINS) {
    if (!mask.has(color) && !mask.has(style)) continue;
    twins.set(color, null);
    twins.set(style, null);
  }
  return twins;
}

/** A format in which another format replaces the members that a mask names. */
export function mergeFormat(googleFormat: GoogleFormat, update: GoogleFormat, mask: FieldMask): GoogleFormat {
  if (mask === null) return update;
  const merged: Record<string, unknown> = { ...googleFormat };
  for (const [name, below] of addBothColorForms(mask)) {
    const next = update[name];
    const old = googleFormat[name];
    const value =
      below === null ? next : mergeFormat(isRequestObject(old) ? old : {}, isRequestObject(next) ? next : {}, below);
    if (isEmptyMember(value) && !isColor(name, value)) delete merged[name];
    else merged[name] = value;
  }
  return merged;
}

/** True if the member is a color. Black is a color without components. */
function isColor(name: string, value: unknown): boolean {
  return /[cC]olor(?:Style)?$/.test(name) && isRequestObject(value);
}

/** The members of a format's objects. The members of colours and of single borders are not listed. */
const MEMBERS_BELOW: Readonly<Record<string, readonly string[]>> = {
  numberFormat: NUMBER_FORMAT_MEMBERS,
  borders: SIDES,
  padding: SIDES,
  textFormat: TEXT_MEMBERS,
  textRotation: ROTATION_MEMBERS,
};

/** Throws if a mask names a member that a format does not have. */
export function refuseUnknownFormat(mask: FieldMask | undefined): void {
  refuseUnknownNames(mask, MEMBERS);
  for (const [name, below] of mask ?? []) {
    const members = MEMBERS_BELOW[name];
    if (members !== undefined) refuseUnknownNames(below, members);
  }
}

/** Throws a `Problem` if the mask names a member that is not in the list. */
function refuseUnknownNames(mask: FieldMask | undefined, members: readonly string[]): void {
  for (const name of mask?.keys() ?? []) {
    if (name !== '*' && !members.includes(name)) throw createInvalidProblem(`Invalid field: ${name}`);
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
export function toEffectiveFormat(format: GoogleFormat): GoogleFormat {
  const { textFormat = {}, padding, ...rest } = format;
  return {
    ...DEFAULT_FORMAT,
    ...rest,
    padding: padding ?? DEFAULT_FORMAT.padding,
    textFormat: { ...DEFAULT_FORMAT.textFormat, ...(textFormat as object) },
  };
}
