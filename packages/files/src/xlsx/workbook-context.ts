import type { DateSystem, PackedLooks } from '@cellwire/engine';
import type { BlockCount } from '../cells/block-count.ts';
import type { ChunkSink } from '../cells/chunk-sink.ts';
import type { TextList } from '../cells/text-list.ts';
import type { FileLimits } from '../limits/limits.ts';
import type { LeftOut } from '../outcome/left-out.ts';
import type { ThemeHandler } from './color.ts';
import type { MetadataHandler } from './small-parts.ts';

/** What the sheets of a workbook have in common. */
export interface WorkbookContext {
  readonly limits: FileLimits;
  readonly dateSystem: DateSystem;
  readonly texts: TextList;
  /** Runs of formatting of those of them that have such, as elements, by their place. */
  readonly richTexts: ReadonlyMap<number, string>;
  /** Number format codes by cell style. */
  readonly formats: readonly (string | undefined)[];
  readonly metadata: MetadataHandler;
  readonly theme: ThemeHandler;
  /** Styles by cell style, as the engine carries them. */
  readonly styles: readonly (string | undefined)[];
  /** That of cells without one. */
  readonly baseStyle: string;
  /** Looks of packed cells, and their ids by cell style. */
  readonly looks: PackedLooks;
  readonly lookIds: (number | undefined)[];
  /** Takes cells as they are read; absent: they are all in the data. */
  readonly chunks: ChunkSink | undefined;
  /** Whether any sheet has formulas, or cells out of order, so that all cells are needed in one place. */
  readonly spread: { hasOthers: boolean };
  readonly leftOut: LeftOut;
  /** See `WorkbookData.carried`. */
  readonly carried: Readonly<Record<string, string>>;
  /** Used up by the sheets as they are read. */
  readonly spent: { cells: number; readonly blocks: BlockCount; characters: number; attachmentCharacters: number };
}
