import { columnName } from '@cellwire/engine';
import { createElement, ElementPool } from './elements.ts';
import type { Viewport } from './viewport.ts';

/** Headings of columns. */
export class HeadingsNode {
  readonly element: HTMLElement;
  private readonly frozen = createElement('grid-frozen headings', 'presentation');
  private readonly strip = createElement('grid-strip', 'presentation');
  private readonly frozenHeadings = new ElementPool(this.frozen, createHeading);
  private readonly headings = new ElementPool(this.strip, createHeading);
  private readonly corner = createElement('grid-heading corner', 'columnheader');

  constructor(cornerLabel: string) {
    this.element = createElement('grid-headings', 'row');
    this.element.ariaRowIndex = '1';
    const label = document.createElement('span');
    label.className = 'visually-hidden';
    label.textContent = cornerLabel;
    this.corner.append(label);
    this.element.append(this.strip, this.frozen, this.corner);
  }

  fillHeadings(viewport: Viewport, isSelected: (column: number) => boolean): void {
    const { first, last } = viewport.visibleColumns;
    const frozenColumns = viewport.frozen.columns;
    this.frozen.hidden = frozenColumns === 0;
    this.frozen.style.width = `${viewport.columns.computeOffset(frozenColumns)}px`;
    fillHeadings(this.frozenHeadings, { first: 0, last: frozenColumns - 1 }, viewport, isSelected);
    fillHeadings(this.headings, { first, last }, viewport, isSelected);
  }
}

function createHeading(): HTMLElement {
  return createElement('grid-heading column', 'columnheader');
}

function fillHeadings(
  headings: ElementPool<HTMLElement>,
  { first, last }: { readonly first: number; readonly last: number },
  { columns }: Viewport,
  isSelected: (column: number) => boolean,
): void {
  headings.beginDrawing();
  for (let column = first; column <= last; column++) {
    if (columns.isHidden(column)) continue;
    const node = headings.takeNext();
    const name = columnName(column);
    if (node.textContent !== name) {
      node.textContent = name;
      node.ariaColIndex = String(column + 2);
    }
    node.style.left = `${columns.computeOffset(column)}px`;
    node.style.width = `${columns.getSize(column)}px`;
    node.classList.toggle('selected', isSelected(column));
  }
  headings.endDrawing();
}
