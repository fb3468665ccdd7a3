import { useState } from 'react';
import { Check, Field, Select } from '../components/field.tsx';
import { navigate, usePageUrl } from '../data/route.ts';
import type { Document } from '../data/types.ts';
import { dateText, t } from '../text/index.ts';

/** With more documents than that a list of them can be searched. */
const MAX_WITHOUT_SEARCH = 8;

/** The document that a page is about, as its address names it (`?document=…`); else the first of them. */
export function chosenDocument(documents: readonly Document[], place: URL): Document | undefined {
  const wanted = place.searchParams.get('document');
  return documents.find(({ id }) => id === wanted) ?? documents[0];
}

/** What documents are called in lists: those with equal titles are told apart by when they were changed, and their ids. */
export function documentNames(documents: readonly Document[]): ReadonlyMap<string, string> {
  const titles = Map.groupBy(documents, ({ title }) => title);
  return new Map(
    documents.map(({ id, title, updatedAt }) => {
      const isOnly = titles.get(title)?.length === 1;
      const name = title || t.documents.untitled;
      return [id, isOnly ? name : `${name} · ${dateText(updatedAt)} · ${id.slice(0, 8)}`];
    }),
  );
}

/** Whether a document's name or id has a text. */
function matchesSearch(id: string, names: ReadonlyMap<string, string>, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  return id.startsWith(wanted) || names.get(id)?.toLowerCase().includes(wanted) === true;
}

interface DocumentSearchProps {
  /** Documents that there are: few of them need no search. */
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
  /** The id; empty: none is chosen yet. */
  readonly chosen: string;
  /** What stands for none; absent: one is always chosen. */
  readonly none?: string;
  /** In a form. */
  readonly name?: string;
  readonly onChoose: (id: string) => void;
}

/** Chooses one of many documents; a search narrows the list. */
export function DocumentSelect({ label, documents, chosen, none, name, onChoose }: DocumentSelectProps) {
  const [text, setText] = useState('');
  const names = documentNames(documents);
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
          .filter(({ id }) => id === chosen || matchesSearch(id, names, text))
          .map(({ id }) => (
            <option key={id} value={id}>
              {names.get(id)}
            </option>
          ))}
      </Select>
    </>
  );
}

/** Check boxes for some of many documents, `documents` in a form; a search hides the others, which stay checked. */
export function DocumentChecks({ documents }: { readonly documents: readonly Document[] }) {
  const [text, setText] = useState('');
  const names = documentNames(documents);
  return (
    <>
      <DocumentSearch count={documents.length} text={text} onText={setText} />
      {documents.map(({ id }) => (
        <div key={id} hidden={!matchesSearch(id, names, text)}>
          <Check name="documents" value={id} label={names.get(id)} />
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

/** Chooses the document that a page is about. */
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
