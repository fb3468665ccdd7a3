import { nameKey } from '@cellwire/engine';
import {
  type ParsedAreas,
  parseStructure,
  type StoredArea,
  type StoredAreaRemainder,
  type StoredOperation,
  type StructureOperation,
  type StructureText,
} from '@cellwire/store/stored-forms';
import type { ChangedSheet, StoredRecords } from '@cellwire/store/webhooks';
import { listSheetNames } from '../structure/sheet-mentions.ts';

declare const published: unique symbol;

/**
 * A part of a document without the data that its reader may not see. Responses, events, notifications and messages
 * contain such values only, and only the functions of this file create them.
 */
export type PublishedPart<T> = T & { readonly [published]: true };

/** The reader's rights at the time of publishing. */
export interface PublicationReader {
  /** Ids of sheets whose values are hidden from the reader. A deleted sheet keeps its protection. */
  readonly hiddenSheets: ReadonlySet<number>;
}

interface CurrentSheet {
  readonly id: number;
  readonly name: string;
}

/** Helps to place operations that were stored without sheet ids. */
interface OperationContext {
  /** The document's current sheets. */
  readonly sheets: readonly CurrentSheet[];
  /** Ids of the sheets whose cells the same commits changed. */
  readonly touched: Iterable<number>;
}

/** The operations that neither name a hidden sheet nor take cells from it. */
export function publishOperations(
  stored: StructureText | readonly StoredOperation[] | null,
  { hiddenSheets }: PublicationReader,
  context: OperationContext,
): PublishedPart<readonly StructureOperation[]> {
  const operations = typeof stored === 'string' || stored === null ? parseStructure(stored) : stored;
  const isVisible =
    hiddenSheets.size === 0 ? () => true : (one: StoredOperation) => isOperationVisible(one, hiddenSheets, context);
  return operations.filter(isVisible).map(({ operation }) => operation) as unknown as PublishedPart<
    readonly StructureOperation[]
  >;
}

/** True if the operation names and changes nothing that is hidden from the reader. */
function isOperationVisible(
  { operation, sheets }: StoredOperation,
  hidden: ReadonlySet<number>,
  context: OperationContext,
): boolean {
  if (sheets !== null) return sheets.every((id) => !hidden.has(id));
  // Sheets may have been renamed since: every name must belong to a visible sheet, and no hidden cell may have changed.
  for (const id of context.touched) if (hidden.has(id)) return false;
  const visible = new Set(context.sheets.filter(({ id }) => !hidden.has(id)).map(({ name }) => nameKey(name)));
  return [...listSheetNames(operation)].every((name) => visible.has(nameKey(name)));
}

/** The areas on sheets that the reader may see. `isThere`: true if a sheet still exists. */
export function publishAreas(
  areas: Pick<ParsedAreas, 'written' | 'derived' | 'rest' | 'isCut'>,
  { hiddenSheets }: PublicationReader,
  isThere: (sheet: number) => boolean,
): PublishedPart<Pick<ParsedAreas, 'written' | 'derived' | 'rest' | 'isCut'>> {
  const { written, derived, rest = [], isCut } = areas;
  const isVisible = ([sheet]: StoredArea | StoredAreaRemainder) => !hiddenSheets.has(sheet) && isThere(sheet);
  const kept = { written: written.filter(isVisible), derived: derived.filter(isVisible), rest: rest.filter(isVisible) };
  return { ...kept, isCut } as unknown as ReturnType<typeof publishAreas>;
}

/** The changed cells of sheets that the reader may see. */
export function publishSheets(
  sheets: readonly ChangedSheet[],
  { hiddenSheets }: PublicationReader,
): PublishedPart<readonly ChangedSheet[]> {
  return sheets.filter(({ id }) => !hiddenSheets.has(id)) as unknown as PublishedPart<readonly ChangedSheet[]>;
}

/** The changed records; null: there are none, or their sheet is hidden from the reader. */
export function publishRecords(
  stored: StoredRecords | null,
  { hiddenSheets }: PublicationReader,
): PublishedPart<StoredRecords> | null {
  return stored === null || hiddenSheets.has(stored.sheet) ? null : (stored as PublishedPart<StoredRecords>);
}

/** Ids of the sheets that a commit's areas and moves touch. */
export function* listTouchedSheets({ written, derived, rest = [], moves = [] }: ParsedAreas): Iterable<number> {
  for (const [sheet] of [...written, ...derived, ...rest]) yield sheet;
  for (const move of moves) {
    yield move.sheet;
    if (move.kind === 'carry') yield move.toSheet;
  }
}
