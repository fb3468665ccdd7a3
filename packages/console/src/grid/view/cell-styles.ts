import type { CellStyle } from '../../data/types.ts';
import { findRuleIcon } from './rule-icons.ts';

/** Applies a style to a cell's element; null removes the previous style. */
export function applyCellStyle(style: CSSStyleDeclaration, cellStyle: CellStyle | null): void {
  style.fontWeight = cellStyle?.bold === true ? '700' : '';
  style.fontStyle = cellStyle?.italic === true ? 'italic' : '';
  const lines = `${cellStyle?.underline === true ? 'underline ' : ''}${cellStyle?.strike === true ? 'line-through' : ''}`;
  style.textDecoration = lines.trim();
  style.fontSize = cellStyle?.size === undefined ? '' : `${cellStyle.size}px`;
  style.color = chooseTextColor(cellStyle);
  style.backgroundColor = cellStyle?.fill ?? '';
  style.backgroundImage = cellStyle?.bar === undefined ? '' : formatBarGradient(cellStyle.bar);
  const icon = findRuleIcon(cellStyle?.icon);
  style.setProperty('--rule-icon', icon === null ? '' : `"${icon.character}"`);
  style.setProperty('--rule-icon-color', icon?.color ?? '');
  style.textAlign = cellStyle?.horizontal ?? '';
  style.justifyContent = cellStyle?.horizontal === undefined ? '' : HORIZONTAL[cellStyle.horizontal];
  style.alignItems = cellStyle?.vertical === undefined ? '' : VERTICAL[cellStyle.vertical];
  style.whiteSpace = cellStyle?.wrap === true ? 'pre-wrap' : '';
  for (const [side, name] of SIDES) style[name] = cellStyle?.borders?.[side] ?? '';
}

/** A data bar that pales towards its end. */
function formatBarGradient({ color, from, to }: NonNullable<CellStyle['bar']>): string {
  const pale = `color-mix(in oklab, ${color}, var(--surface) 55%)`;
  return `linear-gradient(to right, transparent ${from}%, ${color} ${from}%, ${pale} ${to}%, transparent ${to}%)`;
}

const HORIZONTAL = { left: 'flex-start', center: 'center', right: 'flex-end' } as const;
/** Content that is higher than its cell starts at the top of the cell. */
const VERTICAL = { top: 'flex-start', middle: 'safe center', bottom: 'safe flex-end' } as const;
const SIDES = [
  ['top', 'borderTop'],
  ['right', 'borderRight'],
  ['bottom', 'borderBottom'],
  ['left', 'borderLeft'],
] as const;

/** Colours of files are chosen for white paper. Dark colours are lightened in the dark theme. */
function chooseTextColor(cellStyle: CellStyle | null): string {
  if (cellStyle?.fill !== undefined) return cellStyle.color ?? chooseColorOnFill(cellStyle.fill);
  if (cellStyle?.color === undefined) return '';
  return computeBrightness(cellStyle.color) > DARK_BRIGHTNESS
    ? cellStyle.color
    : `light-dark(${cellStyle.color}, color-mix(in oklab, ${cellStyle.color}, white 55%))`;
}

/** Below this brightness (0 to 255) a colour is hard to read on a dark background. */
const DARK_BRIGHTNESS = 140;

function computeBrightness(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return red * 0.299 + green * 0.587 + blue * 0.114;
}

/** Text without a colour is black in files: on a light fill it stays dark in the dark theme. */
function chooseColorOnFill(fill: string): string {
  return computeBrightness(fill) > DARK_BRIGHTNESS ? '#15191e' : '#f4f6f8';
}
