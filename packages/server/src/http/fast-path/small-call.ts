import { runInSlices } from '@cellwire/event-loop';
import type { Access, DocumentAccess } from '../../access/access.ts';
import type { Caller } from '../../access/callers.ts';
import type { AccessRefusal } from '../../access/refusal.ts';
import type { Call } from '../../operations/call.ts';
import { NO_CONDITIONS } from '../../operations/conditions.ts';
import type { ServiceContext } from '../../service/context.ts';

interface SmallCallParts {
  readonly context: ServiceContext;
  readonly access: Access;
}

interface SmallCallInput {
  readonly inputBytes: number;
  readonly renew: () => Promise<DocumentAccess | AccessRefusal>;
}

/** The call of a small write: without conditions, and with only its input. */
export class SmallCall implements Call {
  readonly context: ServiceContext;
  readonly access: Access;
  readonly document: DocumentAccess;
  readonly inputBytes: number;
  readonly renewDocument: () => Promise<DocumentAccess | AccessRefusal>;
  readonly conditions = NO_CONDITIONS;
  readonly ifNoneMatch = null;
  readonly lastEventId = null;
  readonly form = 'json';
  readonly query = {};
  readonly lines = null;
  readonly file = null;

  constructor({ context, access }: SmallCallParts, document: DocumentAccess, { inputBytes, renew }: SmallCallInput) {
    this.context = context;
    this.access = access;
    this.document = document;
    this.inputBytes = inputBytes;
    this.renewDocument = renew;
  }

  get caller(): Caller {
    return this.document.caller;
  }

  async renewCaller(): Promise<Caller | AccessRefusal> {
    const renewed = await this.renewDocument();
    return 'kind' in renewed ? renewed : renewed.caller;
  }

  runLong<T>(begin: () => Generator<void, T>) {
    return runInSlices(begin());
  }

  abandoned(): AbortSignal {
    return new AbortController().signal;
  }

  temporaryFile(): never {
    throw new Error('A small write has no file');
  }

  addressOf(): never {
    throw new Error('A small write has no addresses');
  }
}
