import type { FieldValue } from '@cellwire/engine';
import type { Command } from 'commander';
import type { ProposalView } from '../service/proposals/view.ts';
import { isRefusal } from '../service/refusal.ts';
import { addExamples, createCursorOption, createLimitOption, formatPage, type PageOptions } from './options.ts';
import { runOnService } from './run.ts';
import { formatTable } from './table.ts';

const EXAMPLES = `
Examples:
  cellwire proposal list --document DOC --state open
  cellwire proposal show --document DOC --proposal ID
  cellwire proposal reject --document DOC --proposal ID --reason "The rate is right"`;

interface ProposalCommandOptions {
  readonly document: string;
  readonly proposal: string;
  readonly reason?: string;
}

/** `proposal list|show|apply|reject`. */
export function addProposalCommands(program: Command): void {
  const proposal = program.command('proposal').description('manage writes that wait for consent');
  proposal
    .command('list')
    .description('list the proposals of a document, newest first')
    .requiredOption('--document <id>', 'the document')
    .option('--state <state>', 'open, applied, rejected, withdrawn or expired (default: all)')
    .addOption(createLimitOption())
    .addOption(createCursorOption())
    .action(runProposalList);
  for (const [name, description] of ACTIONS) {
    const command = proposal
      .command(name)
      .description(description)
      .requiredOption('--document <id>', 'the document')
      .requiredOption('--proposal <id>', 'the proposal');
    if (name !== 'show') command.option('--reason <text>', 'reason, shown with the decision');
    command.action((options: ProposalCommandOptions, self: Command) => runProposalAction(name, options, self));
  }
  addExamples(proposal, EXAMPLES);
}

const ACTIONS = [
  ['show', 'show what a proposal would change'],
  ['apply', 'write exactly what its preview shows'],
  ['reject', 'reject it without writing anything'],
] as const;

function runProposalList({ document, ...query }: PageOptions & { document: string; state?: string }, command: Command) {
  return runOnService(command, async (context) => {
    const { listDocumentProposals } = await import('../service/operator/proposals.ts');
    const page = await listDocumentProposals(context, document, query);
    if (isRefusal(page)) return page;
    const rows = page.entries.map(({ id, state, createdAt, proposedBy, action, summary, title }) => [
      id,
      state,
      createdAt,
      proposedBy.name,
      action,
      String(summary.written),
      title ?? '',
    ]);
    const head = ['PROPOSAL', 'STATE', 'AT', 'BY', 'ACTION', 'CELLS', 'TITLE'];
    const text = formatPage(formatTable(head, rows, 'There are no such proposals.'), page.nextCursor);
    return { json: { proposals: page }, text };
  });
}

/** Shows, applies or rejects a proposal, by the action's name, and prints its state and what it changes. */
function runProposalAction(action: (typeof ACTIONS)[number][0], options: ProposalCommandOptions, command: Command) {
  return runOnService(command, async (context) => {
    const proposals = await import('../service/operator/proposals.ts');
    const { findPlanFeature } = await import('../operations/proposals/proposed-operation.ts');
    const answer = await proposals.runOnProposal(context, action, options, findPlanFeature);
    if (isRefusal(answer)) return answer;
    const { id, state } = answer.proposal;
    const text = [`Proposal ${id} is ${state}.`, ...formatSteps(answer.proposal), formatChangedCells(answer.proposal)];
    return { json: answer, text: text.filter((part) => part !== '').join('\n') };
  });
}

/** Changes of sheets and settings, and inserted, deleted and moved rows, columns and cells, in words. */
function formatSteps({ sheetChanges, moves, settingChanges }: ProposalView): readonly string[] {
  return [
    ...sheetChanges.map(({ change, sheet, before, position }) => {
      if (before !== undefined) return `Sheet ${before}: ${change} to ${sheet}`;
      return `Sheet ${sheet}: ${change}${position === undefined ? '' : ` to position ${position}`}`;
    }),
    ...moves.map(({ from, to }) => {
      if (from === undefined) return `Insert ${to}`;
      return to === undefined ? `Delete ${from}` : `Move ${from} to ${to}`;
    }),
    ...settingChanges.map(formatSettingChange),
  ];
}

/** For example `Name Rate: change from =1,5 to =2`. */
function formatSettingChange({
  setting,
  change,
  name,
  before,
  after,
  columns,
}: ProposalView['settingChanges'][number]) {
  const subject = `${setting.charAt(0).toUpperCase()}${setting.slice(1)} ${name}: ${change}`;
  const from = before === undefined || before === after ? '' : ` from ${before}`;
  const to = after === undefined ? '' : ` to ${after}`;
  const conditions = columns === undefined || columns.length === 0 ? '' : `, conditions of ${columns.join(', ')}`;
  return `${subject}${from}${to}${conditions}`;
}

/** A table of the changed cells. A deleted cell has its position before the write, all others theirs after it. */
function formatChangedCells({ changes, texts }: ProposalView): string {
  const rows = changes.flatMap(({ cell, before, after, derived, deleted }, i) => {
    const { shown, formulas } = texts[i] ?? {};
    const values = shown ?? { before: formatValue(before), after: formatValue(after) };
    const cause = derived ? 'recalculated' : deleted ? 'removed' : '';
    const row = [cell, values.before ?? '', values.after ?? '', cause];
    return formulas === undefined ? [row] : [row, ['', formulas.before ?? '', formulas.after ?? '', 'formula']];
  });
  const lines = rows.map((row) => row.map(escapeControls));
  return formatTable(['POSITION', 'BEFORE', 'AFTER', ''], lines, '');
}

/** The text of a value that the grid shows without a number format; empty for an empty cell. */
function formatValue(value: FieldValue): string {
  if (typeof value === 'object') return value?.error ?? '';
  return typeof value === 'boolean' ? String(value).toUpperCase() : String(value);
}

/** Keeps a text on one line, and free of sequences that control the terminal. */
function escapeControls(text: string): string {
  return text.replace(/\p{Cc}/gu, (control) =>
    control === '\n' ? '\\n' : `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
