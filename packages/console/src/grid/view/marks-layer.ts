import type { Area } from '@cellwire/engine';
import { made } from './elements.ts';
import type { Viewport } from './viewport.ts';

/** A rectangle drawn over the cells. */
export interface Mark {
  readonly area: Area;
  readonly kind: 'active' | 'range' | 'also' | 'copied' | 'reference' | 'other' | 'filling' | 'spill';
  /** Of a reference or of another person. */
  readonly color?: string;
  readonly label?: string;
}

/** Draws marks as elements over the cells. */
export class MarksLayer {
  readonly element = made('grid-marks', 'presentation');

  draw(viewport: Viewport, marks: readonly Mark[]): void {
    let used = 0;
    for (const mark of marks) {
      const box = viewport.box(mark.area);
      if (box === null) continue;
      let node = this.element.children[used++] as HTMLElement | undefined;
      if (node === undefined) {
        node = document.createElement('div');
        this.element.append(node);
      }
      node.className = `grid-mark ${mark.kind}`;
      node.hidden = false;
      node.dataset['label'] = mark.label ?? '';
      node.style.setProperty('--mark', mark.color ?? '');
      node.style.transform = `translate(${box.x - 1}px, ${box.y - 1}px)`;
      node.style.width = `${box.width + 1}px`;
      node.style.height = `${box.height + 1}px`;
    }
    for (let i = used; i < this.element.children.length; i++) (this.element.children[i] as HTMLElement).hidden = true;
  }
}
