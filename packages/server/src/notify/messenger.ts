import { isKnownOperation, type KnownOperation, type StructureOperation } from '@cellwire/store/stored-forms';
import { MAX_MESSAGE_LENGTH } from '../limits/notify.ts';
import type { Outgoing } from './http-sender.ts';
import type { Answer } from './outcome.ts';
import type { DocumentFacts, Payload } from './payload.ts';

/** Where a message goes. */
interface Chat {
  /** Base address of the Bot API. */
  readonly base: string;
  readonly botToken: string;
  readonly chatId: string;
}

/** Units of the text that the list of changes never takes: the marks around and after it. */
const MARK_LENGTH = 16;
/** Units of the title and the authors each, so that they leave room for the changes. */
const MAX_LINE_LENGTH = 512;

/**
 * `sendMessage` of the Telegram Bot API. Without a parse mode the text is shown as it is: nothing that stands in a cell
 * can be taken for markup, or break the message.
 */
export function messageTo({ base, botToken, chatId }: Chat, text: string): Outgoing {
  const body = { chat_id: chatId, text, link_preview_options: { is_disabled: true } };
  return {
    url: new URL(`${base}/bot${inPath(botToken)}/sendMessage`),
    headers: {},
    body: Buffer.from(JSON.stringify(body)),
  };
}

/** Title, changes, authors and link, each on a line of its own; changes that find no room are counted. */
export function messageText(document: DocumentFacts, { part, authors, structure }: Payload): string {
  const title = cut(document.title, MAX_LINE_LENGTH);
  const people = cut(authors.map(({ name }) => name).join(', '), MAX_LINE_LENGTH);
  const around = [title, people, document.url ?? ''].filter((line) => line !== '');
  const room = MAX_MESSAGE_LENGTH - around.reduce((sum, line) => sum + line.length + 1, 0);
  const operations = structure.map(operationText);
  const changes = changesText([...operations, ...part.changes], operations.length + part.count, room);
  return [title, changes, people, document.url ?? ''].filter((line) => line !== '').join('\n');
}

function operationText(operation: StructureOperation): string {
  if (!isKnownOperation(operation)) return wordsOf(operation);
  if ('addSheet' in operation) return `+ ${operation.addSheet.name}`;
  if ('deleteSheet' in operation) return `− ${operation.deleteSheet.sheet}`;
  if ('renameSheet' in operation) return `${operation.renameSheet.sheet} → ${operation.renameSheet.name}`;
  if ('hideSheet' in operation) return operation.hideSheet.sheet;
  if ('cut' in operation) return `${operation.cut.from} → ${operation.cut.to}`;
  if ('insertCells' in operation) return `+ ${operation.insertCells.range}`;
  if ('deleteCells' in operation) return `− ${operation.deleteCells.range}`;
  return linesText(operation);
}

type SheetOperation = 'addSheet' | 'deleteSheet' | 'renameSheet' | 'hideSheet' | 'cut' | 'insertCells' | 'deleteCells';
type LineOperation = Exclude<
  KnownOperation,
  { readonly [K in SheetOperation]: Readonly<Record<K, unknown>> }[SheetOperation]
>;

/** `+ Orders 5:6`, `− Orders F:F`, `Orders 3:4 → 10`. */
function linesText(operation: LineOperation): string {
  if ('insertRows' in operation) return `+ ${rowsText(operation.insertRows, operation.insertRows.before)}`;
  if ('deleteRows' in operation) return `− ${rowsText(operation.deleteRows, operation.deleteRows.from)}`;
  if ('moveRows' in operation) {
    return `${rowsText(operation.moveRows, operation.moveRows.from)} → ${operation.moveRows.before}`;
  }
  if ('insertColumns' in operation) return `+ ${columnsText(operation.insertColumns, operation.insertColumns.before)}`;
  if ('deleteColumns' in operation) return `− ${columnsText(operation.deleteColumns, operation.deleteColumns.from)}`;
  return `${columnsText(operation.moveColumns, operation.moveColumns.from)} → ${operation.moveColumns.before}`;
}

interface Lines {
  readonly sheet: string;
  readonly count: number;
}

function rowsText({ sheet, count }: Lines, first: number): string {
  return `${sheet} ${first}:${first + count - 1}`;
}

function columnsText({ sheet, count }: Lines, first: string): string {
  return count === 1 ? `${sheet} ${first}` : `${sheet} ${first} +${count - 1}`;
}

/** The operation's name and what of it can be said in a word. */
function wordsOf(operation: StructureOperation): string {
  const [[name, members] = ['', {}]] = Object.entries(operation);
  const isWord = (value: unknown) => typeof value === 'string' || typeof value === 'number';
  return [name, ...Object.values(members).filter(isWord)].join(' ');
}

/** As many changes as there is room for, then `… +N` for the others. */
function changesText(changes: readonly string[], count: number, room: number): string {
  let text = '';
  let shown = 0;
  for (const change of changes) {
    const line = change.replaceAll('\n', ' ');
    const longer = text === '' ? line : `${text}; ${line}`;
    if (longer.length + MARK_LENGTH > room) break;
    text = longer;
    shown++;
  }
  const [first] = changes;
  if (shown === 0 && first !== undefined) {
    text = cut(first.replaceAll('\n', ' '), room - MARK_LENGTH);
    shown = 1;
  }
  return shown < count ? `${text} … +${count - shown}`.trim() : text;
}

/** Shortens a text, never within a character. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = text.slice(0, length - 1);
  return `${head.isWellFormed() ? head : head.slice(0, -1)}…`;
}

function inPath(botToken: string): string {
  return encodeURIComponent(botToken).replaceAll('%3A', ':');
}

/** Proxies like to name the address in their error pages, and the token is in it: it must not be kept. */
export function withoutToken(answer: Answer, botToken: string): Answer {
  if (answer.kind !== 'status') return answer;
  const text = answer.text.replaceAll(botToken, HIDDEN).replaceAll(inPath(botToken), HIDDEN);
  return { ...answer, text };
}

const HIDDEN = '[hidden]';

/** The Bot API says in the body how long to wait; the header says the same or nothing. */
export function withRetryAfter(answer: Answer): Answer {
  if (answer.kind !== 'status' || answer.status < 400) return answer;
  const seconds = retryAfterOf(answer.text);
  return seconds === null ? answer : { ...answer, retryAfter: String(seconds) };
}

function retryAfterOf(text: string): number | null {
  try {
    const body = JSON.parse(text) as { readonly parameters?: { readonly retry_after?: unknown } } | null;
    const seconds = body?.parameters?.retry_after;
    return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds) : null;
  } catch {
    return null;
  }
}
