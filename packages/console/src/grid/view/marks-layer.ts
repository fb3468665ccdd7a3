import type { Area } from '@cellwire/engine';
import { createElement, ElementPool } from './elements.ts';
import type { Viewport } from './viewport.ts';

/** A rectangle drawn over the cells. */
export interface Mark {
  readonly area: Area;
  readonly kind: 'active' | 'range' | 'extra' | 'copied' | 'reference' | 'other' | 'filling' | 'spill';
  /** Colour of a reference, or of another person's selection. */
  readonly color?: string;
  readonly label?: string;
}

/** Draws marks as elements over the cells. */
export class MarksLayer {
  readonly element = createElement('grid-marks', 'presentation');

  private readonly nodes = new ElementPool(this.element, () => document.createElement('div'));

  draw(viewport: Viewport, marks: readonly Mark[]): void {
    this.nodes.beginDrawing();
    for (const mark of marks) {
      const box = viewport.computeVisibleBox(mark.area);
      if (box === null) continue;
      const node = this.nodes.takeNext();
      node.className = `grid-mark ${mark.kind}`;
      node.dataset['label'] = mark.label ?? '';
      node.style.setProperty('--mark', mark.color ?? '');
      node.style.transform = `translate(${box.x - 1}px, ${box.y - 1}px)`;
      node.style.width = `${box.width + 1}px`;
      node.style.height = `${box.height + 1}px`;
    }
    this.nodes.endDrawing();
  }
}
