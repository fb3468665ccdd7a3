import { MAX_CHANGES_CHARACTERS } from '../limits/mcp.ts';
import { fitChanges, omitEmptyList, shortenLists, type ToolChange } from './bounds.ts';
import { dropUndefined } from './tool.ts';

/** A proposal as the API answers it. */
export interface ProposalBody {
  readonly baseRevision: number;
  readonly changes: readonly Omit<ToolChange, 'shown' | 'formulas'>[];
  /** Texts of `changes`, in the same order. */
  readonly texts: readonly Pick<ToolChange, 'shown' | 'formulas'>[];
  readonly summary: { readonly written: number; readonly derived: number };
}

/** Maximum characters of a proposal with its changes, and without them. */
const MAX_PROPOSAL_CHARACTERS = 21_000;
const MAX_HEADER_CHARACTERS = 15_000;

interface PageOfChanges {
  readonly offset: number;
  readonly limit: number;
}

/** Shortens a proposal with a page of its changes to the size of a result. `total` counts changed cells. */
export function fitProposal({ changes, texts, ...proposal }: ProposalBody, { offset, limit }: PageOfChanges) {
  const listed = fitListedProposal(proposal);
  const { written, derived } = proposal.summary;
  const maxCharacters = Math.min(MAX_CHANGES_CHARACTERS, MAX_PROPOSAL_CHARACTERS - JSON.stringify(listed).length);
  const page = { offset, total: changes.length, maxCharacters };
  const withTexts = changes.slice(offset, offset + limit).map((change, i) => ({ ...change, ...texts[offset + i] }));
  const { items, cut, nextOffset } = fitChanges(withTexts, page);
  // A proposal keeps the first thousand changes.
  const total = Math.max(changes.length, written + derived);
  const isCut = offset + items.length < total;
  const isShort = isCut || listed !== proposal;
  const lists = {
    changes: items.map(({ shown: _shown, formulas: _formulas, ...change }) => change),
    texts: items.map(({ shown, formulas }) => dropUndefined({ shown, formulas })),
  };
  const shown = { ...listed, ...lists, ...dropUndefined({ cut: omitEmptyList(cut) }), truncated: isShort };
  return { shown, total, isCut, nextOffset };
}

/** A proposal without changes in the size of a result. Lists in it are cut if it is too long; it then is `truncated`. */
export function fitListedProposal<T extends object>(proposal: T): T {
  const { value, isCut } = shortenLists(proposal, MAX_HEADER_CHARACTERS);
  return isCut ? { ...value, truncated: true } : proposal;
}
