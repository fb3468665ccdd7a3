import type { ShowDocument } from '../../service/document/create.ts';
import type { Call } from '../call.ts';

/** Returns a function that adds the addresses of a document's content, for answers about one document. */
export function createDocumentView({ formatDocumentUrl }: Call): ShowDocument {
  return (document) => {
    const address = formatDocumentUrl(document.id);
    return { document: { ...document, content: { contentUrl: `${address}/content`, stylesUrl: `${address}/styles` } } };
  };
}
