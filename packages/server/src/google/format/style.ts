import { formatClass, type Snapshot } from '@cellwire/engine';
import {
  formatStyle,
  PLAIN_STYLE,
  parseStyle,
  readPreservedTheme,
  type StyleRecord,
  type VisualStyle,
  VisualStyleReader,
} from '@cellwire/files';
import { isRequestObject } from '../json.ts';
import {
  BACKGROUND,
  FOREGROUND,
  type GoogleFormat,
  LINE,
  type NumberType,
  omitEmptyMembers,
  SIDES,
  TYPE_PATTERNS,
} from './cell-format.ts';
import { type GoogleColor, toColorForms } from './color.ts';

/** Converts between a document's styles and Google's formats. */
export class StyleFormats {
  private readonly snapshot: Snapshot;
  private reader: VisualStyleReader | null = null;
  private readonly known = new Map<string, GoogleFormat>();

  constructor(snapshot: Snapshot) {
    this.snapshot = snapshot;
  }

  /** A cell's own format, by its number in the document's table; null: none. */
  readCellFormat(formatId: number): GoogleFormat | null {
    const { code, inferred, style } = this.snapshot.formats.get(formatId);
    const format = this.readStyleFormat(style);
    const numberFormat =
      this.snapshot.formats.isGeneral(formatId) || inferred ? undefined : toNumberFormat(code, format);
    const { numberFormat: _, ...rest } = format;
    const whole = omitEmptyMembers({ numberFormat, ...rest });
    return Object.keys(whole).length === 0 ? null : whole;
  }

  /** The format derived from a formula's result. */
  readInferredFormat(formatId: number): GoogleFormat {
    const { code, inferred } = this.snapshot.formats.get(formatId);
    return inferred ? { numberFormat: toNumberFormat(code, {}) } : {};
  }

  /** The format in Google's form of a style stored in a workbook's form. */
  readStyleFormat(style: string): GoogleFormat {
    if (style === '') return {};
    const cached = this.known.get(style);
    if (cached !== undefined) return cached;
    const { extra } = parseStyle(style);
    const format = extra === undefined ? this.parseStyle(style) : (JSON.parse(extra) as GoogleFormat);
    this.known.set(style, format);
    return format;
  }

  /** Parses the format of a style that was imported from a file. */
  private parseStyle(style: string): GoogleFormat {
    this.reader ??= new VisualStyleReader(readPreservedTheme(this.snapshot.carried));
    return toGoogleFormat(this.reader.parseStyle(style));
  }
}

/** The number format of a code, with the type that was set together with it. */
function toNumberFormat(code: string, { numberFormat }: GoogleFormat): GoogleFormat {
  if (isRequestObject(numberFormat) && toFormatCode(numberFormat) === code) return numberFormat;
  return { type: classifyFormatCode(code), pattern: code };
}

const CLASSES: Readonly<Record<string, NumberType>> = {
  text: 'TEXT',
  percent: 'PERCENT',
  currency: 'CURRENCY',
  date: 'DATE',
  time: 'TIME',
  datetime: 'DATE_TIME',
  scientific: 'SCIENTIFIC',
};

/** Google's number type (`DATE`, `PERCENT` and others) of a number format code. */
function classifyFormatCode(code: string): NumberType {
  return CLASSES[formatClass(code)] ?? 'NUMBER';
}

/** The format code of a `NumberFormat`. */
export function toFormatCode(numberFormat: Readonly<Record<string, unknown>>): string {
  const { type, pattern } = numberFormat as { readonly type: NumberType; readonly pattern?: string };
  return pattern ?? TYPE_PATTERNS[type];
}

const PIXELS_OF_POINT = 4 / 3;

function toGoogleFormat(visualStyle: VisualStyle): GoogleFormat {
  const textFormat = {
    ...(visualStyle.color === undefined ? {} : toColorForms(visualStyle.color, FOREGROUND)),
    ...omitEmptyMembers({
      fontSize: visualStyle.size === undefined ? undefined : Math.round(visualStyle.size / PIXELS_OF_POINT),
      bold: visualStyle.bold,
      italic: visualStyle.italic,
      strikethrough: visualStyle.strike,
      underline: visualStyle.underline,
    }),
  };
  const borders = Object.fromEntries(
    SIDES.flatMap((side) => {
      const css = visualStyle.borders?.[side];
      return css === undefined ? [] : [[side, parseCssBorder(css)]];
    }),
  );
  return omitEmptyMembers({
    ...(visualStyle.fill === undefined ? {} : toColorForms(visualStyle.fill, BACKGROUND)),
    textFormat,
    borders,
    horizontalAlignment: visualStyle.horizontal?.toUpperCase(),
    verticalAlignment: visualStyle.vertical?.toUpperCase(),
    wrapStrategy: visualStyle.wrap ? 'WRAP' : undefined,
  });
}

function parseCssBorder(css: string): GoogleFormat {
  const [width = '1px', line = 'solid', color = ''] = css.split(' ');
  const pixels = Number.parseInt(width, 10);
  const solid = pixels >= 3 ? 'SOLID_THICK' : pixels === 2 ? 'SOLID_MEDIUM' : 'SOLID';
  const style = line === 'double' ? 'DOUBLE' : line === 'dashed' ? 'DASHED' : line === 'dotted' ? 'DOTTED' : solid;
  return { style, width: pixels, ...toColorForms(color.startsWith('#') ? color : '#000000', LINE) };
}

