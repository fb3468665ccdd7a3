import { columnName } from '@cellwire/engine';
import { ElementPool, made } from './elements.ts';
import type { Viewport } from './viewport.ts';

/** The headings of columns. */
export class HeadingsNode {
  readonly element: HTMLElement;
  private readonly frozen = made('grid-frozen headings', 'presentation');
  private readonly strip = made('grid-strip', 'presentation');
  private readonly frozenHeadings = new ElementPool(this.frozen, newHeading);
  private readonly headings = new ElementPool(this.strip, newHeading);
  private readonly corner = made('grid-heading corner', 'columnheader');

  constructor(cornerLabel: string) {
    this.element = made('grid-headings', 'row');
    this.element.ariaRowIndex = '1';
    const label = document.createElement('span');
    label.className = 'visually-hidden';
    label.textContent = cornerLabel;
    this.corner.append(label);
    this.element.append(this.strip, this.frozen, this.corner);
  }

  fill(viewport: Viewport, isSelected: (column: number) => boolean): void {
    const { first, last } = viewport.seenColumns;
    const frozenColumns = viewport.frozen.columns;
    this.frozen.hidden = frozenColumns === 0;
    this.frozen.style.width = `${viewport.columns.offset(frozenColumns)}px`;
    fillHeadings(this.frozenHeadings, { first: 0, last: frozenColumns - 1 }, viewport, isSelected);
    fillHeadings(this.headings, { first, last }, viewport, isSelected);
  }
}

function newHeading(): HTMLElement {
  return made('grid-heading column', 'columnheader');
}

function fillHeadings(
  headings: ElementPool<HTMLElement>,
  { first, last }: { readonly first: number; readonly last: number },
  { columns }: Viewport,
  isSelected: (column: number) => boolean,
): void {
  headings.begin();
  for (let column = first; column <= last; column++) {
    if (columns.isHidden(column)) continue;
    const node = headings.next();
    const name = columnName(column);
    if (node.textContent !== name) {
      node.textContent = name;
      node.ariaColIndex = String(column + 2);
    }
    node.style.left = `${columns.offset(column)}px`;
    node.style.width = `${columns.size(column)}px`;
    node.classList.toggle('selected', isSelected(column));
  }
  headings.end();
}
