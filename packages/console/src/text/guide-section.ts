/** A part of the guide: paragraphs, code, and rows of a table. */
export type Block =
  | { readonly text: string }
  | { readonly code: string }
  | { readonly rows: readonly (readonly string[])[] };

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly blocks: readonly Block[];
}
