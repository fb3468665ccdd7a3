import type { Look } from '../../data/types.ts';

/** Puts a look onto a cell's element; null takes away what another had put there. */
export function wear(style: CSSStyleDeclaration, look: Look | null): void {
  style.fontWeight = look?.bold === true ? '700' : '';
  style.fontStyle = look?.italic === true ? 'italic' : '';
  const lines = `${look?.underline === true ? 'underline ' : ''}${look?.strike === true ? 'line-through' : ''}`;
  style.textDecoration = lines.trim();
  style.fontSize = look?.size === undefined ? '' : `${look.size}px`;
  style.color = colorOf(look);
  style.backgroundColor = look?.fill ?? '';
  style.textAlign = look?.horizontal ?? '';
  style.justifyContent = look?.horizontal === undefined ? '' : HORIZONTAL[look.horizontal];
  style.alignItems = look?.vertical === undefined ? '' : VERTICAL[look.vertical];
  style.whiteSpace = look?.wrap === true ? 'pre-wrap' : '';
  for (const [side, name] of SIDES) style[name] = look?.borders?.[side] ?? '';
}

const HORIZONTAL = { left: 'flex-start', center: 'center', right: 'flex-end' } as const;
/** What is higher than its cell is seen from its beginning. */
const VERTICAL = { top: 'flex-start', middle: 'safe center', bottom: 'safe flex-end' } as const;
const SIDES = [
  ['top', 'borderTop'],
  ['right', 'borderRight'],
  ['bottom', 'borderBottom'],
  ['left', 'borderLeft'],
] as const;

/** A file's colours are chosen for white paper: those too dark to be read on a dark ground are lightened there. */
function colorOf(look: Look | null): string {
  if (look?.fill !== undefined) return look.color ?? readableOn(look.fill);
  if (look?.color === undefined) return '';
  return brightness(look.color) > DARK
    ? look.color
    : `light-dark(${look.color}, color-mix(in oklab, ${look.color}, white 55%))`;
}

/** Of colours: darker ones are hard to read on a dark ground. 0 to 255. */
const DARK = 140;

function brightness(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return red * 0.299 + green * 0.587 + blue * 0.114;
}

/** Files mean a text without a colour to be black: on a light fill it stays dark in a dark theme, too. */
function readableOn(fill: string): string {
  return brightness(fill) > DARK ? '#15191e' : '#f4f6f8';
}
