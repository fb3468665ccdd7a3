import { basename } from 'node:path';
import type { CsvConventions, ImportedColumn } from '@cellwire/files';
import { formatLeftOutLabel, formatLeftOutText, type LeftOutItem } from '@cellwire/files/left-out';
import { type Command, Option } from 'commander';
import type { ServiceContext } from '../service/context.ts';
import { type CsvOutput, EXPORT_DELIMITERS } from '../service/document/csv-output.ts';
import type { CreatedDocument } from '../service/document/store-document.ts';
import { invalidRequest, isRefusal } from '../service/refusal.ts';
import { createFromBundle, exportBundle, isBundle } from './bundle.ts';
import {
  addExamples,
  createCursorOption,
  createLimitOption,
  formatPage,
  type PageOptions,
  parseColumnTypes,
  refuseOptions,
} from './options.ts';
import { startProgress } from './progress.ts';
import { printNote, runOnService } from './run.ts';
import { formatCount, formatTable } from './table.ts';

const EXAMPLES = `
Examples:
  cellwire document create --owner anna@example.com --title Orders
  cellwire document create --owner anna@example.com --title Orders --from orders.xlsx
  cellwire document create --owner anna@example.com --title Flights --from flights.csv --locale en-US
  cellwire document create --owner anna@example.com --title Stock --from stock.csv --columns "Article:text,Count:number"
  cellwire document list --owner anna@example.com
  cellwire document copy --document DOC --title "Orders 2027"
  cellwire document list --deleted
  cellwire document restore --document DOC
  cellwire document share --document DOC --user ben@example.com --role edit
  cellwire document export --document DOC --to orders.xlsx
  cellwire document export --document DOC --to orders.csv --sheet Orders
  cellwire document export --document DOC --to orders.cellwire
  cellwire document create --owner anna@example.com --from orders.cellwire`;

interface DocumentCreateOptions {
  readonly owner: string;
  readonly title?: string;
  readonly type: string;
  readonly format: string;
  readonly locale?: string;
  readonly inputLocale?: string;
  readonly from?: string;
  readonly keepId?: boolean;
  readonly columns?: readonly string[];
  readonly delimiter?: string;
  readonly decimal?: string;
  readonly encoding?: string;
  readonly sheet?: string;
}