/** The text of a style with the given format. Properties that the format does not define are kept from the style. */
export function formatStyleText(style: string, before: GoogleFormat, format: GoogleFormat): string {
  if (Object.keys(format).length === 0) return '';
  const record = style === '' ? PLAIN_STYLE : parseStyle(style);
  const differs = (name: string) => JSON.stringify(before[name]) !== JSON.stringify(format[name]);
  const next: StyleRecord = {
    ...record,
    ...(differs('textFormat') && { font: formatFontXml(record.font, (format['textFormat'] ?? {}) as GoogleFormat) }),
    ...(differs('backgroundColor') && { fill: formatFillXml(format['backgroundColor'] as GoogleColor | undefined) }),
    ...(differs('borders') && { border: formatBorderXml((format['borders'] ?? {}) as GoogleFormat) }),
    ...(ALIGNED.some(differs) && { alignment: formatAlignmentXml(format) }),
    extra: JSON.stringify(format),
  };
  return formatStyle(next);
}

const ALIGNED = ['horizontalAlignment', 'verticalAlignment', 'wrapStrategy', 'textRotation', 'textDirection'];

function formatRgb({ red = 0, green = 0, blue = 0 }: GoogleColor): string {
  return `FF${[red, green, blue]
    .map((part) =>
      Math.round(part * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`.toUpperCase();
}

/** The XML of a font. Size and family are kept from `before` if the format does not define them. */
function formatFontXml(before: string, format: GoogleFormat): string {
  const size = (format['fontSize'] as number | undefined) ?? Number(/<sz val="([\d.]+)"/.exec(before)?.[1] ?? 11);
  const family = (format['fontFamily'] as string | undefined) ?? /<name val="([^"]*)"/.exec(before)?.[1] ?? 'Calibri';
  const color = format['foregroundColor'] as GoogleColor | undefined;
  const isOn = (name: string, element: string) => (format[name] === true ? `<${element}/>` : '');
  return (
    `<font>${isOn('bold', 'b')}${isOn('italic', 'i')}${isOn('strikethrough', 'strike')}${isOn('underline', 'u')}` +
    `<sz val="${size}"/>${color === undefined ? '' : `<color rgb="${formatRgb(color)}"/>`}<name val="${escapeXml(family)}"/></font>`
  );
}

function escapeXml(text: string): string {
  return text.replaceAll(/[<>&"]/g, (mark) => `&#${mark.charCodeAt(0)};`).replaceAll(/\p{Cc}/gu, '');
}

function formatFillXml(color: GoogleColor | undefined): string {
  if (color === undefined) return PLAIN_STYLE.fill;
  return `<fill><patternFill patternType="solid"><fgColor rgb="${formatRgb(color)}"/><bgColor indexed="64"/></patternFill></fill>`;
}

const LINES: Readonly<Record<string, string>> = {
  DOTTED: 'dotted',
  DASHED: 'dashed',
  SOLID: 'thin',
  SOLID_MEDIUM: 'medium',
  SOLID_THICK: 'thick',
  DOUBLE: 'double',
};

function formatBorderXml(borders: GoogleFormat): string {
  const sides = ['left', 'right', 'top', 'bottom'].map((side) => {
    const border = borders[side] as { readonly style: string; readonly color: GoogleColor } | undefined;
    if (border === undefined) return `<${side}/>`;
    return `<${side} style="${LINES[border.style] ?? 'thin'}"><color rgb="${formatRgb(border.color)}"/></${side}>`;
  });
  return `<border>${sides.join('')}<diagonal/></border>`;
}

const VERTICAL_WORDS: Readonly<Record<string, string>> = { TOP: 'top', MIDDLE: 'center', BOTTOM: 'bottom' };

function formatAlignmentXml(format: GoogleFormat): string {
  const { horizontalAlignment, verticalAlignment, wrapStrategy, textRotation, textDirection } = format;
  const attributes = [
    typeof horizontalAlignment === 'string' ? ` horizontal="${horizontalAlignment.toLowerCase()}"` : '',
    typeof verticalAlignment === 'string' ? ` vertical="${VERTICAL_WORDS[verticalAlignment]}"` : '',
    formatRotation(textRotation),
    wrapStrategy === 'WRAP' || wrapStrategy === 'LEGACY_WRAP' ? ' wrapText="1"' : '',
    textDirection === undefined ? '' : ` readingOrder="${textDirection === 'RIGHT_TO_LEFT' ? 2 : 1}"`,
  ].join('');
  return attributes === '' ? '' : `<alignment${attributes}/>`;
}

/** The XML attribute of a rotation; empty for none. Values above 90 mean downward angles, 255 means stacked letters. */
function formatRotation(rotation: unknown): string {
  if (!isRequestObject(rotation)) return '';
  if (rotation['vertical'] === true) return ' textRotation="255"';
  const angle = Number(rotation['angle'] ?? 0);
  return angle === 0 ? '' : ` textRotation="${angle > 0 ? Math.min(angle, 90) : 90 - Math.max(angle, -90)}"`;
}
