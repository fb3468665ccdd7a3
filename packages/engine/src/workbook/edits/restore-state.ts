import { restoreCheckpoint } from '../../codec/checkpoint.ts';
import { decodeInverse, listChangedSheets } from '../../codec/inverse.ts';
import { encodeInverse } from '../../codec/inverse-writer.ts';
import type { Batch } from '../batch.ts';
import { Reversal } from '../reversal.ts';
import type { EditOfKind, EditResult } from './edit-result.ts';

/** Restores all inputs of the document from a stored state. */
export function restoreState(
  batch: Batch,
  { state, locked, unseen = [], revision }: EditOfKind<'restore'>,
): EditResult {
  const { base } = batch.draft;
  const target = restoreCheckpoint(state.meta, state.chunks, base.formats);
  const inverse = decodeInverse(encodeInverse({ before: target, after: base }));
  const changed = listChangedSheets(inverse);
  if (!locked.some((id) => changed.has(id)) && unseen.some((id) => changed.has(id))) {
    return { kind: 'refusal', reason: 'hiddenSheetRead' };
  }
  return new Reversal(batch, inverse).applyInverse(locked, revision === undefined ? {} : { restored: revision });
}
