import type { ReactNode } from 'react';

/** Room for what may be wider than the screen: it scrolls in itself, by the keyboard, too. */
export function ScrollRoom({ isCard = false, children }: { readonly isCard?: boolean; readonly children: ReactNode }) {
  return (
    <div className={isCard ? 'card table-room' : 'table-room'} tabIndex={0}>
      {children}
    </div>
  );
}
