export const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const STORAGE_KEY = 'cellwire.theme';
const DARK = matchMedia('(prefers-color-scheme: dark)');

export function readTheme(): Theme {
  const storedTheme = localStorage.getItem(STORAGE_KEY);
  return storedTheme === 'light' || storedTheme === 'dark' ? storedTheme : 'system';
}

/** Stores the person's choice and applies it. */
export function chooseTheme(next: Theme): void {
  localStorage.setItem(STORAGE_KEY, next);
  applyTheme();
}

/** Applies the chosen theme, and follows later changes of the system's theme. */
export function keepThemeApplied(): void {
  DARK.addEventListener('change', applyTheme);
  applyTheme();
}

function applyTheme(): void {
  const chosen = readTheme();
  const isDark = chosen === 'system' ? DARK.matches : chosen === 'dark';
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
}
