import { parseXmlBoolean } from '../../archive/xml.ts';
import { resolveColor, ThemeHandler } from './color.ts';
import { parseStyle } from './style-record.ts';

/** The appearance of a cell in a browser; absent properties have their default. Sizes are in CSS pixels. */
export interface VisualStyle {
  readonly bold?: true;
  readonly italic?: true;
  readonly underline?: true;
  readonly strike?: true;
  readonly size?: number;
  /** `#RRGGBB`. */
  readonly color?: string;
  readonly fill?: string;
  readonly horizontal?: 'left' | 'center' | 'right';
  readonly vertical?: 'top' | 'middle' | 'bottom';
  readonly wrap?: true;
  /** CSS borders of the sides that have one. */
  readonly borders?: Readonly<Partial<Record<BorderSide, string>>>;
  /** A data bar: start and end in percent of the cell's width, from the left. */
  readonly bar?: { readonly color: string; readonly from: number; readonly to: number };
  /** An icon of a set. `index`: 0 for the lowest. `set`: its name in the file format. */
  readonly icon?: { readonly set: string; readonly index: number };
  /** True if a bar or an icon is shown instead of the value. */
  readonly hidesValue?: true;
}

const SIDES = ['left', 'right', 'top', 'bottom'] as const;
type BorderSide = (typeof SIDES)[number];
type ElementAttributes = Readonly<Record<string, string>>;

/** Number of CSS pixels for one point. */
const PIXELS_PER_POINT = 4 / 3;
/** Size of the default font, in points. Cells with this size use the grid's font size. */
const DEFAULT_FONT_POINTS = 11;

const HORIZONTAL: Readonly<Record<string, 'left' | 'center' | 'right'>> = {
  left: 'left',
  center: 'center',
  centerContinuous: 'center',
  right: 'right',
};
const VERTICAL: Readonly<Record<string, 'top' | 'middle' | 'bottom'>> = {
  top: 'top',
  center: 'middle',
  bottom: 'bottom',
};

/** Converts preserved styles to visual styles. */
export class VisualStyleReader {
  private readonly theme = new ThemeHandler();
  private readonly cachedStyles = new Map<string, VisualStyle>();

  /** `theme`: XML of the preserved theme. */
  constructor(theme: string | undefined) {
    if (theme === undefined) return;
    for (const [, close, name = '', rest = ''] of theme.matchAll(TAGS)) {
      const local = name.replace(/^.*:/, '');
      if (close !== undefined) this.theme.closeElement(local);
      else this.theme.openElement(local, parseAttributes(rest));
    }
  }

  /** Returns the visual style for a style text of the engine, which must not be empty. */
  parseStyle(style: string): VisualStyle {
    let visualStyle = this.cachedStyles.get(style);
    if (visualStyle === undefined) {
      const { font, fill, border, alignment } = parseStyle(style);
      visualStyle = {
        ...this.parseFont(font),
        ...this.parseFill(fill),
        ...this.parseBorders(border),
        ...parseAlignment(alignment),
      };
      this.cachedStyles.set(style, visualStyle);
    }
    return visualStyle;
  }

  /** Returns the visual style for a differential format (`dxf`). Its solid fills have only a background colour. */
  parseDifferential(xml: string): VisualStyle {
    const findElement = (name: string) => new RegExp(`<${name}\\b[^>]*>[\\s\\S]*?</${name}>`).exec(xml)?.[0] ?? '';
    const fill =
      this.parseElementColor(findElement('fill'), 'bgColor') ?? this.parseElementColor(findElement('fill'), 'fgColor');
    return {
      ...this.parseFont(findElement('font')),
      ...(fill !== null && { fill }),
      ...this.parseBorders(findElement('border')),
    };
  }

  /** Returns `#RRGGBB` for the attributes of a colour element; null if unknown. */
  resolveColor(attributes: ElementAttributes): string | null {
    return resolveColor(attributes, this.theme);
  }

