import { joinPath, type RequestObject, readChoice, readNumber, readObject, refuseUnknownMembers } from '../json.ts';

/** A colour in answers: components that are 0 are absent. */
export interface GoogleColor {
  readonly red?: number;
  readonly green?: number;
  readonly blue?: number;
}

const PARTS = ['red', 'green', 'blue'] as const;

/** A color in Google's form as `#rrggbb`. Components are cut to 8 bits, as Google does. */
function parseHexColor(members: RequestObject, path: string): string {
  refuseUnknownMembers(members, [...PARTS, 'alpha'], path);
  readNumber(members, 'alpha', path);
  const bytes = PARTS.map((part) =>
    Math.floor(clampColorComponent(readNumber(members, part, path) ?? 0) * 255 + ROUNDING),
  );
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** Tolerance that makes `51 / 255` convert back to 51. */
const ROUNDING = 1e-4;

function clampColorComponent(part: number): number {
  return Math.min(Math.max(part, 0), 1);
}

function toGoogleColor(hex: string): GoogleColor {
  const parts = PARTS.map((part, i) => [
    part,
    shortenFloat32(Number.parseInt(hex.slice(1 + 2 * i, 3 + 2 * i), 16) / 255),
  ]);
  return Object.fromEntries(parts.filter(([, value]) => value !== 0)) as GoogleColor;
}

/** The shortest decimal that has the same 32-bit float value. */
function shortenFloat32(value: number): number {
  const single = Math.fround(value);
  for (let digits = 1; digits < 10; digits++) {
    const short = Number(single.toPrecision(digits));
    if (Math.fround(short) === single) return short;
  }
  return single;
}

/** The member names of a colour's two forms. */
export interface ColorNames {
  readonly color: string;
  readonly style: string;
}

export const LINK_COLOR = '#1155cc';

/** Theme colours, with the values of Google's standard theme. */
const THEME: Readonly<Record<string, string>> = {
  TEXT: '#000000',
  BACKGROUND: '#ffffff',
  ACCENT1: '#4285f4',
  ACCENT2: '#ea4335',
  ACCENT3: '#fbbc04',
  ACCENT4: '#34a853',
  ACCENT5: '#ff6d01',
  ACCENT6: '#46bdc6',
  LINK: LINK_COLOR,
};

const THEME_NAMES = Object.keys(THEME);

/** The colour of an object in either form; undefined: none; null: an empty one. */
export function parseNamedColor(
  members: RequestObject,
  { color, style }: ColorNames,
  path: string,
): string | null | undefined {
  const styled = readObject(members, style, path);
  if (styled !== undefined) {
    const at = joinPath(path, style);
    refuseUnknownMembers(styled, ['rgbColor', 'themeColor'], at);
    const rgb = readObject(styled, 'rgbColor', at);
    if (rgb !== undefined) return parseHexColor(rgb, joinPath(at, 'rgbColor'));
    const theme = readChoice(styled, 'themeColor', THEME_NAMES, at, 'ThemeColorType');
    return theme === undefined ? null : (THEME[theme] ?? null);
  }
  const plain = readObject(members, color, path);
  return plain === undefined ? undefined : parseHexColor(plain, joinPath(path, color));
}

/** A colour in both forms. */
export function toColorForms(hex: string, { color, style }: ColorNames): Record<string, unknown> {
  const shown = toGoogleColor(hex);
  return { [color]: shown, [style]: { rgbColor: shown } };
}

/** The theme of every document. */
export const SPREADSHEET_THEME = {
  primaryFontFamily: 'Arial',
  themeColors: Object.entries(THEME).map(([colorType, hex]) => ({
    colorType,
    color: { rgbColor: toGoogleColor(hex) },
  })),
};
