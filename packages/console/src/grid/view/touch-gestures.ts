/** Duration of a long press, in milliseconds, and its maximum movement, in pixels. */
const LONG_PRESS_MS = 500;
const MAX_MOVE = 10;

export interface TouchEvents {
  readonly onTap: () => void;
  readonly onLongPress: () => void;
}

/** Follows a touch: a tap, a long press, or a scroll (no callback). */
export function followTouch(element: HTMLElement, down: PointerEvent, { onTap, onLongPress }: TouchEvents): void {
  const stop = new AbortController();
  const { signal } = stop;
  let isPressed = false;
  const timer = setTimeout(() => {
    isPressed = true;
    onLongPress();
  }, LONG_PRESS_MS);
  const onPointerMove = ({ clientX, clientY }: PointerEvent) => {
    if (Math.hypot(clientX - down.clientX, clientY - down.clientY) > MAX_MOVE) clearTimeout(timer);
  };
  // Mouse events after a long press would take the focus from the menu.
  const onTouchEnd = (event: TouchEvent) => {
    clearTimeout(timer);
    if (!isPressed) return;
    if (event.cancelable) event.preventDefault();
    stop.abort();
  };
  const onCancel = () => {
    clearTimeout(timer);
    stop.abort();
  };
  const onClick = () => {
    stop.abort();
    if (!isPressed) onTap();
  };
  element.addEventListener('pointermove', onPointerMove, { signal });
  element.addEventListener('pointercancel', onCancel, { signal });
  element.addEventListener('touchend', onTouchEnd, { signal, passive: false });
  element.addEventListener('click', onClick, { signal });
}
