import type { Area } from '@cellwire/engine';
import { ElementPool } from './elements.ts';
import type { Viewport } from './viewport.ts';

/** Header of a filter for its buttons. */
export interface FilterHeader {
  /** Range of the whole filter. */
  readonly area: Area;
  /** True if the filter has a condition for the column. */
  readonly isOn: (column: number) => boolean;
  readonly getLabel: (column: number) => string;
}

/** Size of a button, in pixels. */
const BUTTON_SIZE = 18;

/** A button in each visible header cell. */
export class FilterButtons {
  readonly element = document.createElement('div');
  private readonly buttons = new ElementPool(this.element, () => this.createButton());
  private readonly onPick: (column: number) => void;
  private header: FilterHeader | null = null;

  constructor(onPick: (column: number) => void) {
    this.element.className = 'filter-buttons';
    this.element.setAttribute('role', 'presentation');
    this.onPick = onPick;
  }

  setHeader(header: FilterHeader | null): void {
    this.header = header;
  }

  draw(viewport: Viewport): void {
    this.buttons.beginDrawing();
    for (const [column, x, y] of this.listButtonPositions(viewport)) {
      const button = this.buttons.takeNext();
      const isOn = this.header?.isOn(column) === true;
      button.dataset['column'] = String(column);
      button.ariaLabel = this.header?.getLabel(column) ?? '';
      button.title = button.ariaLabel;
      button.className = isOn ? 'filter-button on' : 'filter-button';
      button.style.transform = `translate(${x}px, ${y}px)`;
    }
    this.buttons.endDrawing();
  }

  private *listButtonPositions(viewport: Viewport): Iterable<readonly [column: number, x: number, y: number]> {
    if (this.header === null) return;
    const { top, left, right } = this.header.area;
    const { first, last } = viewport.visibleColumns;
    const frozen = viewport.frozen.columns;
    for (let column = left; column <= Math.min(right, last); column++) {
      if (column >= frozen && column < first) continue;
      const box = viewport.computeVisibleBox({ top, left: column, bottom: top, right: column });
      if (box === null || box.width < BUTTON_SIZE || box.height < BUTTON_SIZE) continue;
      yield [column, box.x + box.width - BUTTON_SIZE - 1, box.y + Math.max(0, box.height - BUTTON_SIZE - 1)];
    }
  }

  private createButton(): HTMLButtonElement {
    const button = document.createElement('button');
    button.type = 'button';
    // The keyboard opens the dialog with Alt+ArrowDown or from the toolbar.
    button.tabIndex = -1;
    for (const name of ['pointerdown', 'dblclick', 'contextmenu'] as const) {
      button.addEventListener(name, (event) => event.stopPropagation());
    }
    button.addEventListener('click', () => this.onPick(Number(button.dataset['column'])));
    return button;
  }
}
