import { columnName } from '@cellwire/engine';
import { made } from './elements.ts';
import type { Viewport } from './viewport.ts';

/** The headings of columns. */
export class HeadingsNode {
  readonly element: HTMLElement;
  private readonly frozen = made('grid-frozen headings', 'presentation');
  private readonly strip = made('grid-strip', 'presentation');
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
    fillHeadings(this.frozen, { first: 0, last: frozenColumns - 1 }, viewport, isSelected);
    fillHeadings(this.strip, { first, last }, viewport, isSelected);
  }
}

function fillHeadings(
  parent: HTMLElement,
  { first, last }: { readonly first: number; readonly last: number },
  { columns }: Viewport,
  isSelected: (column: number) => boolean,
): void {
  let used = 0;
  for (let column = first; column <= last; column++) {
    if (columns.isHidden(column)) continue;
    let node = parent.children[used++] as HTMLElement | undefined;
    if (node === undefined) {
      node = made('grid-heading column', 'columnheader');
      parent.append(node);
    }
    const name = columnName(column);
    if (node.textContent !== name) {
      node.textContent = name;
      node.ariaColIndex = String(column + 2);
    }
    node.hidden = false;
    node.style.left = `${columns.offset(column)}px`;
    node.style.width = `${columns.size(column)}px`;
    node.classList.toggle('selected', isSelected(column));
  }
  for (let i = used; i < parent.children.length; i++) (parent.children[i] as HTMLElement).hidden = true;
}
