import type { LeftOut, LeftOutKind } from '../left-out.ts';
import type { Attributes } from '../xml.ts';

/** What elements of a worksheet beside its cells are; each counts once. */
const ELEMENTS: ReadonlyMap<string, LeftOutKind> = new Map<string, LeftOutKind>(
  Object.entries({
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
    protectedRange: 'fileProtections',
  }),
);

/** Counts what a worksheet holds that no document does. */
export class SheetLeftOut {
  private readonly leftOut: LeftOut;

  constructor(leftOut: LeftOut) {
    this.leftOut = leftOut;
  }

  /** An element outside the cells, those of extensions included. */
  element(name: string, attributes: Attributes): void {
    const kind = ELEMENTS.get(name);
    if (kind !== undefined) this.leftOut.add(kind);
    else if (name === 'x14:cfRule' && attributes['type'] !== 'dataBar') this.leftOut.add('conditionalFormats');
  }
}