/** `document create|list|copy|share|convert|export|restore|delete`. */
export function addDocumentCommands(program: Command): void {
  const document = program.command('document').description('create, share, import, export and delete documents');
  document
    .command('create')
    .description('create a document, empty or from a file')
    .requiredOption('--owner <id or e-mail>', 'the owner')
    .option('--title <title>', 'the title (default for a bundle: its own title)')
    .addOption(
      new Option('--type <type>', 'the type; only tables have cells').choices(['table', 'text']).default('table'),
    )
    .addOption(
      new Option('--format <format>', 'the format; values can be written only into collaborative tables')
        .choices(['collaborative', 'legacy'])
        .default('collaborative'),
    )
    .option(
      '--locale <locale>',
      'locale for displaying values: ru-RU, en-US, en-GB, de-DE, fr-FR, es-ES, it-IT (default: `locale` of the configuration)',
    )
    .option('--input-locale <locale>', 'locale for typed texts and formulas, such as en-US; document: its own locale')
    .option('--from <file>', 'a .csv or .xlsx file to import, or a .cellwire bundle of another installation')
    .option('--keep-id', 'keep the id of a bundle')
    .option(
      '--columns <name:type,...>',
      'types of columns of a .csv file: text, number, date, dmy, mdy, boolean',
      parseColumnTypes,
    )
    .option('--delimiter <character>', 'the separator of fields in a .csv file: one character, or tab')
    .addOption(new Option('--decimal <mark>', 'the decimal mark of a .csv file').choices(['.', ',']))
    .option('--encoding <name>', 'the encoding of a .csv file, such as utf-8 or windows-1252')
    .option('--sheet <name>', 'name of the sheet for a .csv file')
    .action(createDocument);
  document
    .command('list')
    .description('list the documents of the installation by id, or the documents of one owner, the last changed first')
    .option('--owner <id or e-mail>', 'the user')
    .option('--deleted', 'deleted documents that can be restored')
    .addOption(createLimitOption())
    .addOption(createCursorOption())
    .action(listDocuments);
  const addCommand = (verb: string, description: string) =>
    document.command(verb).description(description).requiredOption('--document <id>', 'the document');
  addCommand('copy', 'copy a document without its history and shares; sheets stay protected')
    .option('--title <title>', 'title of the copy (default: Copy of …)')
    .option('--owner <id or e-mail>', 'owner of the copy (default: the owner of the document)')
    .action(copyDocument);
  addCommand('share', 'give a user a role, change the role, or end the access')
    .requiredOption('--user <id or e-mail>', 'the user')
    .addOption(
      new Option('--role <role>', 'the new role; none ends the access')
        .choices(['edit', 'comment', 'view', 'none'])
        .makeOptionMandatory(),
    )
    .action(shareDocument);
  addCommand('convert', 'convert a table of the old format to a collaborative table').action(convertDocument);
  addCommand('export', 'write a document to a file')
    .requiredOption(
      '--to <file>',
      'an .xlsx file, a .csv or .tsv file (values of one sheet), or a .cellwire bundle (with its history)',
    )
    .option('--sheet <name>', 'the sheet of a .csv file (default: the first)')
    .addOption(new Option('--delimiter <mark>', 'the separator of fields in a .csv file').choices(EXPORT_DELIMITERS))
    .addOption(new Option('--decimal <mark>', 'the decimal mark of a .csv file').choices(['.', ',']))
    .option('--bom', 'start a .csv file with a byte order mark, so that Excel detects UTF-8')
    .option('--force', 'replace the file if it exists')
    .action(exportDocument);
  addCommand('restore', 'restore a deleted document, or with --revision restore an earlier revision as a new revision')
    .option('--revision <number>', 'the revision')
    .action(restoreDocument);
  addCommand('delete', 'delete a document; it can be restored for some days (`trash.days`)')
    .option('--permanently', 'delete the document and its history for good; also possible for a deleted document')
    .action(deleteDocument);
  addExamples(document, EXAMPLES);
}

function createDocument(options: DocumentCreateOptions, command: Command): Promise<void> {
  const { from, title } = options;
  if (isBundle(from)) {
    refuseOptions(command, NOT_FOR_CREATION_FROM_BUNDLE, NOT_FOR_BUNDLES);
    return createFromBundle({ ...options, from }, command);
  }
  refuseOptions(command, ['keepId'], 'needs a .cellwire file in --from');
  if (title === undefined) command.error("error: required option '--title <title>' not specified");
  return createTitledDocument({ ...options, title }, command);
}

const NOT_FOR_BUNDLES = 'cannot be used with a .cellwire file';
/** Options without effect on a document made from a bundle: a bundle already contains these properties. */
const NOT_FOR_CREATION_FROM_BUNDLE = [
  ...['type', 'format', 'locale', 'inputLocale'],
  ...['columns', 'delimiter', 'decimal', 'encoding', 'sheet'],
];

const CACHED_NOTE = 'Kept with the file’s values until something that they depend on changes';

type TitledOptions = DocumentCreateOptions & { readonly title: string };

/** Creates an empty document or imports a file, and prints the document. */
function createTitledDocument(options: TitledOptions, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const result = await (options.from === undefined
      ? createEmptyDocument(context, options)
      : importFile(context, options, options.from, command));
    if (isRefusal(result)) return result;
    const { document, columns, csv, leftOut, cached } = result;
    printLeftOut(command, `Of ${options.from} the document does not hold`, leftOut);
    printLeftOut(command, CACHED_NOTE, cached);
    const answer = {
      ...document,
      ...(columns.length > 0 && { columns }),
      ...(csv !== null && { csv }),
      ...(cached.length > 0 && { cached: addDescriptions(cached) }),
    };
    return {
      json: addLeftOut(answer, leftOut),
      text: `${describeDocument(document)}${describeCsvReading(csv)}${describeColumns(columns)}`,
    };
  });
}

