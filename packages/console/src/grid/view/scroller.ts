import { createElement } from './elements.ts';

/** Browsers do not draw much higher elements, so a longer sheet scrolls proportionally. In pixels. */
const MAX_CONTENT_HEIGHT = 15_000_000;
/** Space after the last column and row, in pixels. */
const RIGHT_MARGIN = 80;
const BOTTOM_MARGIN = 60;

/** Scrolls the sheet. It caches the size and scroll position, in pixels, because reading them forces a layout. */
export class Scroller {
  readonly element = createElement('grid-scroll', 'presentation');
  private readonly content = createElement('grid-size', 'presentation');
  private readonly window: HTMLElement;
  private readonly sizes: ResizeObserver;
  /** Null if unknown since the last change. */
  private knownSize: { readonly width: number; readonly height: number } | null = null;
  private left = 0;
  private top = 0;
  private size = '';

  /** `window` stays visible while the content scrolls. `onChange` is called after a scroll or resize. */
  constructor(window: HTMLElement, onChange: () => void) {
    this.window = window;
    this.content.append(window);
    this.element.append(this.content);
    this.element.tabIndex = -1;
    this.element.addEventListener('scroll', () => this.updatePosition() && onChange(), { passive: true });
    this.sizes = new ResizeObserver(() => {
      this.knownSize = null;
      onChange();
    });
    this.sizes.observe(this.element);
  }

  close(): void {
    this.sizes.disconnect();
  }

  measureViewSize(): { readonly width: number; readonly height: number } {
    this.knownSize ??= { width: this.element.clientWidth, height: this.element.clientHeight };
    return this.knownSize;
  }

  /** Scroll offset in pixels of a sheet of this height. */
  computeScrollOffset(height: number): { readonly x: number; readonly y: number } {
    return { x: this.left, y: this.top * this.computeScale(height) };
  }

  scrollTo(x: number, y: number, height: number): void {
    const top = y / this.computeScale(height);
    if (x === this.left && top === this.top) return;
    this.element.scrollLeft = x;
    this.element.scrollTop = top;
    this.updatePosition();
  }

  /** Sets the size of the sheet; returns false if it has not changed. */
  resize(width: number, height: number): boolean {
    const room = this.measureViewSize();
    const { style } = this.content;
    this.window.style.width = `${room.width}px`;
    this.window.style.height = `${room.height}px`;
    const size = `${width} ${height}`;
    if (size === this.size) return false;
    this.size = size;
    style.width = `${width + RIGHT_MARGIN}px`;
    style.height = `${Math.min(height, MAX_CONTENT_HEIGHT) + BOTTOM_MARGIN}px`;
    // The browser scrolls back if the content became smaller.
    this.updatePosition();
    return true;
  }

  /** Returns true if the position has changed since the last read. */
  private updatePosition(): boolean {
    const { scrollLeft: left, scrollTop: top } = this.element;
    if (left === this.left && top === this.top) return false;
    this.left = left;
    this.top = top;
    return true;
  }

  /** Pixels of the sheet per pixel of the scroller. */
  private computeScale(height: number): number {
    const room = this.measureViewSize().height;
    return height <= MAX_CONTENT_HEIGHT ? 1 : (height - room) / (MAX_CONTENT_HEIGHT - room);
  }
}
