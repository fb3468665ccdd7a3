import { cellText } from '@cellwire/engine';
import type { FastifyRequest } from 'fastify';
import type { InputLocale } from '../access/input-locale.ts';
import { type CellEdit, editCells } from '../service/edit-cells.ts';
import { fillSeries } from '../service/fill-series.ts';
import { setFormat, sizeLines } from '../service/format-cells.ts';
import { parseRange } from '../service/ranges.ts';
import { rebaseBlock, rebaseEdits, rebaseOperations, rebaseRange, rebaseRanges } from '../service/rebase/requests.ts';
import { type Base, writeRebased } from '../service/rebase/write-rebased.ts';
import { isRefusal, type Refusal } from '../service/refusal.ts';
import type { Reply } from '../service/reply.ts';
import { changeStructure } from '../service/structure/change-structure.ts';
import type { WriteRequest } from '../service/write.ts';
import { clearValues } from '../service/write-values.ts';
import type { Api } from './api.ts';
import { callerOf } from './api.ts';
import { writeOf } from './idempotency-hook.ts';
import type { PutBody } from './schemas.ts';
import { putBlock } from './value-writes.ts';

/** The revision that the addresses of a request are of. The console sends it; the API's callers do not. */
const BASE_REVISION = 'cellwire-base-revision';
/** `true`: the write is refused if someone else wrote its cells since. */
const UNLESS_CHANGED = 'cellwire-unless-changed';
const REVISION = /^\d{1,15}$/;

/** Null: the addresses of the request mean what they mean when it comes to be written. */
function baseOf(request: FastifyRequest): Base | null {
  const { [BASE_REVISION]: revision, [UNLESS_CHANGED]: unlessChanged } = request.headers;
  if (typeof revision !== 'string' || !REVISION.test(revision)) return null;
  if (callerOf(request).principal.kind !== 'session') return null;
  return { revision: Number(revision), unlessChanged: unlessChanged === 'true' };
}

type Answer = Promise<Reply | Refusal>;

/** `PUT …/values/{range}`. */
export function putRebased(api: Api, request: FastifyRequest, range: string, body: PutBody): Answer {
  const { values, inputLocale = null } = body;
  // Columns first are the API's alone.
  const base = body.majorDimension === 'COLUMNS' ? null : baseOf(request);
  return writeRebased(api.context, writeOf(api, request), {
    base,
    sent: { range, values },
    inputLocale,
    rebase: rebaseBlock,
    ranges: (sent) => [extentOf(sent.range, sent.values)],
    write: (write, sent) =>
      putBlock(api.context, write, sent.range, { ...body, values: [...sent.values] as typeof values }),
  });
}

/** `POST …/values/clear`. A range that others have parted is cleared part by part. */
export function clearRebased(api: Api, request: FastifyRequest, range: string): Answer {
  return writeRebased(api.context, writeOf(api, request), {
    base: baseOf(request),
    sent: [range] as readonly string[],
    inputLocale: null,
    rebase: ([whole = range], setting) => rebaseRanges(whole, setting),
    ranges: (ranges) => ranges,
    write: (write, [first = range, ...others]) =>
      others.length === 0
        ? clearValues(api.context, write, first)
        : editCells(api.context, write, {
            edits: [first, ...others].map((clear): CellEdit => ({ clear })),
            inputLocale: null,
          }),
  });
}

/** `POST …/structure`. */
export function structureRebased(
  api: Api,
  request: FastifyRequest,
  operations: unknown,
  inputLocale: InputLocale | null,
): Answer {
  return writeRebased(api.context, writeOf(api, request), {
    base: baseOf(request),
    sent: operations,
    inputLocale,
    rebase: (sent, setting) => (Array.isArray(sent) ? rebaseOperations(sent, setting) : sent),
    ranges: () => [],
    write: (write, sent) => changeStructure(api.context, write, sent, inputLocale),
  });
}

/** The console's edits of several ranges. */
export function cellsRebased(
  api: Api,
  request: FastifyRequest,
  edits: readonly CellEdit[],
  inputLocale: InputLocale | null,
): Answer {
  return writeRebased(api.context, writeOf(api, request), {
    base: baseOf(request),
    sent: edits,
    inputLocale,
    rebase: rebaseEdits,
    ranges: (sent) => sent.flatMap(writtenBy),
    write: (write, sent) => editCells(api.context, write, { edits: sent, inputLocale }),
  });
}

function writtenBy({ clear, put, values = [], copy, fill, to }: CellEdit): readonly string[] {
  if (put !== undefined) return [extentOf(put, values)];
  if (clear !== undefined) return [clear];
  return (copy ?? fill) !== undefined && to !== undefined ? [to] : [];
}

/** The console's fill of a series. */
export function fillRebased(api: Api, request: FastifyRequest, body: Parameters<typeof fillSeries>[2]): Answer {
  return writeRebased(api.context, writeOf(api, request), {
    base: baseOf(request),
    sent: body,
    inputLocale: null,
    rebase: (sent, setting) => {
      const [from, to] = [rebaseRange(sent.from, setting), rebaseRange(sent.to, setting)];
      if (isRefusal(from)) return from;
      return isRefusal(to) ? to : { ...sent, from, to };
    },
    ranges: ({ to }) => [to],
    write: (write, sent) => fillSeries(api.context, write, sent),
  });
}

/** The console's number formats. */
export function formatRebased(api: Api, request: FastifyRequest, range: string, format: string): Answer {
  return rangeRebased(api, request, range, (write, sent) => setFormat(api.context, write, sent, format));
}

/** The console's sizes of rows and columns. */
export function sizesRebased(api: Api, request: FastifyRequest, range: string, size: number): Answer {
  return rangeRebased(api, request, range, (write, sent) => sizeLines(api.context, write, sent, size));
}

/** A write of a single range that changes no values. */
function rangeRebased(
  api: Api,
  request: FastifyRequest,
  range: string,
  write: (write: WriteRequest, range: string) => Answer,
): Answer {
  return writeRebased(api.context, writeOf(api, request), {
    base: baseOf(request),
    sent: range,
    inputLocale: null,
    rebase: rebaseRange,
    ranges: () => [],
    write,
  });
}

/** The range that values fill from the first cell of another; that range itself if it is none. */
function extentOf(range: string, values: readonly (readonly unknown[])[]): string {
  const first = parseRange(range);
  if (isRefusal(first)) return range;
  const { top, left } = first.area;
  const right = left + Math.max(1, ...values.map(({ length }) => length)) - 1;
  const prefix = range.slice(0, range.lastIndexOf('!') + 1);
  return `${prefix}${cellText(top, left)}:${cellText(top + values.length - 1, right)}`;
}
