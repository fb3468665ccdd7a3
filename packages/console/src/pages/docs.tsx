import clientsGuide from 'virtual:clients-guide';
import description from 'virtual:openapi';
import { useEffect, useState } from 'react';
import { Field } from '../components/field.tsx';
import { Link } from '../components/link.tsx';
import { renderCode } from '../components/render-code.tsx';
import { ScrollContainer } from '../components/scroll-container.tsx';
import { Code } from '../components/secret.tsx';
import { EmptyState, LoadingPlaceholder } from '../components/states.tsx';
import { listEndpoints } from '../data/openapi.ts';
import { usePageUrl } from '../data/route.ts';
import { getSignedInUser, useSession } from '../data/session.ts';
import { type FunctionInfo, listShownArguments, loadFunctionInfos } from '../grid/formula/function-info.ts';
import { guide } from '../text/guide.ts';
import type { GuideBlock, GuideSection } from '../text/guide-section.ts';
import { language, t } from '../text/index.ts';
import { EndpointCard } from './endpoint.tsx';
import { useDocumentTitle } from './sign-in.tsx';
import '../styles/docs.css';

const ENDPOINTS = listEndpoints(description);
const TAGS = [...new Set(ENDPOINTS.map(({ operation }) => operation.tags?.[0] ?? ''))].map(
  (tag) => [tag, tag] as const,
);

/** The guide, the API reference with a form for requests, and the functions of formulas. */
export default function DocsPage() {
  const { pathname } = usePageUrl();
  const part = pathname.split('/')[2] ?? '';
  useDocumentTitle(t.docs.title);
  const parts = [
    ['', t.docs.guide],
    ['clients', t.docs.clients],
    ['reference', t.docs.reference],
    ['functions', t.docs.functions],
  ] as const;
  const sections = part === '' ? guide : part === 'clients' ? clientsGuide : [];
  const chapters = part === 'reference' ? TAGS : sections.map(({ id, title }) => [id, title] as const);
  return (
    <div className="docs">
      <nav className="docs-nav" aria-label={t.docs.contents}>
        <h1>{t.docs.title}</h1>
        {parts.map(([name, text]) => (
          <Link
            key={name}
            href={name === '' ? '/docs' : `/docs/${name}`}
            aria-current={part === name ? 'page' : undefined}
          >
            {text}
          </Link>
        ))}
        {chapters.length === 0 ? null : <hr />}
        {chapters.map(([id, title]) => (
          <a key={id} href={`#${id}`}>
            {title}
          </a>
        ))}
      </nav>
      <article className="docs-text">
        {part === 'reference' ? (
          <ApiReference />
        ) : part === 'functions' ? (
          <FunctionReference />
        ) : (
          <Guide sections={part === 'clients' ? clientsGuide : guide} />
        )}
      </article>
    </div>
  );
}

function Guide({ sections }: { readonly sections: readonly GuideSection[] }) {
  return sections.map(({ id, title, blocks }) => (
    <section key={id} id={id}>
      <h2>{title}</h2>
      {blocks.map((block) => (
        <BlockView key={JSON.stringify(block)} block={block} />
      ))}
    </section>
  ));
}

function BlockView({ block }: { readonly block: GuideBlock }) {
  if ('text' in block) return <p>{renderCode(block.text)}</p>;
  if ('code' in block)
    return <Code label={block.label ?? ''} text={block.code.replaceAll('{origin}', location.origin)} />;
  return (
    <ScrollContainer className="card table-room">
      <table className="table">
        <tbody>
          {block.rows.map(([first = '', ...rest]) => (
            <tr key={first}>
              <td className="nowrap">
                <code>{first}</code>
              </td>
              {rest.map((text) => (
                <td key={text}>{renderCode(text)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollContainer>
  );
}

function ApiReference() {
  const [text, setText] = useState('');
  const session = useSession();
  const words = text.toLowerCase().split(/\s+/);
  const found = ENDPOINTS.filter(({ method, path, operation }) => {
    const all = `${method} ${path} ${operation.summary ?? ''} ${operation.operationId ?? ''}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  let tag: string | undefined;
  return (
    <>
      <Field
        label={t.docs.search}
        type="search"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <p className="muted">
        <code>{t.docs.scope}</code> {getSignedInUser(session) !== null ? '' : t.docs.signInToTry}
      </p>
      {found.length === 0 ? <EmptyState icon="find" title={t.docs.none} /> : null}
      {found.map((endpoint) => {
        const own = endpoint.operation.tags?.[0] ?? '';
        const isNew = own !== tag;
        tag = own;
        return (
          <div key={endpoint.id} className="stack">
            {isNew ? <h2 id={own}>{own}</h2> : null}
            <EndpointCard endpoint={endpoint} schemas={description.components?.schemas ?? {}} />
          </div>
        );
      })}
    </>
  );
}

function FunctionReference() {
  const [text, setText] = useState('');
  const [infos, setInfos] = useState<readonly FunctionInfo[] | null>(null);
  useEffect(() => void loadFunctionInfos(language).then((all) => setInfos([...all.values()])), []);
  if (infos === null) return <LoadingPlaceholder />;
  const query = text.trim().toUpperCase();
  const found = infos.filter(({ name, what }) => name.includes(query) || what.toUpperCase().includes(query));
  const families = Object.entries(t.families).filter(([family]) => found.some((info) => info.family === family));
  return (
    <>
      <Field
        label={t.docs.searchFunctions}
        type="search"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {families.map(([family, title]) => (
        <section key={family} className="stack">
          <h2>{title}</h2>
          <ScrollContainer className="card table-room">
            <table className="table functions">
              <tbody>{found.filter((info) => info.family === family).map(renderFunctionRow)}</tbody>
            </table>
          </ScrollContainer>
        </section>
      ))}
      {found.length === 0 ? <EmptyState icon="find" title={t.docs.noFunction} /> : null}
    </>
  );
}

function renderFunctionRow(info: FunctionInfo) {
  const { name, rest, what } = info;
  return (
    <tr key={name}>
      <td>
        <code className="function-call">
          <b>{name}</b>({[...listShownArguments(info), ...(rest.length > 0 ? ['…'] : [])].join('; ')})
        </code>
      </td>
      <td className="muted">{what}</td>
    </tr>
  );
}
