import type { Snapshot } from '@cellwire/engine';
import type { InputLocale } from '../../access/input-locale.ts';
import { type CellEdit, editCells } from '../cells/edit-cells.ts';
import { fillSeries } from '../cells/fill-series.ts';
import { resizeLines, setFormat } from '../cells/format-cells.ts';
import type { ServiceContext } from '../context.ts';
import { type FileTarget, importSheetFile, type SheetUpload } from '../document/import-sheet.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import type { WriteReply } from '../reply.ts';
import type { WriteRequest } from '../write-request.ts';
import { rebaseEdits, rebaseRange } from './requests.ts';
import { type RequestBase, writeRebased } from './write-rebased.ts';
import { excludeFromEdits, formatWholeSheet, listEditedRanges } from './written-cells.ts';

/** A write of the console, and the revision to which its addresses refer. */
export interface ConsoleWrite {
  readonly request: WriteRequest;
  /** Null: they refer to the newest state. */
  readonly base: RequestBase | null;
}

type PromisedReply = Promise<WriteReply | Refusal>;

/** Edits of several ranges. */
export function writeCells(
  context: ServiceContext,
  { request, base }: ConsoleWrite,
  edits: readonly CellEdit[],
  inputLocale: InputLocale | null,
): PromisedReply {
  return writeRebased(context, request, {
    base,
    sent: edits,
    inputLocale,
    rebase: rebaseEdits,
    ranges: listEditedRanges,
    without: excludeFromEdits,
    write: (write, sent) => editCells(context, write, { edits: sent, inputLocale }),
  });
}

/** Continues a series. */
export function writeSeries(
  context: ServiceContext,
  { request, base }: ConsoleWrite,
  series: Parameters<typeof fillSeries>[2],
): PromisedReply {
  return writeRebased(context, request, {
    base,
    sent: series,
    inputLocale: null,
    rebase: (sent, setting) => {
      const [from, to] = [rebaseRange(sent.from, setting), rebaseRange(sent.to, setting)];
      if (isRefusal(from)) return from;
      return isRefusal(to) ? to : { ...sent, from, to };
    },
    ranges: ({ to }) => [to],
    write: (write, sent) => fillSeries(context, write, sent),
  });
}

/** Sets the number format of a range. */
export function writeFormat(
  context: ServiceContext,
  write: ConsoleWrite,
  range: string,
  format: string,
): PromisedReply {
  return writeRange(context, write, range, {
    ranges: (sent) => [sent],
    write: (request, sent) => setFormat(context, request, sent, format),
  });
}

/** Sets the size of the rows or columns of a range. No cells change. */
export function writeSizes(context: ServiceContext, write: ConsoleWrite, range: string, size: number): PromisedReply {
  return writeRange(context, write, range, {
    ranges: () => [],
    write: (request, sent) => resizeLines(context, request, sent, size),
  });
}

interface RangeWrite {
  /** The ranges whose cells change. */
  readonly ranges: (range: string) => readonly string[];
  readonly write: (request: WriteRequest, range: string) => PromisedReply;
}

/** Writes to the range at its place in the newest state. */
function writeRange(
  context: ServiceContext,
  { request, base }: ConsoleWrite,
  range: string,
  { ranges, write }: RangeWrite,
): PromisedReply {
  return writeRebased(context, request, { base, sent: range, inputLocale: null, rebase: rebaseRange, ranges, write });
}

/** Imports a file into a document. The target names a sheet by id, which needs no translation. */
export function writeSheetFile(
  context: ServiceContext,
  { request, base }: ConsoleWrite,
  upload: SheetUpload,
  target: FileTarget,
): PromisedReply {
  return writeRebased(context, request, {
    base,
    sent: target,
    inputLocale: null,
    rebase: null,
    ranges: listReplacedRanges,
    write: (write, sent) => importSheetFile(context, write, upload, sent),
  });
}

/** The ranges that an import overwrites. A new sheet and appended rows overwrite no cells. */
function listReplacedRanges(target: FileTarget, snapshot: Snapshot): readonly string[] {
  const sheet = target.kind === 'replace' ? snapshot.sheetById(target.sheet) : undefined;
  return sheet === undefined ? [] : [formatWholeSheet(sheet.name)];
}
