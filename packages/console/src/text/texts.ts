import type { en } from './en.ts';

/** The same table in any language: texts, and functions of numbers and names that give texts. */
export type Texts = WidenedTexts<typeof en>;

type WidenedTexts<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...args: never[]) => string
      ? T[K]
      : WidenedTexts<T[K]>;
};
