/** Excel's default column width, in characters. */
const WIDTH = 9.140625;

/** Width of columns without their own width, in characters. `carried`: `Layout.carried` of the sheet. */
export function readStandardWidth(carried: Readonly<Record<string, string>>): number {
  const specifiedWidth = / defaultColWidth="([\d.]+)"/.exec(carried['sheetFormatPr'] ?? '')?.[1];
  return specifiedWidth === undefined ? WIDTH : Number(specifiedWidth);
}
