/** A part of the guide: paragraph, code, or table rows. */
export type GuideBlock =
  | { readonly text: string }
  | { readonly code: string /** Absent: none is shown. */; readonly label?: string }
  | { readonly rows: readonly (readonly string[])[] };

export interface GuideSection {
  readonly id: string;
  readonly title: string;
  readonly blocks: readonly GuideBlock[];
}
