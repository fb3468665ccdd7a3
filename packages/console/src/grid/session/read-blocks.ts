import type { LocaleId } from '@cellwire/engine';
import { API, CONSOLE_API, callApi, type Result } from '../../data/http.ts';
import type { BlockStyleTable } from '../../data/types.ts';
import type { BlockAnswer, BlockStyles } from './cell-store.ts';

interface ReadBlocksOptions {
  /** Locale of the formulas; null for the grammar of the API. */
  readonly locale: LocaleId | null;
  /** True if styles are read, too. */
  readonly hasLooks: boolean;
  /** Revision to assume if the answer does not name one. */
  readonly revision: number;
}

/** Reads the cells of ranges with their styles. */
export async function readBlocks(
  document: string,
  ranges: readonly string[],
  options: ReadBlocksOptions,
): Promise<Result<BlockAnswer>> {
  const search = ranges.map((range) => `ranges[]=${encodeURIComponent(range)}`).join('&');
  const locale = options.locale === null ? '' : `&inputLocale=${options.locale}`;
  const [values, looks] = await Promise.all([
    callApi<{ readonly valueRanges: BlockAnswer['ranges'] }>(
      'GET',
      `${API}/documents/${document}/values/batchGet?${search}${locale}`,
    ),
    options.hasLooks
      ? callApi<{ readonly looks: readonly BlockStyleTable[] }>(
          'GET',
          `${CONSOLE_API}/documents/${document}/looks?${search}`,
        )
      : null,
  ]);
  if (!values.ok) return values;
  const none: readonly BlockStyles[] = [];
  const styles = looks?.ok === true ? looks.value.looks.map(expandBlockStyles) : none;
  const revision = Number(values.headers.get('x-revision') ?? options.revision);
  return { ok: true, headers: values.headers, value: { ranges: values.value.valueRanges, styles, revision } };
}

/** Returns the style of each cell from the table of distinct styles; null if no cell has a style. */
function expandBlockStyles({ styles, cells }: BlockStyleTable): BlockStyles {
  return cells.length === 0 ? null : cells.map((line) => line.map((style) => styles[style] ?? null));
}
