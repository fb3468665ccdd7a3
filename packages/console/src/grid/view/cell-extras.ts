import type { Area } from '@cellwire/engine';
import { createElement } from './elements.ts';
import type { Viewport } from './viewport.ts';

/** Note and validation rule of the active cell. */
export interface CellExtrasContent {
  /** Note and hint; empty for none. */
  readonly text: string;
  /** Read by screen readers only; empty for none. */
  readonly spoken: string;
  /** Null: no button. `isOn`: for a checkbox. */
  readonly button: { readonly kind: 'list' | 'checkbox'; readonly label: string; readonly isOn: boolean } | null;
}

const NO_EXTRAS: CellExtrasContent = { text: '', spoken: '', button: null };

/** Id of the element that describes the active cell. */
export const CELL_HINT = 'cell-hint';
/** Width of the hint, its distance from the cell, and size of the button, in pixels. */
const HINT_WIDTH = 240;
const GAP = 6;
const BUTTON_SIZE = 18;

/** The note and the hint of the active cell, and the button of its list or checkbox. */
export class CellExtras {
  readonly element = createElement('cell-extras', 'presentation');
  private readonly hint = document.createElement('div');
  private readonly text = document.createElement('p');
  private readonly spoken = document.createElement('span');
  private readonly button = document.createElement('button');
  private content = NO_EXTRAS;

  constructor(onPick: () => void) {
    this.hint.id = CELL_HINT;
    this.hint.className = 'cell-hint';
    this.hint.style.width = `${HINT_WIDTH}px`;
    this.spoken.className = 'visually-hidden';
    this.hint.append(this.text, this.spoken);
    this.button.type = 'button';
    // The keyboard uses Alt+ArrowDown or the space bar.
    this.button.tabIndex = -1;
    for (const name of ['pointerdown', 'dblclick', 'contextmenu'] as const) {
      this.button.addEventListener(name, (event) => event.stopPropagation());
    }
    this.button.addEventListener('click', onPick);
    this.element.append(this.hint, this.button);
  }

  setContent(content: CellExtrasContent): void {
    this.content = content;
    this.text.textContent = content.text;
    this.spoken.textContent = content.spoken;
  }

  draw(viewport: Viewport, active: Area): void {
    const box = viewport.computeVisibleBox(active);
    const { text, button } = this.content;
    this.hint.hidden = text === '' || box === null;
    this.button.hidden = button === null || box === null;
    if (box === null) return;
    const isBeside = box.x + box.width + GAP + HINT_WIDTH <= viewport.width;
    const x = isBeside ? box.x + box.width + GAP : Math.max(0, viewport.width - HINT_WIDTH - GAP);
    const y = isBeside ? box.y : box.y + box.height + GAP;
    this.hint.style.transform = `translate(${x}px, ${y}px)`;
    if (button === null) return;
    this.button.className = `${button.kind}-button`;
    this.button.ariaLabel = button.label;
    if (button.kind === 'checkbox') {
      this.button.setAttribute('role', 'checkbox');
      this.button.ariaChecked = String(button.isOn);
    } else {
      this.button.removeAttribute('role');
      this.button.ariaChecked = null;
    }
    const left = button.kind === 'list' ? box.x + box.width - BUTTON_SIZE - 1 : box.x + (box.width - BUTTON_SIZE) / 2;
    const top = box.y + Math.max(0, (box.height - BUTTON_SIZE) / 2);
    this.button.style.transform = `translate(${left}px, ${top}px)`;
  }
}
