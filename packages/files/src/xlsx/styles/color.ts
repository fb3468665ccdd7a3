import type { XmlAttributes, XmlHandler } from '../../archive/xml.ts';

/** Theme colours in the order of their index in cells: the first two pairs are swapped compared with the theme. */
const THEME_ORDER = ['lt1', 'dk1', 'lt2', 'dk2', 'accent1', 'accent2', 'accent3', 'accent4', 'accent5', 'accent6'];

/** Reads `xl/theme/theme1.xml`: the colours by theme index, as `RRGGBB`. */
export class ThemeHandler implements XmlHandler {
  private readonly colors = new Map<string, string>();
  private inScheme = false;
  private slot = '';

  openElement(name: string, attributes: XmlAttributes): void {
    if (name === 'clrScheme') this.inScheme = true;
    else if (!this.inScheme) return;
    else if (name === 'srgbClr') this.colors.set(this.slot, attributes['val'] ?? '');
    else if (name === 'sysClr') this.colors.set(this.slot, attributes['lastClr'] ?? '');
    else this.slot = name;
  }

  closeElement(name: string): void {
    if (name === 'clrScheme') this.inScheme = false;
  }

  findThemeColor(index: number): string | undefined {
    return this.colors.get(THEME_ORDER[index] ?? '');
  }
}

/** The fixed palette, entries 8 to 63 (ECMA-376 part 1, §18.8.27). */
const PALETTE =
  '000000FFFFFFFF000000FF000000FFFFFF00FF00FF00FFFF800000008000000080808000800080008080C0C0C0808080' +
  '9999FF993366FFFFCCCCFFFF660066FF80800066CCCCCCFF000080FF00FFFFFF0000FFFF8000808000000080800000FF' +
  '00CCFFCCFFFFCCFFCCFFFF9999CCFFFF99CCCC99FFFFCC993366FF33CCCC99CC00FFCC00FF9900FF6600666699969696' +
  '003366339966003300333300993300993366333399333333';

const RGB = /^[0-9A-Fa-f]{6}$/;

/**
 * Resolves a colour element (`rgb`, `theme` with `tint`, or `indexed`) to `#RRGGBB`; null for automatic and unknown
 * colours.
 */
export function resolveColor(attributes: XmlAttributes, theme: ThemeHandler): string | null {
  const base = findBaseColor(attributes, theme);
  if (base === undefined || !RGB.test(base)) return null;
  const tint = Number(attributes['tint'] ?? 0);
  return `#${(tint === 0 ? base : applyTint(base, tint)).toUpperCase()}`;
}

/**
 * The color without its tint, as `RRGGBB`: given directly, by the theme, or by the palette. Undefined or another text
 * for an unknown color.
 */
function findBaseColor(attributes: XmlAttributes, theme: ThemeHandler): string | undefined {
  const { rgb, theme: slot, indexed } = attributes;
  if (rgb !== undefined) return rgb.slice(-6);
  if (slot !== undefined) return theme.findThemeColor(Number(slot));
  const index = Number(indexed);
  if (!Number.isInteger(index)) return undefined;
  const start = (index < 8 ? index : index - 8) * 6;
  return PALETTE.slice(start, start + 6);
}

/**
 * Lightens (tint > 0) or darkens (tint < 0) a colour by changing its luminance in the HLS model (ECMA-376 part 1,
 * §18.8.19). At the same hue and saturation, a linear change of the luminance is the same linear change of red, green
 * and blue.
 */
function applyTint(rgb: string, tint: number): string {
  const parts = [0, 2, 4].map((at) => Number.parseInt(rgb.slice(at, at + 2), 16) / 255);
  const [high, low] = [Math.max(...parts), Math.min(...parts)];
  const light = (high + low) / 2;
  const target = tint < 0 ? light * (1 + tint) : light * (1 - tint) + tint;
  const room = Math.min(light, 1 - light);
  const scale = room === 0 ? 0 : Math.min(target, 1 - target) / room;
  return parts
    .map((part) => Math.round(Math.min(1, Math.max(0, target + (part - light) * scale)) * 255))
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
