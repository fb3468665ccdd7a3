import { extname } from 'node:path';
import type { Command } from 'commander';
import { isRefusal } from '../service/refusal.ts';
import { printNote, runOnService } from './run.ts';
import { formatCount } from './table.ts';

/** Whether a file name is that of a bundle: a document with its history, for moving between installations. */
export function isBundle(path: string | undefined): path is string {
  return path !== undefined && extname(path).toLowerCase() === '.cellwire';
}

interface ImportOptions {
  readonly from: string;
  readonly owner: string;
  readonly title?: string;
  readonly keepId?: boolean;
}

/** `document create --from X.cellwire`. */
export function createFromBundle(options: ImportOptions, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const { importBundle } = await import('../service/operator/bundle.ts');
    const result = await importBundle(context, options);
    if (isRefusal(result)) return result;
    const { document, unknownUsers } = result;
    if (unknownUsers.length > 0) printNote(command, `No user here has the addresses ${unknownUsers.join(', ')}.`);
    const { id, title, sheets } = document;
    const text = `Document ${id}, ${title}, with its history.\nSheets: ${sheets.join(', ')}`;
    return { json: { ...document, unknownUsers }, text };
  });
}

/** `document export --to X.cellwire`. */
export function exportBundle(
  { document, to }: { readonly document: string; readonly to: string },
  command: Command,
): Promise<void> {
  return runOnService(command, async (context) => {
    const { exportBundle: write } = await import('../service/operator/bundle.ts');
    const { toStoreLocation } = await import('../compose/compose.ts');
    const exported = await write(context, document, to, toStoreLocation(context.config));
    if (isRefusal(exported)) return exported;
    const { bytes, sheets } = exported;
    return {
      json: { file: to, sheets, bytes },
      text: `${to} is written, with the history: ${formatCount(bytes, 'byte')}.`,
    };
  });
}
