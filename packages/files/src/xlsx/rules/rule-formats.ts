export interface RuleColor {
  readonly red?: number;
  readonly green?: number;
  readonly blue?: number;
}

export interface RuleColorStyle {
  readonly rgbColor?: RuleColor;
}

export interface RuleFormat {
  readonly backgroundColor?: RuleColor;
  readonly backgroundColorStyle?: RuleColorStyle;
  readonly textFormat?: {
    readonly bold?: boolean;
    readonly italic?: boolean;
    readonly strikethrough?: boolean;
    readonly underline?: boolean;
    readonly foregroundColor?: RuleColor;
    readonly foregroundColorStyle?: RuleColorStyle;
  };
}

/** Formats of rules (`dxf`), added to the formats of a style sheet. */
export class RuleFormats {
  private readonly otherFormats: string;
  private readonly existingCount: number;
  private readonly added: string[] = [];

  /** `existingContent`: the elements after the styles of a file. */
  constructor(existingContent: string) {
    this.otherFormats = existingContent;
    this.existingCount = (/<dxfs\b[^>]*>.*<\/dxfs>/s.exec(existingContent)?.[0].match(/<dxf[ >/]/g) ?? []).length;
  }

  /** Returns the index by which rules reference a format, and adds the format if needed. */
  findOrAddFormat(content: string): number {
    const existingIndex = this.added.indexOf(content);
    return this.existingCount + (existingIndex < 0 ? this.added.push(content) - 1 : existingIndex);
  }

  formatXml(): string {
    if (this.added.length === 0) return this.otherFormats;
    const items = this.added.map((content) => `<dxf>${content}</dxf>`).join('');
    const others = /<dxfs\b[^>]*>(.*)<\/dxfs>/s.exec(this.otherFormats)?.[1] ?? '';
    const list = `<dxfs count="${this.existingCount + this.added.length}">${others}${items}</dxfs>`;
    return list + this.otherFormats.replace(/<dxfs\b[^>]*(?:\/>|>.*<\/dxfs>)/s, '');
  }
}

/** The differential format (`dxf`) of a rule. */
export function formatRuleFormatXml({ backgroundColor, backgroundColorStyle, textFormat = {} }: RuleFormat): string {
  const { bold, italic, strikethrough, underline, foregroundColor, foregroundColorStyle } = textFormat;
  const ink = foregroundColorStyle?.rgbColor ?? foregroundColor;
  const font = [
    bold ? '<b/>' : '',
    italic ? '<i/>' : '',
    strikethrough ? '<strike/>' : '',
    ink === undefined ? '' : `<color rgb="${formatArgbColor(ink)}"/>`,
    underline ? '<u/>' : '',
  ].join('');
  return (font === '' ? '' : `<font>${font}</font>`) + formatFillXml(backgroundColorStyle?.rgbColor ?? backgroundColor);
}

export function formatFillXml(color: RuleColor | undefined): string {
  return color === undefined
    ? ''
    : `<fill><patternFill><bgColor rgb="${formatArgbColor(color)}"/></patternFill></fill>`;
}

/** The color as `FFRRGGBB`. */
export function formatArgbColor(color: RuleColor): string {
  return `FF${formatHexColor(color).slice(1).toUpperCase()}`;
}

/** Formats a colour as `#rrggbb`. */
export function formatHexColor({ red = 0, green = 0, blue = 0 }: RuleColor): string {
  const bytes = [red, green, blue].map((part) =>
    Math.round(part * 255)
      .toString(16)
      .padStart(2, '0'),
  );
  return `#${bytes.join('')}`;
}
