import { made } from './elements.ts';

/** Browsers draw nothing that is much longer, in pixels: a longer sheet is scrolled in proportion. */
const LONGEST = 15_000_000;
/** Space behind the last column and below the last row, in pixels. */
const BEHIND = 80;
const BELOW = 60;

/**
 * What scrolls the sheet. It keeps what the browser last said of its room and place, in pixels: asking again lays the
 * whole page out, which a drawing does once as it is.
 */
export class Scroller {
  readonly element = made('grid-scroll', 'presentation');
  private readonly content = made('grid-size', 'presentation');
  private readonly window: HTMLElement;
  private readonly sizes: ResizeObserver;
  /** Null: not asked since it changed. */
  private known: { readonly width: number; readonly height: number } | null = null;
  private left = 0;
  private top = 0;
  private size = '';

  /** `window`: what stays in sight. `onChange`: it was scrolled, or has another size. */
  constructor(window: HTMLElement, onChange: () => void) {
    this.window = window;
    this.content.append(window);
    this.element.append(this.content);
    this.element.tabIndex = -1;
    this.element.addEventListener('scroll', () => this.look() && onChange(), { passive: true });
    this.sizes = new ResizeObserver(() => {
      this.known = null;
      onChange();
    });
    this.sizes.observe(this.element);
  }

  end(): void {
    this.sizes.disconnect();
  }

  room(): { readonly width: number; readonly height: number } {
    this.known ??= { width: this.element.clientWidth, height: this.element.clientHeight };
    return this.known;
  }

  /** What is scrolled away of a sheet of that height, in its pixels. */
  place(height: number): { readonly x: number; readonly y: number } {
    return { x: this.left, y: this.top * this.proportion(height) };
  }

  scrollTo(x: number, y: number, height: number): void {
    const top = y / this.proportion(height);
    if (x === this.left && top === this.top) return;
    this.element.scrollLeft = x;
    this.element.scrollTop = top;
    this.look();
  }

  /** Makes room for a sheet of that size. False: there is already. */
  resize(width: number, height: number): boolean {
    const room = this.room();
    const { style } = this.content;
    this.window.style.width = `${room.width}px`;
    this.window.style.height = `${room.height}px`;
    const size = `${width} ${height}`;
    if (size === this.size) return false;
    this.size = size;
    style.width = `${width + BEHIND}px`;
    style.height = `${Math.min(height, LONGEST) + BELOW}px`;
    // Of what became shorter the browser has scrolled back.
    this.look();
    return true;
  }

  /** Whether it has scrolled since it was looked at. */
  private look(): boolean {
    const { scrollLeft: left, scrollTop: top } = this.element;
    if (left === this.left && top === this.top) return false;
    this.left = left;
    this.top = top;
    return true;
  }

  /** Pixels of the sheet for one of the scroller. */
  private proportion(height: number): number {
    const room = this.room().height;
    return height <= LONGEST ? 1 : (height - room) / (LONGEST - room);
  }
}
