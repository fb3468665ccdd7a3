import { Select } from '../components/field.tsx';
import { navigate, usePlace } from '../data/route.ts';
import type { Document } from '../data/types.ts';

/** The document that a page is about, as its address names it (`?document=…`); else the first of them. */
export function chosenOf(documents: readonly Document[], place: URL): Document | undefined {
  const wanted = place.searchParams.get('document');
  return documents.find(({ id }) => id === wanted) ?? documents[0];
}

interface DocumentChoiceProps {
  readonly label: string;
  readonly documents: readonly Document[];
  readonly chosen: Document;
}

/** Chooses that document. */
export function DocumentChoice({ label, documents, chosen }: DocumentChoiceProps) {
  const { pathname } = usePlace();
  return (
    <Select
      label={label}
      value={chosen.id}
      onChange={(event) => navigate(`${pathname}?document=${event.currentTarget.value}`, true)}
    >
      {documents.map(({ id, title }) => (
        <option key={id} value={id}>
          {title}
        </option>
      ))}
    </Select>
  );
}
