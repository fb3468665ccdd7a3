/** Excel's own width of a column, in characters. */
const WIDTH = 9.140625;

/** The width of columns that have none of their own, in characters. `carried`: `Layout.carried` of their sheet. */
export function standardWidth(carried: Readonly<Record<string, string>>): number {
  const own = / defaultColWidth="([\d.]+)"/.exec(carried['sheetFormatPr'] ?? '')?.[1];
  return own === undefined ? WIDTH : Number(own);
}
