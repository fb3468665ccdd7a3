import type { ReactNode, Ref } from 'react';

interface ScrollRoomProps {
  readonly className?: string;
  readonly room?: Ref<HTMLDivElement>;
  readonly onScroll?: (room: HTMLDivElement) => void;
  readonly children: ReactNode;
}

/** Room for what may be wider than the screen: it scrolls in itself, by the keyboard, too. */
export function ScrollRoom({ className = 'table-room', room, onScroll, children }: ScrollRoomProps) {
  return (
    <div className={className} ref={room} tabIndex={0} onScroll={({ currentTarget }) => onScroll?.(currentTarget)}>
      {children}
    </div>
  );
}
