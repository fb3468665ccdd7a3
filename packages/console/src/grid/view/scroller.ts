import { createElement } from './elements.ts';

/** Browsers draw nothing that is much longer, in pixels: a longer sheet is scrolled in proportion. */
const MAX_CONTENT_HEIGHT = 15_000_000;
/** Space behind the last column and below the last row, in pixels. */
const RIGHT_MARGIN = 80;
const BOTTOM_MARGIN = 60;

/**
 * What scrolls the sheet. It keeps what the browser last said of its room and place, in pixels: asking again lays the
 * whole page out, which a drawing does once as it is.
 */
export class Scroller {
  readonly element = createElement('grid-scroll', 'presentation');
  private readonly content = createElement('grid-size', 'presentation');
  private readonly window: HTMLElement;
  private readonly sizes: ResizeObserver;
  /** Null: not asked since it changed. */
  private knownSize: { readonly width: number; readonly height: number } | null = null;
  private left = 0;
  private top = 0;
  private size = '';

  /** `window`: what stays in sight. `onChange`: it was scrolled, or has another size. */
  constructor(window: HTMLElement, onChange: () => void) {
    this.window = window;
    this.content.append(window);
    this.element.append(this.content);
    this.element.tabIndex = -1;
    this.element.addEventListener('scroll', () => this.readPosition() && onChange(), { passive: true });
    this.sizes = new ResizeObserver(() => {
      this.knownSize = null;
      onChange();
    });
    this.sizes.observe(this.element);
  }

  close(): void {
    this.sizes.disconnect();
  }

  viewSize(): { readonly width: number; readonly height: number } {
    this.knownSize ??= { width: this.element.clientWidth, height: this.element.clientHeight };
    return this.knownSize;
  }

  /** What is scrolled away of a sheet of that height, in its pixels. */
  scrollOffset(height: number): { readonly x: number; readonly y: number } {
    return { x: this.left, y: this.top * this.scale(height) };
  }

  scrollTo(x: number, y: number, height: number): void {
    const top = y / this.scale(height);
    if (x === this.left && top === this.top) return;
    this.element.scrollLeft = x;
    this.element.scrollTop = top;
    this.readPosition();
  }

  /** Makes room for a sheet of that size. False: there is already. */
  resize(width: number, height: number): boolean {
    const room = this.viewSize();
    const { style } = this.content;
    this.window.style.width = `${room.width}px`;
    this.window.style.height = `${room.height}px`;
    const size = `${width} ${height}`;
    if (size === this.size) return false;
    this.size = size;
    style.width = `${width + RIGHT_MARGIN}px`;
    style.height = `${Math.min(height, MAX_CONTENT_HEIGHT) + BOTTOM_MARGIN}px`;
    // Of what became shorter the browser has scrolled back.
    this.readPosition();
    return true;
  }

  /** Whether it has scrolled since it was looked at. */
  private readPosition(): boolean {
    const { scrollLeft: left, scrollTop: top } = this.element;
    if (left === this.left && top === this.top) return false;
    this.left = left;
    this.top = top;
    return true;
  }

  /** Pixels of the sheet for one of the scroller. */
  private scale(height: number): number {
    const room = this.viewSize().height;
    return height <= MAX_CONTENT_HEIGHT ? 1 : (height - room) / (MAX_CONTENT_HEIGHT - room);
  }
}
