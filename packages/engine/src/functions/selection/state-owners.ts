import type { BoundedQuery, Dimension } from './find-bounds.ts';

/**
 * Owners of the states of one mechanism; see `FunctionContext.getRangeState`. Queries of the same ranges have different
 * states if their keys are of different kinds.
 */
export class StateOwners {
  private readonly owners = new Map<string, object>();

  findOwner({ target, factors, dimensions }: BoundedQuery): object {
    let kinds = target === null ? 'count' : `sum ${factors.length}`;
    for (const dimension of dimensions) kinds += describeKeys(dimension);
    const known = this.owners.get(kinds);
    if (known !== undefined) return known;
    const owner = {};
    this.owners.set(kinds, owner);
    return owner;
  }
}

function describeKeys({ area, rank, excluded }: Dimension): string {
  if (area === null) return ' rows';
  if (excluded !== null) return ' codes';
  return rank === null ? ' numbers' : ' ranks';
}
