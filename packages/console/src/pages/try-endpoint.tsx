import { type FormEvent, useState } from 'react';
import { Confirm } from '../components/dialog.tsx';
import { Checkbox, Field } from '../components/field.tsx';
import { renderCode } from '../components/render-code.tsx';
import { Code } from '../components/secret.tsx';
import { listDocuments, listSheets } from '../data/documents.ts';
import { API, createFailure, type Result } from '../data/http.ts';
import { chooseInitialValue, createExampleBody, type Endpoint } from '../data/openapi.ts';
import type { Sheet } from '../data/types.ts';
import { useLoad } from '../data/use-load.ts';
import { t } from '../text/index.ts';
import { DocumentSelect } from './document-choice.tsx';

export const PREFIX = '/api/v1';
/** Maximum number of shown characters of an answer. */
const MAX_SHOWN = 20_000;
/** Query parameter of writes that only preview the change. */
const DRY_RUN = 'dryRun';
/** Operations that read although they have a body. */
const READ_OPERATIONS: ReadonlySet<string> = new Set(['queryRecords']);
/** Operations that create something and change nothing else. */
const CREATING_OPERATIONS: ReadonlySet<string> = new Set(['createDocument', 'copyDocument']);

interface EndpointResponse {
  readonly status: number;
  readonly text: string;
}

/** A request ready to send. */
interface PreparedRequest {
  readonly address: string;
  readonly body: string | null;
  readonly isDryRun: boolean;
}

/**
 * Sends a request as the signed-in person. The form of a writing request starts without a document and, if possible, as
 * a dry run. Operations that change or delete something ask for a confirmation.
 */
export function EndpointForm({ endpoint }: { readonly endpoint: Endpoint }) {
  const { id, method, path, operation } = endpoint;
  const isWriting = method !== 'GET' && !READ_OPERATIONS.has(id);
  const hasDocument = path.includes('{document}');
  const parameters = operation.parameters ?? [];
  const hasDryRun = isWriting && parameters.some(({ name }) => name === DRY_RUN);
  const documents = useLoad('documents', listDocuments);
  const [answer, setAnswer] = useState<EndpointResponse | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const [unconfirmed, setUnconfirmed] = useState<PreparedRequest | null>(null);
  const [isDryRun, setDryRun] = useState(hasDryRun);
  const all = documents.value?.documents ?? [];
  const document = chosen ?? (isWriting ? '' : (all[0]?.id ?? ''));
  const title = all.find((one) => one.id === document)?.title ?? '';
  const sheet = useFirstSheet(hasDocument ? document : '');
  const fields = parameters.filter((one) => one.in !== 'header' && one.name !== 'document' && one.name !== DRY_RUN);
  const example = createExampleBody(endpoint, sheet);
  const send = async (prepared: PreparedRequest) => {
    setUnconfirmed(null);
    setBusy(true);
    setAnswer(await sendTryRequest(method, prepared));
    setBusy(false);
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const prepared = prepareRequest(endpoint, new FormData(event.currentTarget));
    const isSafe = !isWriting || CREATING_OPERATIONS.has(id) || prepared.isDryRun;
    if (isSafe) void send(prepared);
    else setUnconfirmed(prepared);
  };
  return (
    <>
      <form className="form try" onSubmit={submit}>
        <h3>{t.docs.tryIt}</h3>
        <div className="filters">
          {hasDocument ? (
            <DocumentSelect
              label={t.docs.pick}
              name="document"
              documents={all}
              chosen={document}
              {...(isWriting ? { none: t.docs.choose } : {})}
              onChoose={setChosen}
            />
          ) : null}
          {fields.map((one) => (
            <Field
              key={one.name === 'sheet' ? `sheet ${sheet}` : one.name}
              label={one.name}
              name={`p ${one.name}`}
              defaultValue={one.in === 'path' || one.required ? chooseInitialValue(one.name, sheet) : ''}
              required={one.required === true}
            />
          ))}
        </div>
        {example === '' ? null : (
          <textarea
            key={sheet}
            className="input code"
            name="body"
            aria-label={t.docs.body}
            rows={6}
            defaultValue={example}
          />
        )}
        {hasDryRun ? (
          <Checkbox
            name={DRY_RUN}
            checked={isDryRun}
            onChange={({ currentTarget }) => setDryRun(currentTarget.checked)}
            label={t.docs.dryRun}
            hint={t.docs.dryRunHint}
          />
        ) : null}
        <div className="row">
          <button type="submit" className="button primary" disabled={isBusy}>
            {t.docs.send}
          </button>
          {isWriting && !isDryRun ? (
            <span className="hint">{CREATING_OPERATIONS.has(id) ? t.docs.makes : t.docs.changes}</span>
          ) : null}
        </div>
        {answer === null ? null : <Code label={t.docs.answer(answer.status)} text={answer.text} />}
      </form>
      {unconfirmed === null ? null : (
        <Confirm
          title={t.docs.confirmTitle(title)}
          text={
            <div className="stack">
              <p>{renderCode(operation.summary ?? id)}.</p>
              <Code label={t.docs.request} text={formatRequest(method, unconfirmed)} />
            </div>
          }
          action={t.docs.confirm}
          onClose={() => setUnconfirmed(null)}
          onConfirm={() => void send(unconfirmed)}
        />
      )}
    </>
  );
}

