import { isKnownOperation, type KnownOperation, type StructureOperation } from '@cellwire/store/stored-forms';
import { MAX_MESSAGE_LENGTH } from '../limits/notify.ts';
import type { OutgoingRequest } from './http-sender.ts';
import type { ReceiverAnswer } from './outcome.ts';
import type { DocumentFacts, Payload } from './payload.ts';

/** The recipient of a message. */
interface ChatRecipient {
  /** Base address of the Bot API. */
  readonly base: string;
  readonly botToken: string;
  readonly chatId: string;
}

/** UTF-16 units that are reserved for the marks around the list of changes. */
const MARK_LENGTH = 16;
/** Maximum UTF-16 units of the title and of the authors, so that space remains for the changes. */
const MAX_LINE_LENGTH = 512;

/**
 * Builds a `sendMessage` request of the Telegram Bot API. It sets no parse mode, so that texts of cells are never
 * interpreted as markup.
 */
export function buildMessage({ base, botToken, chatId }: ChatRecipient, text: string): OutgoingRequest {
  const body = { chat_id: chatId, text, link_preview_options: { is_disabled: true } };
  return {
    url: new URL(`${base}/bot${encodeToken(botToken)}/sendMessage`),
    headers: {},
    body: Buffer.from(JSON.stringify(body)),
  };
}

/** Formats title, changes, authors and link on separate lines. Changes that do not fit are only counted. */
export function formatMessage(document: DocumentFacts, { part, authors, structure }: Payload): string {
  const title = shortenText(document.title, MAX_LINE_LENGTH);
  const people = shortenText(authors.map(({ name }) => name).join(', '), MAX_LINE_LENGTH);
  const frame = [title, people, document.url ?? ''].filter((line) => line !== '');
  const room = MAX_MESSAGE_LENGTH - frame.reduce((sum, line) => sum + line.length + 1, 0);
  const operations = structure.map(describeOperation);
  const changes = joinChanges([...operations, ...part.changes], operations.length + part.count, room);
  return [title, changes, people, document.url ?? ''].filter((line) => line !== '').join('\n');
}

function describeOperation(operation: StructureOperation): string {
  if (!isKnownOperation(operation)) return describeOtherOperation(operation);
  if ('addSheet' in operation) return `+ ${operation.addSheet.name}`;
  if ('deleteSheet' in operation) return `− ${operation.deleteSheet.sheet}`;
  if ('renameSheet' in operation) return `${operation.renameSheet.sheet} → ${operation.renameSheet.name}`;
  if ('hideSheet' in operation) return operation.hideSheet.sheet;
  if ('cut' in operation) return `${operation.cut.from} → ${operation.cut.to}`;
  if ('insertCells' in operation) return `+ ${operation.insertCells.range}`;
  if ('deleteCells' in operation) return `− ${operation.deleteCells.range}`;
  return describeLines(operation);
}

type SheetOperationName =
  | 'addSheet'
  | 'deleteSheet'
  | 'renameSheet'
  | 'hideSheet'
  | 'cut'
  | 'insertCells'
  | 'deleteCells';
type LineOperation = Exclude<
  KnownOperation,
  { readonly [K in SheetOperationName]: Readonly<Record<K, unknown>> }[SheetOperationName]
>;

/** `+ Orders 5:6`, `− Orders F:F`, `Orders 3:4 → 10`. */
function describeLines(operation: LineOperation): string {
  if ('insertRows' in operation) return `+ ${formatRowsRange(operation.insertRows, operation.insertRows.before)}`;
  if ('deleteRows' in operation) return `− ${formatRowsRange(operation.deleteRows, operation.deleteRows.from)}`;
  if ('moveRows' in operation) {
    return `${formatRowsRange(operation.moveRows, operation.moveRows.from)} → ${operation.moveRows.before}`;
  }
  if ('insertColumns' in operation)
    return `+ ${formatColumnsRange(operation.insertColumns, operation.insertColumns.before)}`;
  if ('deleteColumns' in operation)
    return `− ${formatColumnsRange(operation.deleteColumns, operation.deleteColumns.from)}`;
  return `${formatColumnsRange(operation.moveColumns, operation.moveColumns.from)} → ${operation.moveColumns.before}`;
}

interface AxisSpan {
  readonly sheet: string;
  readonly count: number;
}

function formatRowsRange({ sheet, count }: AxisSpan, first: number): string {
  return `${sheet} ${first}:${first + count - 1}`;
}

function formatColumnsRange({ sheet, count }: AxisSpan, first: string): string {
  return count === 1 ? `${sheet} ${first}` : `${sheet} ${first} +${count - 1}`;
}

/** The operation's name, and its members that are texts or numbers. */
function describeOtherOperation(operation: StructureOperation): string {
  const [[name, members] = ['', {}]] = Object.entries(operation);
  const isWord = (value: unknown) => typeof value === 'string' || typeof value === 'number';
  return [name, ...Object.values(members).filter(isWord)].join(' ');
}

/** As many changes as fit, followed by `… +N` for the others. */
function joinChanges(changes: readonly string[], count: number, maxCharacters: number): string {
  let text = '';
  let shown = 0;
  for (const change of changes) {
    const line = change.replaceAll('\n', ' ');
    const longer = text === '' ? line : `${text}; ${line}`;
    if (longer.length + MARK_LENGTH > maxCharacters) break;
    text = longer;
    shown++;
  }
  const [first] = changes;
  if (shown === 0 && first !== undefined) {
    text = shortenText(first.replaceAll('\n', ' '), maxCharacters - MARK_LENGTH);
    shown = 1;
  }
  return shown < count ? `${text} … +${count - shown}`.trim() : text;
}

/** Shortens a text without splitting a character. */
function shortenText(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = text.slice(0, length - 1);
  return `${head.isWellFormed() ? head : head.slice(0, -1)}…`;
}

/** A bot's token as part of an address. Its colon stays unencoded. */
function encodeToken(botToken: string): string {
  return encodeURIComponent(botToken).replaceAll('%3A', ':');
}

/** Removes the token from a response. Error pages of proxies often contain the address, which includes the token. */
export function hideToken(answer: ReceiverAnswer, botToken: string): ReceiverAnswer {
  if (answer.kind !== 'status') return answer;
  const text = answer.text.replaceAll(botToken, HIDDEN).replaceAll(encodeToken(botToken), HIDDEN);
  return { ...answer, text };
}

const HIDDEN = '[hidden]';

/** Takes the retry delay from the body of a Bot API error, which is where the API states it. */
export function readRetryAfter(answer: ReceiverAnswer): ReceiverAnswer {
  if (answer.kind !== 'status' || answer.status < 400) return answer;
  const seconds = parseRetryAfter(answer.text);
  return seconds === null ? answer : { ...answer, retryAfter: String(seconds) };
}

/** The seconds that the messenger's answer asks to wait; null if it names none. */
function parseRetryAfter(text: string): number | null {
  try {
    const body = JSON.parse(text) as { readonly parameters?: { readonly retry_after?: unknown } } | null;
    const seconds = body?.parameters?.retry_after;
    return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds) : null;
  } catch {
    return null;
  }
}
