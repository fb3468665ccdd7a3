/** Paths in a 16 × 16 box, drawn in the text colour. */
const PATHS = {
  add: 'M8 3v10M3 8h10',
  alert: 'M8 2.5 14.5 13.5h-13zM8 6.5v3.2M8 11.6v.1',
  back: 'M10 3 5 8l5 5',
  bell: 'M4 11.5V7a4 4 0 0 1 8 0v4.5l1 1H3zM7 14h2',
  bold: 'M5 3h4a2.5 2.5 0 0 1 0 5H5zM5 8h4.6a2.5 2.5 0 0 1 0 5H5z',
  check: 'm3 8.5 3.5 3.5L13 4.5',
  chevron: 'm4 6 4 4 4-4',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.6',
  close: 'm4 4 8 8M12 4l-8 8',
  code: 'm5.5 4.5-3.5 3.5 3.5 3.5M10.5 4.5 14 8l-3.5 3.5',
  copy: 'M5.5 5.5h7v8h-7zM3.5 10.5v-8h7',
  download: 'M8 2.5v8M4.8 7.5 8 10.7l3.2-3.2M3 13.5h10',
  eyeOff: 'M2.5 2.5l11 11M6.3 4.2A6.6 6.6 0 0 1 14 8a8 8 0 0 1-1.7 2.3M9.6 11.6A6.3 6.3 0 0 1 2 8a8 8 0 0 1 2.2-2.7',
  filter: 'M2.5 3.5h11L9.5 8.2v4l-3 1.3V8.2z',
  find: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3 13.5 13.5',
  format: 'M3 13 8 3l5 10M4.8 9.5h6.4',
  grid: 'M2.5 3h11v10h-11zM2.5 6.5h11M6.3 3v10',
  help: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM6.3 6.3a1.8 1.8 0 1 1 2.4 1.7c-.5.2-.7.5-.7 1M8 11.2v.1',
  history: 'M2.5 8A5.5 5.5 0 1 0 4.3 4L2.5 5.5M2.5 2.5v3h3M8 5v3.2l2 1.3',
  key: 'M6 10a3.2 3.2 0 1 1 2.6-1.3L13.5 13.5M11.3 11.3l1.4-1.4M9.8 9.8l1.1-1.1',
  link: 'M6.5 9.5 9.5 6.5M7 4.5l1.5-1.5a3 3 0 0 1 4.3 4.3L11.3 8.8M9 11.5 7.5 13a3 3 0 0 1-4.3-4.3L4.7 7.2',
  lock: 'M4 7.5h8v6H4zM5.5 7.5V5.3a2.5 2.5 0 0 1 5 0v2.2',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  more: 'M3.5 8h.1M8 8h.1M12.5 8h.1',
  number: 'M2.5 5.5 4.5 4v8M7 5.5A1.8 1.8 0 1 1 9.7 7L7 12h3.2M12 5a1.7 1.7 0 1 1 .6 3.2A1.9 1.9 0 1 1 11.8 11',
  people:
    'M6 7.5A2.3 2.3 0 1 0 6 3a2.3 2.3 0 0 0 0 4.5zM2 13c0-2.2 1.7-3.6 4-3.6s4 1.4 4 3.6M10.5 3.3a2.2 2.2 0 0 1 0 4.1M12 9.7c1.3.5 2 1.7 2 3.3',
  redo: 'M10.5 3 13.5 6l-3 3M13.3 6H6.5a3.7 3.7 0 0 0 0 7.4H9',
  refresh: 'M13.3 8a5.3 5.3 0 1 1-1.6-3.8L13.3 6M13.3 2.7V6H10',
  send: 'M14 2 7.2 8.8M14 2 9.7 14 7.2 8.8 2 6.3z',
  sort: 'M4.5 3v10M2.5 11l2 2 2-2M9 4h5M9 8h3.7M9 12h2.4',
  trash: 'M3 4.5h10M6.3 4.5V3h3.4v1.5M4.3 4.5l.7 9h6l.7-9M6.8 7v4M9.2 7v4',
  undo: 'M5.5 3 2.5 6l3 3M2.7 6h6.8a3.7 3.7 0 0 1 0 7.4H7',
  upload: 'M8 10.7v-8M4.8 5.7 8 2.5l3.2 3.2M3 13.5h10',
} as const;

export type IconName = keyof typeof PATHS;

/** A decorative icon. The text beside it, or the button's label, has the same meaning. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Logo() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" fill="#0f766e" />
      <path d="M8 8h7v7H8zM17 8h7v7h-7zM8 17h7v7H8z" fill="#fff" fillOpacity=".55" />
      <path d="M17 17h7v7h-7z" fill="#fff" />
    </svg>
  );
}
