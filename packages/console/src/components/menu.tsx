import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Icon, type IconName } from './icon.tsx';

export type MenuItem =
  | {
      readonly text: string;
      /** Identifies the item while its text changes in an open menu; the text by default. */
      readonly key?: string;
      readonly icon?: IconName;
      /** A colour swatch shown instead of an icon. */
      readonly color?: string;
      readonly shortcut?: string;
      readonly isDanger?: boolean;
      readonly isOff?: boolean;
      readonly onPick: () => void;
    }
  /** Caption above a group of items, after a divider. */
  | { readonly caption: string };

/** Distance between a menu and the window's edges, in pixels. */
const MARGIN = 8;
/** Height of the page header, in pixels. */
const PAGE_HEADER_HEIGHT = 56;

/** A point of the window, in pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

interface MenuListProps {
  readonly items: readonly MenuItem[];
  readonly label: string;
  /** Upper left corner of the menu, in pixels of the window. The menu moves if it would not fit. */
  readonly position: Point;
  /** The object that the items act on. The menu closes if another object takes its place. */
  readonly target?: object;
  readonly onClose: () => void;
}

/** Items that can be chosen. */
const ENABLED = 'button:not(:disabled)';

/** An open menu. Arrow keys move through it; Escape or a click outside closes it. */
export function MenuList({ items, label, position, target, onClose }: MenuListProps) {
  const place = useRef<HTMLDivElement>(null);
  const openedFor = useRef(target);
  useEffect(() => {
    if (target !== openedFor.current) onClose();
  }, [target, onClose]);
  useEffect(() => {
    const menu = place.current;
    if (menu === null) return;
    const { width, height } = menu.getBoundingClientRect();
    menu.style.left = `${Math.max(MARGIN, Math.min(position.x, innerWidth - width - MARGIN))}px`;
    const highest = innerHeight - height - MARGIN;
    const top = Math.max(MARGIN, Math.min(position.y, highest < PAGE_HEADER_HEIGHT ? innerHeight / 3 : highest));
    menu.style.top = `${top}px`;
    // A menu that is higher than its space scrolls. If it moved up instead, it would cover its button.
    menu.style.maxHeight = `${innerHeight - top - MARGIN}px`;
    (menu.querySelector<HTMLElement>(ENABLED) ?? menu).focus();
    const closeIfOutside = (event: Event) => {
      if (event.target instanceof Node && !menu.contains(event.target)) onClose();
    };
    addEventListener('pointerdown', closeIfOutside, true);
    return () => removeEventListener('pointerdown', closeIfOutside, true);
  }, [position.x, position.y, onClose]);
  // An item that is disabled while it has the focus gets no keys any more.
  useEffect(() => {
    const focused = document.activeElement;
    const hasKeys = focused === place.current || (focused?.matches(ENABLED) && place.current?.contains(focused));
    if (items.length > 0 && !hasKeys) place.current?.focus();
  }, [items]);
  const hasIcons = items.some((item) => 'text' in item && (item.icon ?? item.color) !== undefined);
  return (
    <div
      ref={place}
      className="menu"
      role="menu"
      tabIndex={-1}
      aria-label={label}
      onKeyDown={(event) => handleMenuKey(event, onClose)}
    >
      {items.map((item) =>
        'caption' in item ? (
          <div key={item.caption} className="caption">
            {item.caption}
          </div>
        ) : (
          <button
            key={item.key ?? item.text}
            type="button"
            role="menuitem"
            className={item.isDanger === true ? 'danger' : ''}
            disabled={item.isOff === true}
            onClick={() => {
              onClose();
              item.onPick();
            }}
          >
            <ItemMark icon={item.icon} color={item.color} isIndented={hasIcons} />
            {item.text}
            {item.shortcut === undefined ? null : <span className="shortcut">{item.shortcut}</span>}
          </button>
        ),
      )}
    </div>
  );
}

interface ItemMarkProps {
  readonly icon: IconName | undefined;
  readonly color: string | undefined;
  /** True if items without a mark are indented like items with a mark. */
  readonly isIndented: boolean;
}

function ItemMark({ icon, color, isIndented }: ItemMarkProps) {
  if (icon !== undefined) return <Icon name={icon} />;
  if (color !== undefined) return <span className="swatch" style={{ background: color }} />;
  return isIndented ? <span className="icon" /> : null;
}

/** Moves the focus with the arrow keys, and closes the menu with Escape or Tab. */
function handleMenuKey(event: KeyboardEvent<HTMLDivElement>, onClose: () => void): void {
  event.stopPropagation();
  if (event.key === 'Escape' || event.key === 'Tab') {
    event.preventDefault();
    return onClose();
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const buttons: (HTMLElement | null)[] = [...event.currentTarget.querySelectorAll<HTMLButtonElement>(ENABLED)];
  const now = buttons.indexOf(document.activeElement as HTMLElement | null);
  buttons.at(now < 0 && step < 0 ? -1 : (now + step) % buttons.length)?.focus();
}

interface MenuProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** Content of the button; three dots by default. */
  readonly children?: ReactNode;
  readonly className?: string;
  readonly target?: object;
}

/** A button that opens a menu below itself. */
export function Menu({
  label,
  items,
  children = <Icon name="more" />,
  className = 'button quiet icon-only',
  target,
}: MenuProps) {
  const [at, setAt] = useState<Point | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = useRef(() => {
    setAt(null);
    button.current?.focus();
  });
  return (
    <span className="menu-place">
      <button
        ref={button}
        type="button"
        className={className}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={at !== null}
        onClick={(event) => {
          const { left, bottom } = event.currentTarget.getBoundingClientRect();
          setAt(at === null ? { x: left, y: bottom + 4 } : null);
        }}
      >
        {children}
      </button>
      {at === null ? null : (
        <MenuList items={items} label={label} position={at} {...(target && { target })} onClose={close.current} />
      )}
    </span>
  );
}
