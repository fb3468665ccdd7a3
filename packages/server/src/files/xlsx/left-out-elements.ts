import type { LeftOut, LeftOutKind } from '../left-out.ts';
import { type Attributes, isTrue } from '../xml.ts';

/** What elements of a worksheet beside its cells are; each counts once. */
const ELEMENTS: ReadonlyMap<string, LeftOutKind> = new Map<string, LeftOutKind>(
  Object.entries({
    mergeCell: 'mergedRanges',
    hyperlink: 'hyperlinks',
    dataValidation: 'validations',
    'x14:dataValidation': 'validations',
    cfRule: 'conditionalFormats',
    'x14:sparkline': 'sparklines',
    autoFilter: 'filters',
    control: 'formControls',
    oleObject: 'embeddedObjects',
    picture: 'pictures',
    scenario: 'scenarios',
    sheetProtection: 'fileProtections',
    protectedRange: 'fileProtections',
  }),
);

/** What elements of a page set-up are called; a sheet has one set-up of them all. */
const PAGE = new Set(['pageSetup', 'headerFooter', 'printOptions', 'rowBreaks', 'colBreaks']);

/** Counts what a worksheet holds that no document does. */
export class SheetLeftOut {
  private readonly leftOut: LeftOut;
  private hasPage = false;
  private hasView = false;
  private rowLevel = 0;
  private columnLevel = 0;

  constructor(leftOut: LeftOut) {
    this.leftOut = leftOut;
  }

  /** An element outside the cells, those of extensions included. */
  element(name: string, attributes: Attributes): void {
    const kind = ELEMENTS.get(name);
    if (kind !== undefined) this.leftOut.add(kind);
    else if (name === 'col') this.column(attributes);
    else if (PAGE.has(name)) this.page();
    else if (name === 'pane' || (name === 'sheetView' && isOfItsOwn(attributes))) this.view();
    else if (name === 'x14:cfRule' && attributes['type'] !== 'dataBar') this.leftOut.add('conditionalFormats');
  }

  row(attributes: Attributes): void {
    if (attributes['ht'] !== undefined) this.leftOut.add('rowHeights');
    if (attributes['outlineLevel'] === undefined && this.rowLevel === 0) return;
    this.rowLevel = this.outline(this.rowLevel, attributes);
  }

  private column(attributes: Attributes): void {
    if (isTrue(attributes['customWidth'])) this.leftOut.add('columnWidths');
    if (isTrue(attributes['hidden'])) this.leftOut.add('hiddenColumns');
    this.columnLevel = this.outline(this.columnLevel, attributes);
  }

  /** A group begins wherever the level rises. */
  private outline(before: number, attributes: Attributes): number {
    const level = Math.min(Math.max(Number(attributes['outlineLevel'] ?? 0) || 0, 0), 7);
    this.leftOut.add('outlines', level - before);
    return level;
  }

  private page(): void {
    if (!this.hasPage) this.leftOut.add('pageSetups');
    this.hasPage = true;
  }

  private view(): void {
    if (!this.hasView) this.leftOut.add('views');
    this.hasView = true;
  }
}

/** Whether a view differs from what a program shows unasked. */
function isOfItsOwn({ showGridLines = '1', zoomScale = '100', rightToLeft, showFormulas, view }: Attributes): boolean {
  const isPlain = isTrue(showGridLines) && zoomScale === '100' && !isTrue(rightToLeft) && !isTrue(showFormulas);
  return !isPlain || (view !== undefined && view !== 'normal');
}
