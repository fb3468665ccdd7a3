import { useState } from 'react';
import { Checkbox, Field, Select } from '../components/field.tsx';
import { navigate, usePageUrl } from '../data/route.ts';
import type { Document } from '../data/types.ts';
import { formatDate, t } from '../text/index.ts';

/** Longer lists of documents have a search. */
const MAX_WITHOUT_SEARCH = 8;

/** The document in the page's address (`?document=…`); else the first. */
export function findChosenDocument(documents: readonly Document[], address: URL): Document | undefined {
  const requestedId = address.searchParams.get('document');
  return documents.find(({ id }) => id === requestedId) ?? documents[0];
}

/** Names of documents in lists, by id. Equal titles get the time of the last change and the id. */
export function createDocumentNames(
  documents: readonly Pick<Document, 'id' | 'title' | 'updatedAt'>[],
): ReadonlyMap<string, string> {
  const titles = Map.groupBy(documents, ({ title }) => title);
  return new Map(
    documents.map(({ id, title, updatedAt }) => {
      const isOnly = titles.get(title)?.length === 1;
      const name = title || t.documents.untitled;
      return [id, isOnly ? name : `${name} · ${formatDate(updatedAt)} · ${id.slice(0, 8)}`];
    }),
  );
}

/** True if a document's name or id contains a text. */
function isSearchMatch(id: string, names: ReadonlyMap<string, string>, text: string): boolean {
  const query = text.trim().toLowerCase();
  return id.startsWith(query) || names.get(id)?.toLowerCase().includes(query) === true;
}

interface DocumentSearchProps {
  /** Number of documents. A few need no search. */
  readonly count: number;
  readonly text: string;
  readonly onText: (text: string) => void;
}

function DocumentSearch({ count, text, onText }: DocumentSearchProps) {
  if (count <= MAX_WITHOUT_SEARCH) return null;
  return (
    <Field
      label={t.documents.search}
      type="search"
      value={text}
      onChange={({ currentTarget }) => onText(currentTarget.value)}
    />
  );
}

interface DocumentSelectProps {
  readonly label: string;
  readonly documents: readonly Document[];
  /** Id of the chosen document; empty if none is chosen. */
  readonly chosen: string;
  /** Label for no document; absent if a choice is required. */
  readonly none?: string;
  /** Name of the form field. */
  readonly name?: string;
  readonly onChoose: (id: string) => void;
}

/** A select of documents with a search. */
export function DocumentSelect({ label, documents, chosen, none, name, onChoose }: DocumentSelectProps) {
  const [text, setText] = useState('');
  const names = createDocumentNames(documents);
  return (
    <>
      <DocumentSearch count={documents.length} text={text} onText={setText} />
      <Select
        label={label}
        name={name}
        value={chosen}
        required={name !== undefined}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      >
        {none === undefined ? null : <option value="">{none}</option>}
        {documents
          .filter(({ id }) => id === chosen || isSearchMatch(id, names, text))
          .map(({ id }) => (
            <option key={id} value={id}>
              {names.get(id)}
            </option>
          ))}
      </Select>
    </>
  );
}

/** Check boxes for documents, `documents` in a form. The search hides some of them; hidden ones stay checked. */
export function DocumentChecks({ documents }: { readonly documents: readonly Document[] }) {
  const [text, setText] = useState('');
  const names = createDocumentNames(documents);
  return (
    <>
      <DocumentSearch count={documents.length} text={text} onText={setText} />
      {documents.map(({ id }) => (
        <div key={id} hidden={!isSearchMatch(id, names, text)}>
          <Checkbox name="documents" value={id} label={names.get(id)} />
        </div>
      ))}
    </>
  );
}

interface DocumentChoiceProps {
  readonly label: string;
  readonly documents: readonly Document[];
  readonly chosen: Document;
}

/** Selects the document of a page. */
export function DocumentChoice({ label, documents, chosen }: DocumentChoiceProps) {
  const { pathname } = usePageUrl();
  return (
    <DocumentSelect
      label={label}
      documents={documents}
      chosen={chosen.id}
      onChoose={(id) => navigate(`${pathname}?document=${id}`, true)}
    />
  );
}
