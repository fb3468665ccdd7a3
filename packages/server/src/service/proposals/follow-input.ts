import type { LocaleId, Snapshot } from '@cellwire/engine';
import type { ProposalRow } from '@cellwire/store/proposals';
import type { InputLocale } from '../../access/input-locale.ts';
import type { SentCells } from '../cells/inputs.ts';
import type { ServiceContext } from '../context.ts';
import type { Expectation } from '../expectations.ts';
import { RebasedPlaces } from '../rebase/places.ts';
import { rebaseBlock, rebaseOperations } from '../rebase/requests.ts';
import { readStepsBetween } from '../rebase/steps.ts';
import { isRefusal } from '../refusal.ts';
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
 * A proposed operation with the current addresses of its cells and names of its sheets. An address whose cells are gone
 * stays as it is.
 */
export function followOperation({ id, input }: ProposedOperation, context: FollowContext): ProposedOperation {
  const members = input as OperationInput;
  const { range, values, sheet, data, operations } = members;
  // The values of an append have no place before they are written.
  const block = id === 'appendValues' ? { range } : { range, values };
  const followed = {
    ...members,
    ...(isBlock(block) ? dropUndefined(followBlock(block, members, context)) : {}),
    ...(typeof sheet === 'string' ? { sheet: context.places.mapSheetName(sheet) ?? sheet } : {}),
    ...(Array.isArray(data) ? { data: data.map((one) => followBlock(one, members, context)) } : {}),
    ...(Array.isArray(operations) ? { operations: followOperations(operations, context) } : {}),
  };
  return { id, input: followed };
}

function isBlock(block: { readonly range: unknown }): block is ProposedBlock {
  return typeof block.range === 'string';
}

function dropUndefined({ range, values }: ProposedBlock): ProposedBlock {
  return values === undefined ? { range } : { range, values };
}

interface ProposedBlock {
  readonly range: string;
  readonly values?: unknown;
}

/** A range with its values, if they are rows of cells at that range. */
function followBlock(block: ProposedBlock, { majorDimension }: OperationInput, context: FollowContext): ProposedBlock {
  const { range, values } = block;
  if (Array.isArray(values) && majorDimension !== 'COLUMNS') {
    const followed = rebaseBlock({ range, values: values as SentCells }, context);
    if (!isRefusal(followed)) return followed;
  }
  const followed = context.places.mapRange(range);
  return followed === null || isRefusal(followed) ? block : { ...block, range: followed };
}

function followOperations(operations: readonly unknown[], context: FollowContext): readonly unknown[] {
  const followed = rebaseOperations(operations, context);
  return isRefusal(followed) ? operations : followed;
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