function formatRequest(method: string, { address, body }: PreparedRequest): string {
  const line = `${method} ${address.replace(API, PREFIX)}`;
  return body === null ? line : `${line}\n\n${body}`;
}

/** First sheet of a document, for examples; empty if unknown or without a document. */
function useFirstSheet(document: string): string {
  const nothing: Result<{ readonly sheets: readonly Sheet[] }> = {
    ok: true,
    value: { sheets: [] },
    headers: new Headers(),
  };
  const { value } = useLoad(document, async () => (document === '' ? nothing : listSheets(document)));
  return value?.sheets[0]?.name ?? '';
}

/** Creates the request of an operation from the form. */
function prepareRequest({ path, operation }: Endpoint, form: FormData): PreparedRequest {
  const readField = (name: string) => String(form.get(name) ?? '');
  const address = path
    .replace(PREFIX, API)
    .replace(/\{(\w+)\}/g, (_all, name: string) =>
      encodeURIComponent(name === 'document' ? readField('document') : readField(`p ${name}`)),
    );
  const search = new URLSearchParams();
  for (const { name, in: place } of operation.parameters ?? []) {
    if (place === 'query' && readField(`p ${name}`) !== '') search.append(name, readField(`p ${name}`));
  }
  const isDryRun = form.has(DRY_RUN);
  if (isDryRun) search.append(DRY_RUN, 'true');
  return {
    address: search.size === 0 ? address : `${address}?${search}`,
    body: form.has('body') ? readField('body') : null,
    isDryRun,
  };
}

async function sendTryRequest(method: string, { address, body }: PreparedRequest): Promise<EndpointResponse> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), STREAM_MS);
  const response = await fetch(address, {
    method,
    signal: stop.signal,
    ...(body === null ? {} : { body, headers: { 'content-type': 'application/json' } }),
  }).catch(() => null);
  const text = response === null ? createFailure(0, {}).message : await readStreamBeginning(response);
  clearTimeout(timer);
  return { status: response?.status ?? 0, text: formatJson(text) };
}

/** How long a stream is read before it is shown, in milliseconds. */
const STREAM_MS = 5_000;

/** Reads a response to its end, until the request is aborted, or until the text has `MAX_SHOWN` characters. */
async function readStreamBeginning(response: Response): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    while (reader !== undefined && text.length < MAX_SHOWN) {
      const { value, done } = await reader.read();
      if (done) return text;
      text += value;
    }
  } catch {
    return text;
  }
  return text;
}

function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2).slice(0, MAX_SHOWN);
  } catch {
    return text.slice(0, MAX_SHOWN);
  }
}
