import { type FormEvent, useState } from 'react';
import { Field, Select } from '../components/field.tsx';
import { ScrollRoom } from '../components/scroll-room.tsx';
import { Code } from '../components/secret.tsx';
import { withCode } from '../components/with-code.tsx';
import { listDocuments, listSheets } from '../data/documents.ts';
import { API, failure, type Result } from '../data/http.ts';
import { type Endpoint, exampleBody, firstValue, type Schema, typeText } from '../data/openapi.ts';
import { personOf, useSession } from '../data/session.ts';
import type { Sheet } from '../data/types.ts';
import { useLoad } from '../data/use-load.ts';
import { t } from '../text/index.ts';

const PREFIX = '/api/v1';
/** Characters of an answer that are shown. */
const MOST_SHOWN = 20_000;

interface EndpointCardProps {
  readonly endpoint: Endpoint;
  readonly schemas: Readonly<Record<string, Schema>>;
}

/** One endpoint: what it takes and gives, and a form to try it with. */
export function EndpointCard({ endpoint, schemas }: EndpointCardProps) {
  const { method, path, operation } = endpoint;
  const { summary, description, parameters = [], responses = {} } = operation;
  const sent = operation.requestBody?.content['application/json']?.schema;
  const name = sent?.$ref?.split('/').at(-1);
  const body = name === undefined ? sent : schemas[name];
  const session = useSession();
  return (
    <details className="card endpoint" id={endpoint.id}>
      <summary>
        <span className={`method ${method}`}>{method}</span>
        <code>{path.replace(PREFIX, '')}</code>
        <span className="muted only-wide">{withCode(summary ?? '')}</span>
      </summary>
      <div className="stack endpoint-body">
        <p>{withCode(description ?? summary ?? '')}</p>
        {parameters.length === 0 ? null : (
          <Members
            title={t.docs.parameters}
            members={parameters.map((one) => ({
              name: one.name,
              isRequired: one.required === true,
              type: typeText(one.schema),
              text: one.description ?? one.schema?.description ?? '',
            }))}
          />
        )}
        {body?.properties === undefined ? null : (
          <Members
            title={t.docs.body}
            members={Object.entries(body.properties).map(([member, schema]) => ({
              name: member,
              isRequired: body.required?.includes(member) === true,
              type: typeText(schema),
              text: schema.description ?? '',
            }))}
          />
        )}
        <div className="row">
          {Object.entries(responses).map(([status, { description: words }]) => (
            <span key={status} className={status.startsWith('2') ? 'badge good' : 'badge'} title={words}>
              {status}
            </span>
          ))}
        </div>
        {personOf(session) !== null ? <TryIt endpoint={endpoint} /> : null}
      </div>
    </details>
  );
}

interface MembersProps {
  readonly title: string;
  readonly members: readonly {
    readonly name: string;
    readonly isRequired: boolean;
    readonly type: string;
    readonly text: string;
  }[];
}

function Members({ title, members }: MembersProps) {
  return (
    <div>
      <h3>{title}</h3>
      <ScrollRoom>
        <table className="table stacked">
          <tbody>
            {members.map(({ name, isRequired, type, text }) => (
              <tr key={name}>
                <td className="nowrap">
                  <code>{name}</code> {isRequired ? <span className="badge warn">{t.docs.required}</span> : null}
                </td>
                <td className="muted">
                  <code>{type}</code>
                </td>
                <td>{withCode(text)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRoom>
    </div>
  );
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Sends a request in the name of who is signed in. */
function TryIt({ endpoint }: { readonly endpoint: Endpoint }) {
  const { method, path, operation } = endpoint;
  const documents = useLoad('documents', listDocuments);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const all = documents.value?.documents ?? [];
  const document = chosen ?? all[0]?.id ?? '';
  const sheet = useFirstSheet(path.includes('{document}') ? document : '');
  const asked = (operation.parameters ?? []).filter((one) => one.in !== 'header' && one.name !== 'document');
  const example = exampleBody(endpoint, sheet);
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    setAnswer(await request(endpoint, form));
    setBusy(false);
  };
  return (
    <form className="form try" onSubmit={(event) => void send(event)}>
      <h3>{t.docs.tryIt}</h3>
      <div className="filters">
        {path.includes('{document}') ? (
          <Select
            label={t.docs.pick}
            name="document"
            value={document}
            onChange={(event) => setChosen(event.currentTarget.value)}
          >
            {all.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </Select>
        ) : null}
        {asked.map((one) => (
          <Field
            key={one.name === 'sheet' ? `sheet ${sheet}` : one.name}
            label={one.name}
            name={`p ${one.name}`}
            defaultValue={one.in === 'path' || one.required ? firstValue(one.name, sheet) : ''}
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
      <div className="row">
        <button type="submit" className="button primary" disabled={isBusy}>
          {t.docs.send}
        </button>
        {method === 'GET' ? null : <span className="hint">{t.docs.changes}</span>}
      </div>
      {answer === null ? null : <Code label={t.docs.answer(answer.status)} text={answer.text} />}
    </form>
  );
}

/** The first sheet of a document, for examples that run on it; empty: not known, or no document. */
function useFirstSheet(document: string): string {
  const nothing: Result<{ readonly sheets: readonly Sheet[] }> = {
    ok: true,
    value: { sheets: [] },
    headers: new Headers(),
  };
  const { value } = useLoad(document, async () => (document === '' ? nothing : listSheets(document)));
  return value?.sheets[0]?.name ?? '';
}

async function request({ method, path, operation }: Endpoint, form: FormData): Promise<Answer> {
  const value = (name: string) => String(form.get(name) ?? '');
  const way = path
    .replace(PREFIX, API)
    .replace(/\{(\w+)\}/g, (_all, name: string) =>
      encodeURIComponent(name === 'document' ? value('document') : value(`p ${name}`)),
    );
  const search = new URLSearchParams();
  for (const { name, in: place } of operation.parameters ?? []) {
    if (place === 'query' && value(`p ${name}`) !== '') search.append(name, value(`p ${name}`));
  }
  const body = form.has('body') ? value('body') : null;
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), STREAM_MS);
  const response = await fetch(search.size === 0 ? way : `${way}?${search}`, {
    method,
    signal: stop.signal,
    ...(body === null ? {} : { body, headers: { 'content-type': 'application/json' } }),
  }).catch(() => null);
  const text = response === null ? failure(0, {}).message : await readSome(response);
  clearTimeout(timer);
  return { status: response?.status ?? 0, text: pretty(text) };
}

/** A stream is shown as far as it has come by then, in milliseconds. */
const STREAM_MS = 5_000;

async function readSome(response: Response): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    while (reader !== undefined && text.length < MOST_SHOWN) {
      const { value, done } = await reader.read();
      if (done) return text;
      text += value;
    }
  } catch {
    return text;
  }
  return text;
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2).slice(0, MOST_SHOWN);
  } catch {
    return text.slice(0, MOST_SHOWN);
  }
}
