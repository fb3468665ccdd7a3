import type { Me } from '../data/types.ts';

/** Locale of a new document: the workspace's locale if it has one, else the locale of the browser's language. */
export function chooseNewLocale(workspace: Me['workspace']): string {
  return workspace.locale ?? (navigator.language.toLowerCase().startsWith('ru') ? 'ru-RU' : 'en-US');
}
