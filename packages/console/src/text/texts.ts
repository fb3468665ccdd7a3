import type { en } from './en.ts';

/** Texts of a language: strings, and functions that return strings. */
export type ConsoleTexts = WidenedTexts<typeof en>;

type WidenedTexts<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...args: never[]) => string
      ? T[K]
      : WidenedTexts<T[K]>;
};
