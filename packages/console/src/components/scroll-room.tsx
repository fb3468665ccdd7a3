import type { ReactNode } from 'react';

interface ScrollRoomProps {
  readonly className?: string;
  readonly children: ReactNode;
}

/** Room for what may be wider than the screen: it scrolls in itself, by the keyboard, too. */
export function ScrollRoom({ className = 'table-room', children }: ScrollRoomProps) {
  return (
    <div className={className} tabIndex={0}>
      {children}
    </div>
  );
}
