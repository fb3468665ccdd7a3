import type { ReactNode, Ref } from 'react';

interface ScrollRoomProps {
  readonly className?: string;
  readonly room?: Ref<HTMLDivElement>;
  readonly onScroll?: (room: HTMLDivElement) => void;
  readonly children: ReactNode;
}

/** A container that scrolls content wider than the screen, also by keyboard. */
export function ScrollRoom({ className = 'table-room', room, onScroll, children }: ScrollRoomProps) {
  return (
    <div className={className} ref={room} tabIndex={0} onScroll={({ currentTarget }) => onScroll?.(currentTarget)}>
      {children}
    </div>
  );
}
