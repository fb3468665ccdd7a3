import type { LocaleId, Snapshot } from '@cellwire/engine';
import type { ProposalRow } from '@cellwire/store/proposals';
import type { InputLocale } from '../../access/input-locale.ts';
import type { SentCells } from '../cells/inputs.ts';
import type { ServiceContext } from '../context.ts';
import type { Expectation } from '../expectations.ts';
import { rebaseBlock } from '../rebase/block.ts';
import { RebasedPlaces } from '../rebase/places.ts';
import { rebaseOperations } from '../rebase/requests.ts';
import { readStepsBetween } from '../rebase/steps.ts';
import { CELLS_GONE, isRefusal, type Refusal } from '../refusal.ts';
import type { ProposedOperation } from './content.ts';

/** Translates addresses from the state of a proposal's preview; null: nothing has moved, or the log does not reach back. */
export async function readPlacesSince(
  { database }: Pick<ServiceContext, 'database'>,
  { document_id, base_revision }: Pick<ProposalRow, 'document_id' | 'base_revision'>,
  { revision, sheets }: Snapshot,
): Promise<RebasedPlaces | null> {
  const steps = await readStepsBetween(database, document_id, base_revision, revision);
  if (steps === null || steps.length === 0) return null;
  // Nobody reads the addresses, so moves on hidden sheets may be followed, too.
  return new RebasedPlaces(steps, sheets, new Set());
}

interface FollowContext {
  readonly places: RebasedPlaces;
  readonly locale: LocaleId | null;
}

type OperationInput = Readonly<Record<string, unknown>>;

/**
 * A proposed operation with the current addresses of its cells and names of its sheets. Values of deleted cells are left
 * out. Refuses if no cell of an address remains, because the address now means other cells. An address whose sheet is
 * gone stays as it is; the operation refuses it.
 */
export function followOperation({ id, input }: ProposedOperation, context: FollowContext): ProposedOperation | Refusal {
  const members = input as OperationInput;
  const { range, values, sheet, data, operations } = members;
  // The values of an append have no place before they are written.
  const block = id === 'appendValues' ? { range } : { range, values };
  const followedBlock = isBlock(block) ? followBlock(block, members, context) : {};
  if (isRefusal(followedBlock)) return followedBlock;
  const followedData = Array.isArray(data) ? followBlocks(data, members, context) : undefined;
  if (isRefusal(followedData)) return followedData;
  const followedOperations = Array.isArray(operations) ? rebaseOperations(operations, context) : undefined;
  if (isRefusal(followedOperations) && followedOperations.reason === 'cellsGone') return followedOperations;
  const followed = {
    ...members,
    ...followedBlock,
    ...(typeof sheet === 'string' ? { sheet: context.places.mapSheetName(sheet) ?? sheet } : {}),
    ...(followedData === undefined ? {} : { data: followedData }),
    ...(followedOperations === undefined || isRefusal(followedOperations) ? {} : { operations: followedOperations }),
  };
  return { id, input: followed };
}

/** True if the block has a range. */
function isBlock(block: { readonly range: unknown }): block is ProposedBlock {
  return typeof block.range === 'string';
}

interface ProposedBlock {
  readonly range: string;
  readonly values?: unknown;
}

/** The blocks of which cells remain; refused if none remains. */
function followBlocks(
  blocks: readonly ProposedBlock[],
  members: OperationInput,
  context: FollowContext,
): readonly ProposedBlock[] | Refusal {
  const remaining = blocks.flatMap((block) => {
    const followed = followBlock(block, members, context);
    return isRefusal(followed) ? [] : [followed];
  });
  return remaining.length > 0 || blocks.length === 0 ? remaining : CELLS_GONE;
}

/** A range at its current place, with the values of cells that remain; refused if no cell remains. */
function followBlock(
  block: ProposedBlock,
  { majorDimension }: OperationInput,
  context: FollowContext,
): ProposedBlock | Refusal {
  const { places } = context;
  const { range, values } = block;
  const before = places.parseEarlierBlock(range);
  // The sheet is gone, or the range is a name of a table or a mistake.
  if (before === null || isRefusal(before)) return values === undefined ? { range } : block;
  if (!Array.isArray(values)) {
    const followed = places.mapRange(range);
    if (followed === null) return CELLS_GONE;
    return isRefusal(followed) ? { range } : { range: followed };
  }
  const isByColumns = majorDimension === 'COLUMNS';
  return rebaseBlock({ range, values: values as SentCells }, context, { dropsGone: true, isByColumns });
}

/** Expected values at the current places of their ranges. */
export function followExpectations(expected: readonly Expectation[], places: RebasedPlaces): readonly Expectation[] {
  return expected.map((one) => {
    const { range } = one;
    const sheet = places.findEarlierId(range.sheet);
    const block = sheet === undefined ? null : places.mapArea({ sheet, area: range.area });
    const name = block && places.findSheetName(block.sheet);
    if (block === null || name === null) return one;
    return { ...one, range: { ...range, sheet: name, area: { ...range.area, ...block.area } } };
  });
}

/** The locale of the formulas in an operation's input. */
export function readInputLocale(input: object): InputLocale | null {
  const { inputLocale } = input as { readonly inputLocale?: InputLocale };
  return inputLocale ?? null;
}
