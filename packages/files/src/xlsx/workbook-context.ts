import type { DateSystem, PackedFormats } from '@cellwire/engine';
import type { BlockCount } from '../cells/block-count.ts';
import type { ChunkSink } from '../cells/chunk-sink.ts';
import type { TextList } from '../cells/text-list.ts';
import type { FileLimits } from '../limits/limits.ts';
import type { LeftOut } from '../outcome/left-out.ts';
import type { ThemeHandler } from './styles/color.ts';
import type { MetadataHandler } from './workbook-parts.ts';

/** Data that all sheets of a workbook share. */
export interface WorkbookContext {
  readonly limits: FileLimits;
  readonly dateSystem: DateSystem;
  readonly texts: TextList;
  /** Formatted runs as elements, by the index of their text. */
  readonly richTexts: ReadonlyMap<number, string>;
  /** Number format codes by cell style. */
  readonly formats: readonly (string | undefined)[];
  readonly metadata: MetadataHandler;
  readonly theme: ThemeHandler;
  /** Styles of the engine by cell style. */
  readonly styles: readonly (string | undefined)[];
  /** Style of cells without a style. */
  readonly baseStyle: string;
  /** Styles of packed cells, and their ids by cell style. */
  readonly packedFormats: PackedFormats;
  readonly packedFormatIds: (number | undefined)[];
  /** Receives cells while they are read; absent if all cells are in the result. */
  readonly chunks: ChunkSink | undefined;
  /** `hasOthers`: true if any sheet has formulas or cells out of order, so that all cells are needed in memory. */
  readonly cellNeeds: { hasOthers: boolean };
  readonly leftOut: LeftOut;
  /** File parts by name, which an export writes unchanged. */
  readonly carried: Readonly<Record<string, string>>;
  /** The part of the limits that all sheets used so far. */
  readonly spent: { cells: number; readonly blocks: BlockCount; characters: number; attachmentCharacters: number };
}
