import { randomUUID } from 'node:crypto';
import { cellText, type LocaleId } from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
import type { ReadBlock } from '../../documents/preview.ts';
import type { DryRunProposal, ProposalHead } from '../../documents/types.ts';
import { MAX_RESULT_CHARACTERS, MAX_TOOL_CELLS } from '../../limits/mcp.ts';
import { parseInputLocale, resolveInputLocale } from '../../service/cells/input-locale.ts';
import { resolveRange } from '../../service/ranges.ts';
import { isRefusal } from '../../service/refusal.ts';
import { toAuthor, toUnwrittenResult } from '../../service/write.ts';
import { fitPage, shortenRow } from '../bounds.ts';
import { type StructuredContent, ToolError, unwrapOrThrow } from '../results.ts';
import {
  ANY,
  addDescription,
  BOOLEAN,
  DOCUMENT,
  INPUT_LOCALE,
  INTEGER,
  LIST,
  OFFSET,
  PAGED,
  readOffsetArgument,
  resolveDocumentId,
  STRING,
  type ToolDefinition,
} from '../tool.ts';
import { toPlainValue } from '../write.ts';
import { formatFirstCell, MAX_ROWS_CHARACTERS, readNewestState } from './reading.ts';

export const calculateTool: ToolDefinition = {
  name: 'calculate',
  title: 'Calculate a formula',
  description:
    'Calculates a formula over the document without storing anything. Use it for sums and checks instead of reading many cells. The formula is in the service’s grammar: arguments separated by `;`, decimal comma; or as typed in `inputLocale`. Cost: one calculation within the budget of a write; at most 4,000 cells and 25,000 characters of result. Result: the first rows as plain values, errors as their code; `warnings` explain a formula that cannot be read. If `truncated`, call again with `nextOffset` as `offset`. Example: {"document": "Orders 2026", "formula": "SUMIF(Orders!B2:B;\\"open\\";Orders!C2:C)"}',
  kind: 'read',
  input: {
    document: DOCUMENT,
    formula: addDescription({ type: 'string', minLength: 1 }, 'With or without = at the beginning.'),
    sheet: addDescription(STRING, 'The sheet of references that name no sheet; the first by default.'),
    inputLocale: INPUT_LOCALE,
    offset: addDescription(OFFSET, 'Rows of the result to skip; 0 by default.'),
  },
  required: ['document', 'formula'],
  output: {
    document: STRING,
    revision: INTEGER,
    range: ANY,
    rows: LIST,
    warnings: LIST,
    cut: LIST,
    total: INTEGER,
    truncated: BOOLEAN,
    nextOffset: PAGED.nextOffset,
  },
  async run(session, args) {
    const document = await resolveDocumentId(session, args);
    const { access, snapshot } = await readNewestState(session, document);
    const { sheet } =
      args['sheet'] === undefined
        ? { sheet: snapshot.sheets[0] }
        : unwrapOrThrow(resolveRange(snapshot, formatFirstCell(String(args['sheet']))));
    if (sheet === undefined) throw new ToolError('Sheet not found. The document has no sheet.');
    const text = String(args['formula']).trim();
    const formula = text.startsWith('=') ? text : `=${text}`;
    const requested = unwrapOrThrow(parseInputLocale(args['inputLocale'] as string | undefined));
    const locale = resolveInputLocale(requested, access, snapshot);
    const open = await session.context.documents.open(document, session.caller.userId);
    if (open === null) throw new ToolError('Document not found. Call list_documents to find it.');
    const outcome = await open.write<never, CalculatedFormula>(
      (head) => planCalculation(head, { of: sheet.id, formula, locale, access, offset: readOffsetArgument(args) }),
      {
        user: session.caller.userId,
        bytes: 0,
      },
    );
    if (outcome.kind === 'written') throw new Error('a trial was written');
    const calculated = toUnwrittenResult(outcome);
    if (isRefusal(calculated)) return unwrapOrThrow(calculated);
    if ('conflict' in calculated) throw new ToolError('Service busy. Call again.');
    return { document, ...toResultContent(calculated) };
  },
};

interface CalculatedFormula {
  readonly block: ReadBlock;
  readonly offset: number;
  readonly revision: number;
  /** Problems of the formula. */
  readonly warnings: readonly string[];
}

interface FormulaRequest {
  /** The sheet of references that name no sheet. */
  readonly of: number;
  readonly formula: string;
  /** The locale in which the formula is typed; null: the API's grammar. */
  readonly locale: LocaleId | null;
  readonly access: DocumentAccess;
  /** Rows of the result to skip. */
  readonly offset: number;
}

/** Plans a trial with the formula in A1 of a temporary sheet, so that no reference can include its result. */
function planCalculation(
  head: ProposalHead,
  { of: evaluated, formula, locale, access, offset }: FormulaRequest,
): DryRunProposal<CalculatedFormula> {
  const sheet = head.nextSheetId;
  return {
    kind: 'trial',
    edits: [
      { kind: 'addSheet', name: randomUUID(), standsFor: evaluated },
      { kind: 'setValues', sheet, row: 0, column: 0, values: [[formula]], mode: 'user', locale },
    ],
    form: 'fields',
    author: toAuthor(access.caller),
    read: { sheet, top: offset, maxCells: MAX_TOOL_CELLS, maxCharacters: MAX_RESULT_CHARACTERS },
    show: ({ block, warnings }) => ({
      ...{ block: block ?? { rows: 0, columns: 0, cells: [] }, offset, revision: head.revision },
      warnings: warnings.map(({ message }) => message),
    }),
  };
}

/** The result of a calculation. Long texts of the first row are cut if it does not fit. */
function toResultContent({ block, offset, revision, warnings }: CalculatedFormula): StructuredContent {
  if (block.columns > MAX_TOOL_CELLS) {
    throw new ToolError(
      `Response too large. A row of the result has ${block.columns} cells, and an answer may have ${MAX_TOOL_CELLS}. Ask for fewer columns, such as TAKE(…;;10).`,
    );
  }
  const found = block.rows === 0 ? [[null]] : block.cells.map((row) => row.map(toPlainValue));
  const formatCell = (at: number): string => cellText(offset, at);
  const short = shortenRow(found[0] ?? [], { maxCharacters: MAX_ROWS_CHARACTERS, cellOf: formatCell });
  const total = Math.max(1, block.rows);
  const maxCharacters = MAX_ROWS_CHARACTERS - JSON.stringify(short.cut).length;
  const rows = found.length === 0 ? [] : [short.values, ...found.slice(1)];
  const { items, truncated, nextOffset } = fitPage(rows, { offset, total, maxCharacters });
  return {
    ...{ revision, range: null, rows: items, total, truncated, nextOffset },
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(short.cut.length > 0 ? { cut: short.cut } : {}),
  };
}
