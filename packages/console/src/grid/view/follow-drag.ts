/** Interval of scrolling while the pointer is past an edge, in milliseconds. */
const AUTOSCROLL_MS = 40;

interface DragEvents {
  readonly onMove: (event: PointerEvent) => void;
  /** The pointer, last moved by `event`, is past the element's edges by this distance, in pixels. */
  readonly onPastEdge: (x: number, y: number, event: PointerEvent) => void;
  /** Called when the pointer was released. */
  readonly onEnd: () => void;
  /** Called when the drag ended without effect. */
  readonly onCancel: () => void;
}

/** Follows a pressed pointer until it is released. Returns a function that cancels the drag. */
export function followDrag(
  element: HTMLElement,
  down: PointerEvent,
  { onMove, onPastEdge, onEnd, onCancel }: DragEvents,
): () => void {
  element.setPointerCapture(down.pointerId);
  const stop = new AbortController();
  const { signal } = stop;
  let latest = down;
  const scrolling = setInterval(() => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const computeDistanceOutside = (position: number, from: number, to: number) =>
      Math.min(0, position - from) + Math.max(0, position - to);
    const x = computeDistanceOutside(latest.clientX, left + 1, right - 1);
    const y = computeDistanceOutside(latest.clientY, top + 1, bottom - 1);
    if (x !== 0 || y !== 0) onPastEdge(x, y, latest);
  }, AUTOSCROLL_MS);
  const finish = (report: () => void) => {
    if (signal.aborted) return;
    stop.abort();
    clearInterval(scrolling);
    if (element.hasPointerCapture(down.pointerId)) element.releasePointerCapture(down.pointerId);
    report();
  };
  const cancel = () => finish(onCancel);
  element.addEventListener(
    'pointermove',
    (event) => {
      latest = event;
      onMove(event);
    },
    { signal },
  );
  element.addEventListener('pointerup', () => finish(onEnd), { signal });
  element.addEventListener('pointercancel', cancel, { signal });
  return cancel;
}