  private parseFont(font: string): VisualStyle {
    const size = Number(/<sz\b[^>]*\bval="([\d.]+)"/.exec(font)?.[1] ?? DEFAULT_FONT_POINTS);
    const color = this.parseElementColor(font, 'color');
    return {
      ...(isPropertySet(font, 'b') && { bold: true }),
      ...(isPropertySet(font, 'i') && { italic: true }),
      ...(isPropertySet(font, 'u') && { underline: true }),
      ...(isPropertySet(font, 'strike') && { strike: true }),
      ...(size !== DEFAULT_FONT_POINTS && { size: Math.round(size * PIXELS_PER_POINT) }),
      // Black is the default colour. It is not kept, because it would be unreadable in a dark theme.
      ...(color !== null && color !== '#000000' && { color }),
    };
  }

  private parseFill(fill: string): VisualStyle {
    if (!/\bpatternType="(?!none)/.test(fill)) return {};
    const color = this.parseElementColor(fill, /\bpatternType="solid"/.test(fill) ? 'fgColor' : 'bgColor');
    return color === null ? {} : { fill: color };
  }

  private parseBorders(border: string): VisualStyle {
    const borders: Partial<Record<BorderSide, string>> = {};
    for (const side of SIDES) {
      const element = new RegExp(`<${side}\\b([^>]*)>(.*?)</${side}>`, 's').exec(border);
      const style = element === null ? undefined : parseAttributes(element[1] ?? '')['style'];
      if (style === undefined || style === 'none') continue;
      borders[side] = `${toCssBorder(style)} ${this.parseElementColor(element?.[2] ?? '', 'color') ?? 'currentcolor'}`;
    }
    return Object.keys(borders).length === 0 ? {} : { borders };
  }

  /** The color of the first element with this name; null if there is none. */
  private parseElementColor(text: string, element: string): string | null {
    const match = new RegExp(`<${element}\\b([^>]*)>`).exec(text);
    return match === null ? null : resolveColor(parseAttributes(match[1] ?? ''), this.theme);
  }
}

/** Matches the tags of XML, which was well-formed when it was imported. */
const TAGS = /<(\/)?([\w:.-]+)([^>]*)>/g;

function parseAttributes(text: string): ElementAttributes {
  return Object.fromEntries(
    [...text.matchAll(/([\w:.-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
}

/** True if a font property is set: `<b/>`, `<b val="1"/>`, `<u val="double"/>`. */
function isPropertySet(font: string, element: string): boolean {
  const match = new RegExp(`<${element}(?: ([^>]*?))?/?>`).exec(font);
  if (match === null) return false;
  const value = parseAttributes(match[1] ?? '')['val'];
  return value === undefined || !['0', 'false', 'none'].includes(value);
}

/** The CSS width and line of Excel's name of a border style. */
function toCssBorder(style: string): string {
  if (style === 'double') return '3px double';
  const width = style === 'thick' ? 3 : style.startsWith('medium') ? 2 : 1;
  const line = /dash/i.test(style) ? 'dashed' : /dot|hair/i.test(style) ? 'dotted' : 'solid';
  return `${width}px ${line}`;
}

function parseAlignment(alignment: string): VisualStyle {
  const { horizontal = '', vertical = '', wrapText } = parseAttributes(alignment);
  const across = HORIZONTAL[horizontal];
  const down = VERTICAL[vertical];
  return {
    ...(across !== undefined && { horizontal: across }),
    ...(down !== undefined && { vertical: down }),
    ...(parseXmlBoolean(wrapText) && { wrap: true }),
  };
}

/** Returns the numbers of frozen rows and columns. `carried`: `Layout.carried` of a sheet. */
export function readFrozenPanes(carried: Readonly<Record<string, string>>): {
  readonly rows: number;
  readonly columns: number;
} {
  const pane = parseAttributes(/<pane\b([^>]*)>/.exec(carried['sheetViews'] ?? '')?.[1] ?? '');
  const isFrozen = pane['state'] === 'frozen' || pane['state'] === 'frozenSplit';
  const parseLineCount = (text: string | undefined) => {
    const count = Number(text ?? 0);
    return isFrozen && Number.isInteger(count) && count > 0 ? Math.min(count, MAX_FROZEN) : 0;
  };
  return { rows: parseLineCount(pane['ySplit']), columns: parseLineCount(pane['xSplit']) };
}

/** Maximum number of frozen rows or columns; more would leave nothing to scroll. */
const MAX_FROZEN = 20;
