import { isError, type Scalar } from '@cellwire/engine';
import type { AccessRequirements } from '../../access/gate.ts';
import { MAX_RESULT_CHARACTERS, MAX_SAMPLE_CHARACTERS } from '../../limits/mcp.ts';
import { openReading } from '../../service/open-table.ts';
import { formatQualifiedRange } from '../../service/ranges.ts';
import { shortenText } from '../bounds.ts';
import { unwrapOrThrow } from '../results.ts';
import type { McpSession } from '../session.ts';

/** Maximum characters of the rows in a result. */
export const MAX_ROWS_CHARACTERS = MAX_RESULT_CHARACTERS - 3_000;
const READS: AccessRequirements = { scope: 'sheets.read' };

/** The newest state of a document. */
export async function readNewestState(session: McpSession, document: string) {
  const access = await session.openDocument({ requires: READS }, document);
  const { snapshot } = unwrapOrThrow(await openReading(session.context, access));
  return { access, snapshot };
}

export function formatFirstCell(sheet: string): string {
  return formatQualifiedRange(sheet, 'A1');
}

export function formatScalar(value: Scalar): string {
  if (isError(value)) return value.code;
  return typeof value === 'boolean' ? String(value).toUpperCase() : String(value);
}

/** A value as an agent sees it: an error as its code, a long text shortened. */
export function toShownValue(value: Scalar): unknown {
  if (isError(value)) return value.code;
  return typeof value === 'string' ? shortenText(value, 10 * MAX_SAMPLE_CHARACTERS) : value;
}
