import type { Command } from 'commander';
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

function runProposalAction(action: (typeof ACTIONS)[number][0], options: ProposalCommandOptions, command: Command) {
  return runOnService(command, async (context) => {
    const proposals = await import('../service/operator/proposals.ts');
    const { findPlanFeature } = await import('../operations/proposals/proposed-operation.ts');
    const answer = await proposals.runOnProposal(context, action, options, findPlanFeature);
    if (isRefusal(answer)) return answer;
    const { id, state, changes } = answer.proposal;
    const rows = changes.map(({ cell, before, after, derived }) => [
      cell,
      JSON.stringify(before),
      JSON.stringify(after),
      derived ? 'recalculated' : '',
    ]);
    return {
      json: answer,
      text: `Proposal ${id} is ${state}.\n${formatTable(['CELL', 'BEFORE', 'AFTER', ''], rows, '')}`,
    };
  });
}