/** Describes how a CSV file was read, so that a wrong guess is noticed. */
function describeCsvReading(csv: CsvConventions | null): string {
  if (csv === null) return '';
  const { delimiter, encoding, decimal, dateOrder, preview } = csv;
  const rows = preview.map((row) => row.map((value) => (value === null ? '' : String(value))).join(' | '));
  const fields = delimiter === null ? 'one field a line' : `delimiter ${delimiter}`;
  return `\nRead with ${fields}, encoding ${encoding}, decimal mark ${decimal}, dates ${dateOrder}:\n${rows.join('\n')}`;
}

function describeDocument({ id, title, type, format, locale, sheets }: CreatedDocument): string {
  return `Document ${id}, ${title} (${type}, ${format}, ${locale}).\nSheets: ${sheets.join(', ')}`;
}

async function createEmptyDocument(context: ServiceContext, options: TitledOptions) {
  const { columns, delimiter, decimal, encoding, sheet } = options;
  if (columns ?? delimiter ?? decimal ?? encoding ?? sheet) {
    return invalidRequest(
      'from',
      '--columns, --delimiter, --decimal, --encoding and --sheet are for files: add --from',
    );
  }
  const document = await (await import('../service/operator/new-document.ts')).createDocument(context, options);
  return isRefusal(document) ? document : { document, columns: [], csv: null, leftOut: [], cached: [] };
}

async function importFile(context: ServiceContext, options: TitledOptions, from: string, command: Command) {
  const { columns, delimiter, decimal, encoding, sheet, ...input } = options;
  const csv = { columns, delimiter, decimal, encoding, sheet };
  const { importDocument } = await import('../service/operator/files.ts');
  const progress = startProgress(command, `Reading ${basename(from)}`);
  const onProgress = (fraction: number): void => {
    progress.update(fraction);
    if (fraction === 1) progress.end('Calculating and storing …');
  };
  return importDocument(context, { ...input, from, csv, onProgress });
}

function listDocuments(
  options: PageOptions & { readonly owner?: string; readonly deleted?: boolean },
  command: Command,
): Promise<void> {
  return runOnService(command, async (context) => {
    const listed = await (await import('../service/operator/documents.ts')).listDocuments(context, options);
    if (isRefusal(listed)) return listed;
    const rows = listed.documents.map((one) => [
      one.id,
      one.title,
      String(one.owner),
      one.type,
      one.format,
      one.locale,
      one.deletedAt ?? one.updatedAt,
    ]);
    const heads = ['ID', 'TITLE', 'OWNER', 'KIND', 'FORMAT', 'LOCALE', options.deleted ? 'DELETED' : 'CHANGED'];
    const none = options.deleted ? 'There are no deleted documents.' : 'There are no documents.';
    return { json: listed, text: formatPage(formatTable(heads, rows, none), listed.nextCursor) };
  });
}

interface DocumentCopyOptions extends DocumentOptions {
  readonly title?: string;
  readonly owner?: string;
}

function copyDocument(options: DocumentCopyOptions, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const copy = await (await import('../service/operator/documents.ts')).copyDocument(context, options);
    if (isRefusal(copy)) return copy;
    return { json: copy, text: describeDocument(copy) };
  });
}

interface ShareOptions {
  readonly document: string;
  readonly user: string;
  readonly role: string;
}

function shareDocument(options: ShareOptions, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const shared = await (await import('../service/operator/documents.ts')).shareDocument(context, options);
    if (isRefusal(shared)) return shared;
    const text =
      shared.role === 'none'
        ? `${options.user} has no access to ${shared.id}.`
        : `${options.user} has the role ${shared.role} in ${shared.id}.`;
    return { json: shared, text };
  });
}

interface DocumentOptions {
  readonly document: string;
}

function convertDocument({ document }: DocumentOptions, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const converted = await (await import('../service/operator/documents.ts')).convertDocument(context, document);
    if (isRefusal(converted)) return converted;
    return { json: converted, text: `Document ${converted.id} is a collaborative table.` };
  });
}

function restoreDocument(options: DocumentOptions & { readonly revision?: string }, command: Command): Promise<void> {
  const { document, revision } = options;
  return revision === undefined
    ? restoreTrashedDocument(document, command)
    : restoreRevision({ document, revision }, command);
}

