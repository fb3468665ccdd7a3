import type { Sheet } from '@cellwire/engine';

/** Settings of a sheet's view. */
export interface ViewSettings {
  readonly frozenRows: number;
  readonly frozenColumns: number;
  readonly hidesGridlines: boolean;
  readonly isRightToLeft: boolean;
}

/** The part of a sheet's layout with its views, named as in files. */
export const VIEWS = 'sheetViews';

const PLAIN_VIEW = '<sheetViews><sheetView workbookViewId="0"/></sheetViews>';

/** The frozen lines, gridlines and direction of a sheet. */
export function readSheetView(sheet: Pick<Sheet, 'layout'>): ViewSettings {
  return parseView(sheet.layout.carried[VIEWS] ?? '');
}

/** Reads frozen lines, gridlines and direction from the XML of a sheet's view. */
function parseView(xml: string): ViewSettings {
  const pane = /<pane\b[^>]*>/.exec(xml)?.[0] ?? '';
  const view = /<sheetView\b[^>]*>/.exec(xml)?.[0] ?? '';
  const isFrozen = /\bstate="frozen(?:Split)?"/.test(pane);
  const parseCount = (name: string) => (isFrozen ? Number(new RegExp(`\\b${name}="(\\d+)"`).exec(pane)?.[1] ?? 0) : 0);
  const isOn = (name: string, value: string) => new RegExp(`\\b${name}="${value}"`).test(view);
  return {
    frozenRows: parseCount('ySplit'),
    frozenColumns: parseCount('xSplit'),
    hidesGridlines: isOn('showGridLines', '(?:0|false)'),
    isRightToLeft: isOn('rightToLeft', '(?:1|true)'),
  };
}

/** The text of the views with changed settings. Other settings are kept. */
export function replaceView(xml: string | undefined, { frozenRows, frozenColumns, ...view }: ViewSettings): string {
  const views = xml === undefined || xml === '' ? PLAIN_VIEW : xml;
  const { hidesGridlines, isRightToLeft } = view;
  const pane = formatPaneXml(frozenRows, frozenColumns);
  return views
    .replaceAll(/<pane\b[^>]*\/>|<selection\b[^>]*\/>/g, '')
    .replace(/<sheetView\b([^>]*?)(\/?)>/, (_, attributes: string, close: string) => {
      const others = attributes.replaceAll(/ (?:showGridLines|rightToLeft)="[^"]*"/g, '');
      const own = `${hidesGridlines ? ' showGridLines="0"' : ''}${isRightToLeft ? ' rightToLeft="1"' : ''}`;
      if (pane === '') return `<sheetView${own}${others}${close}>`;
      return `<sheetView${own}${others}>${pane}${close === '/' ? '</sheetView>' : ''}`;
    });
}

/** The XML of frozen rows and columns; empty if none are frozen. */
function formatPaneXml(rows: number, columns: number): string {
  if (rows === 0 && columns === 0) return '';
  const active = rows === 0 ? 'topRight' : columns === 0 ? 'bottomLeft' : 'bottomRight';
  const split = `${columns === 0 ? '' : ` xSplit="${columns}"`}${rows === 0 ? '' : ` ySplit="${rows}"`}`;
  return `<pane${split} topLeftCell="${formatColumnLetters(columns)}${rows + 1}" activePane="${active}" state="frozen"/>`;
}

function formatColumnLetters(index: number): string {
  return index < 26
    ? String.fromCharCode(65 + index)
    : formatColumnLetters(Math.floor(index / 26) - 1) + formatColumnLetters(index % 26);
}
