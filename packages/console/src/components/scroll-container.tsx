import type { ReactNode, Ref } from 'react';

interface ScrollContainerProps {
  readonly className?: string;
  readonly containerRef?: Ref<HTMLDivElement>;
  readonly onScroll?: (container: HTMLDivElement) => void;
  readonly children: ReactNode;
}

/** A container that scrolls content wider than the screen, also by keyboard. */
export function ScrollContainer({ className = 'table-room', containerRef, onScroll, children }: ScrollContainerProps) {
  return (
    <div
      className={className}
      ref={containerRef}
      tabIndex={0}
      onScroll={({ currentTarget }) => onScroll?.(currentTarget)}
    >
      {children}
    </div>
  );
}