function restoreTrashedDocument(document: string, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const { restoreTrashedDocument } = await import('../service/operator/documents.ts');
    const restored = await restoreTrashedDocument(context, document);
    if (isRefusal(restored)) return restored;
    return { json: restored, text: `Document ${restored.id}, ${restored.title}, is restored.` };
  });
}

function restoreRevision(options: DocumentOptions & { readonly revision: string }, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const restored = await (await import('../service/operator/revisions.ts')).restoreDocument(context, options);
    if (isRefusal(restored)) return restored;
    return { json: restored, text: `Document ${options.document} is restored to revision ${options.revision}.` };
  });
}

function deleteDocument(
  { document, permanently: isPermanent = false }: DocumentOptions & { readonly permanently?: boolean },
  command: Command,
): Promise<void> {
  return runOnService(command, async (context) => {
    const { deleteDocument: remove } = await import('../service/operator/documents.ts');
    const deleted = await remove(context, document, isPermanent);
    if (isRefusal(deleted)) return deleted;
    const { days } = context.config.trash;
    const restoreHint =
      isPermanent || days === 0 ? '' : ` It can be restored for ${formatCount(days, 'day')} (document restore).`;
    return { json: deleted, text: `Document ${deleted.id} is deleted.${restoreHint}` };
  });
}

/** Maximum columns that are listed. */
const MAX_NOTED_COLUMNS = 100;

/** Describes the detected types of a file's columns, so that a wrong guess is noticed. */
function describeColumns(columns: readonly ImportedColumn[]): string {
  if (columns.length === 0) return '';
  const rows = columns
    .slice(0, MAX_NOTED_COLUMNS)
    .map(({ column, name, type, why }) => [column, name ?? '', type, why]);
  const more = columns.length - rows.length;
  return `\n\n${formatTable(['column', 'name', 'type', 'why'], rows, '')}${more > 0 ? `\nand ${more} more` : ''}`;
}

/** Notes on standard error what is left out. */
function printLeftOut(command: Command, subject: string, leftOut: readonly LeftOutItem[]): void {
  if (leftOut.length > 0) printNote(command, `${subject}: ${formatLeftOutText(leftOut)}.`);
}

/** Adds `leftOut` if anything is left out. */
function addLeftOut(answer: object, leftOut: readonly LeftOutItem[]): object {
  if (leftOut.length === 0) return answer;
  return { ...answer, leftOut: addDescriptions(leftOut) };
}

/** Adds a description in words, `what`, to each item. */
function addDescriptions(items: readonly LeftOutItem[]): readonly object[] {
  return items.map((item) => ({ ...item, what: formatLeftOutLabel(item) }));
}

interface DocumentExportOptions extends DocumentOptions {
  readonly to: string;
  readonly sheet?: string;
  readonly force?: boolean;
  readonly delimiter?: CsvOutput['delimiter'];
  readonly decimal?: CsvOutput['decimal'];
  readonly bom?: boolean;
}

function exportDocument(options: DocumentExportOptions, command: Command): Promise<void> {
  if (isBundle(options.to)) {
    refuseOptions(command, ['sheet', 'delimiter', 'decimal', 'bom', 'force'], NOT_FOR_BUNDLES);
    return exportBundle(options, command);
  }
  return runOnService(command, async (context) => {
    const exported = await (await import('../service/operator/files.ts')).exportDocument(context, {
      ...options,
      csv: options,
    });
    if (isRefusal(exported)) return exported;
    const { leftOut, shortened, ...written } = exported;
    const answer = shortened.length > 0 ? { ...written, shortened } : written;
    printLeftOut(command, `Of the document ${answer.file} does not hold`, leftOut);
    const renamed = answer.renamed.map(({ from, to }) => `\nThe sheet ${from} is called ${to} there.`).join('');
    return {
      json: addLeftOut(answer, leftOut),
      text: `${answer.file} is written. Sheets: ${answer.sheets}; cells: ${answer.cells}.${renamed}`,
    };
  });
}
