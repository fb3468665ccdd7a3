import type { ReactNode } from 'react';

/** Room for what may be wider than the screen: it scrolls in itself, by the keyboard, too. */
export function ScrollRoom({ isCard = false, children }: { readonly isCard?: boolean; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <div className={isCard ? 'card table-room' : 'table-room'} tabIndex={0}>
      {children}
    </div>
  );
}
