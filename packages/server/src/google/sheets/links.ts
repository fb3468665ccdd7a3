import { type Area, contains, intersection, type Sheet } from '@cellwire/engine';
import { HYPERLINK } from '@cellwire/files';
import { listAttachments } from './state.ts';

export interface AreaLink {
  readonly area: Area;
  readonly address: string;
}

/** Rows of an area whose link is found by its rows. Taller areas are few and are searched one by one. */
const MAX_INDEXED_ROWS = 100;

/** Links of cells, which are stored in the form of files. Links to places of the document have no address. */
export class CellLinks {
  private readonly links: readonly AreaLink[];
  private readonly tall: readonly AreaLink[];
  private readonly byRow = new Map<number, AreaLink[]>();

  /** `sheet`: null for no links. */
  constructor(sheet: Sheet | null) {
    this.links = (sheet === null ? [] : listAttachments(sheet, HYPERLINK)).flatMap(({ areas, texts }): AreaLink[] => {
      const address = texts.at(-1) ?? '';
      return address === '' ? [] : areas.map((area) => ({ area, address }));
    });
    const isTall = ({ area }: AreaLink) => area.bottom - area.top >= MAX_INDEXED_ROWS;
    this.tall = this.links.filter(isTall);
    for (const link of this.links) if (!isTall(link)) this.addToRows(link);
  }

  get areas(): readonly Area[] {
    return this.links.map(({ area }) => area);
  }

  /** The links in an area, each with the part of its area inside. */
  listWithin(area: Area): readonly AreaLink[] {
    return this.links.flatMap((link) => {
      const shared = intersection(link.area, area);
      return shared === null ? [] : [{ ...link, area: shared }];
    });
  }

  /** The address that the cell links to; undefined if there is none. */
  findAddress(row: number, column: number): string | undefined {
    const isHere = ({ area }: AreaLink) => contains(area, row, column);
    return (this.byRow.get(row)?.find(isHere) ?? this.tall.find(isHere))?.address;
  }

  /** Indexes the link by each row of its area. */
  private addToRows(link: AreaLink): void {
    for (let row = link.area.top; row <= link.area.bottom; row++) {
      const links = this.byRow.get(row);
      if (links === undefined) this.byRow.set(row, [link]);
      else links.push(link);
    }
  }
}

export function hasLinks(sheet: Sheet): boolean {
  return listAttachments(sheet, HYPERLINK).length > 0;
}

/** The texts of the attachment that stores a link. */
export function toLinkTexts(address: string): readonly string[] {
  return ['<hyperlink/>', address];
}
