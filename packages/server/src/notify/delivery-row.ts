import type { DeliveriesTable, Statement } from '@cellwire/store';
import { changeDeliveryState } from '@cellwire/store/webhooks';
import type { Delivery } from './delivery-state.ts';

/** The columns that store a delivery's state. */
type StateColumns = Pick<
  DeliveriesTable,
  'state' | 'attempts' | 'round' | 'next_at' | 'set_at' | 'claim' | 'finished_at'
>;

/** The state of a delivery from the columns of its row. */
export function toDelivery(row: StateColumns): Delivery {
  const { state, attempts, round } = row;
  switch (state) {
    case 'waiting':
      return { state, attempts, round, dueAt: row.next_at ?? 0, setAt: row.set_at };
    case 'sending':
      return { state, attempts, round, claim: row.claim ?? '', since: row.set_at };
    default:
      return { state, attempts, round, at: row.finished_at ?? 0 };
  }
}

/** The columns of a row that store the state of a delivery. */
export function toStateColumns(delivery: Delivery): StateColumns {
  const { state, attempts, round } = delivery;
  const none = { state, attempts, round, next_at: null, set_at: 0, claim: null, finished_at: null };
  switch (state) {
    case 'waiting':
      return { ...none, next_at: delivery.dueAt, set_at: delivery.setAt };
    case 'sending':
      return { ...none, next_at: delivery.since, set_at: delivery.since, claim: delivery.claim };
    default:
      return { ...none, set_at: delivery.at, finished_at: delivery.at };
  }
}

/** Changes the state of a row. The statement conflicts if the row is no longer in the state `before`. */
export function buildStateChangeStatement(
  key: { readonly document: string; readonly id: string },
  before: Delivery,
  after: Delivery,
  log: string,
): Statement {
  const fromColumns = toStateColumns(before);
  return changeDeliveryState({
    ...toStateColumns(after),
    document_id: key.document,
    id: key.id,
    seen_state: fromColumns.state,
    seen_claim: fromColumns.claim ?? '',
    seen_attempts: fromColumns.attempts,
    seen_round: fromColumns.round,
    log,
  });
}
