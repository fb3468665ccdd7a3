import type { ShowDocument } from '../../service/document/create.ts';
import type { Call } from '../call.ts';

/** Shows a document with the addresses of its content, as answers about one document do. */
export function createDocumentView({ addressOf }: Call): ShowDocument {
  return (document) => {
    const address = addressOf(document.id);
    return { document: { ...document, content: { contentUrl: `${address}/content`, stylesUrl: `${address}/styles` } } };
  };
}
