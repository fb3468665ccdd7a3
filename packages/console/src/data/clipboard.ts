/**
 * Copies a text to the clipboard; false if the browser refused. Pages without HTTPS have no `navigator.clipboard`; they
 * can copy only during a user gesture.
 */
export async function copyText(text: string): Promise<boolean> {
  const clipboard = getSystemClipboard();
  if (clipboard !== null) return resolveIsFulfilled(clipboard.writeText(text));
  const take = (copyEvent: ClipboardEvent) => {
    copyEvent.preventDefault();
    copyEvent.stopImmediatePropagation();
    copyEvent.clipboardData?.setData('text/plain', text);
  };
  addEventListener('copy', take, true);
  const isDone = document.execCommand('copy');
  removeEventListener('copy', take, true);
  return isDone;
}

/** Clipboard content in the types that a page may write at any time. */
interface ClipboardContent {
  readonly text: string;
  readonly html: string;
}

/** Copies content that is still loading. False if there is none (null) or the browser refused. */
export async function copyContentWhenReady(content: Promise<ClipboardContent | null>): Promise<boolean> {
  const clipboard = getSystemClipboard();
  if (clipboard === null) {
    const all = await content;
    return all !== null && copyText(all.text);
  }
  // The browser gets the promises immediately: some browsers refuse a write that comes after the key event.
  const createBlob = (type: string, pick: (all: ClipboardContent) => string) =>
    content.then((all) => (all === null ? Promise.reject() : new Blob([pick(all)], { type })));
  const item = new ClipboardItem({
    'text/plain': createBlob('text/plain', ({ text }) => text),
    'text/html': createBlob('text/html', ({ html }) => html),
  });
  return resolveIsFulfilled(clipboard.write([item]));
}

/** Reads the clipboard, for which the browser may ask for permission; null if the page may not read it. */
export async function readClipboard(): Promise<ClipboardContent | null> {
  const clipboard = getSystemClipboard();
  if (clipboard?.read === undefined) return null;
  try {
    const items = await clipboard.read();
    const readType = async (type: string) => {
      const item = items.find(({ types }) => types.includes(type));
      return item === undefined ? '' : (await item.getType(type)).text();
    };
    return { text: await readType('text/plain'), html: await readType('text/html') };
  } catch {
    return null;
  }
}

/** Returns null in pages without HTTPS, although the DOM types declare that the clipboard always exists. */
function getSystemClipboard(): Clipboard | null {
  return (navigator.clipboard as Clipboard | undefined) ?? null;
}

/** Resolves to true if the promise is fulfilled, and to false if it is rejected. */
function resolveIsFulfilled(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => true,
    () => false,
  );
}
