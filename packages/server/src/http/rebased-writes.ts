import type { FastifyRequest } from 'fastify';
import type { InputLocale } from '../access/input-locale.ts';
import { type CellEdit, editCells } from '../service/cells/edit-cells.ts';
import { fillSeries } from '../service/cells/fill-series.ts';
import { resizeLines, setFormat } from '../service/cells/format-cells.ts';
import { rebaseEdits, rebaseRange } from '../service/rebase/requests.ts';
import { writeRebased } from '../service/rebase/write-rebased.ts';
import { excludeFromEdits, listEditedRanges } from '../service/rebase/written-cells.ts';
import { isRefusal, type Refusal } from '../service/refusal.ts';
import type { WriteReply } from '../service/reply.ts';
import type { WriteRequest } from '../service/write-request.ts';
import type { Api } from './api.ts';
import { createWriteRequest, parseRequestBase } from './idempotency-hook.ts';

type RebasedOutcome = Promise<WriteReply | Refusal>;

/** The console's edits of several ranges. */
export function writeRebasedCells(
  api: Api,
  request: FastifyRequest,
  edits: readonly CellEdit[],
  inputLocale: InputLocale | null,
): RebasedOutcome {
  return writeRebased(api.context, createWriteRequest(api, request), {
    base: parseRequestBase(request),
    sent: edits,
    inputLocale,
    rebase: rebaseEdits,
    ranges: listEditedRanges,
    without: excludeFromEdits,
    write: (write, sent) => editCells(api.context, write, { edits: sent, inputLocale }),
  });
}

/** The console's fill of a series. */
export function fillRebasedSeries(
  api: Api,
  request: FastifyRequest,
  body: Parameters<typeof fillSeries>[2],
): RebasedOutcome {
  return writeRebased(api.context, createWriteRequest(api, request), {
    base: parseRequestBase(request),
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
export function writeRebasedFormat(api: Api, request: FastifyRequest, range: string, format: string): RebasedOutcome {
  const write: RangeWrite = (write, sent) => setFormat(api.context, write, sent, format);
  return writeRebasedRange(api, request, range, { ranges: (sent) => [sent], write });
}

/** The console's sizes of rows and columns. */
export function writeRebasedSizes(api: Api, request: FastifyRequest, range: string, size: number): RebasedOutcome {
  const write: RangeWrite = (write, rebasedRange) => resizeLines(api.context, write, rebasedRange, size);
  return writeRebasedRange(api, request, range, { ranges: () => [], write });
}

type RangeWrite = (write: WriteRequest, range: string) => RebasedOutcome;

/** A write of a single range. `ranges`: the cells that it changes. */
function writeRebasedRange(
  api: Api,
  request: FastifyRequest,
  range: string,
  { ranges, write }: { readonly ranges: (range: string) => readonly string[]; readonly write: RangeWrite },
): RebasedOutcome {
  return writeRebased(api.context, createWriteRequest(api, request), {
    base: parseRequestBase(request),
    sent: range,
    inputLocale: null,
    rebase: rebaseRange,
    ranges,
    write,
  });
}
