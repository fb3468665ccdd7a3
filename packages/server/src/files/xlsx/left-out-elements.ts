import type { LeftOut, LeftOutKind } from '../left-out.ts';

/** What elements of a worksheet beside its cells are; each counts once. */
const ELEMENTS: ReadonlyMap<string, LeftOutKind> = new Map<string, LeftOutKind>(
  Object.entries({
    control: 'formControls',
    oleObject: 'embeddedObjects',
    picture: 'pictures',
  }),
);

/** Counts what a worksheet holds that no document does. */
export class SheetLeftOut {
  private readonly leftOut: LeftOut;

  constructor(leftOut: LeftOut) {
    this.leftOut = leftOut;
  }

  /** An element outside the cells, those of extensions included. */
  element(name: string): void {
    const kind = ELEMENTS.get(name);
    if (kind !== undefined) this.leftOut.add(kind);
  }
}
