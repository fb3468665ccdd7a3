import type { ShowMade } from '../../service/document/create.ts';
import type { Call } from '../call.ts';

/** Returns a function that adds the addresses of a document's content, for answers about one document. */
export function createDocumentView({ addressOf }: Call): ShowMade {
  return (document) => {
    const address = addressOf(document.id);
    return { document: { ...document, content: { contentUrl: `${address}/content`, stylesUrl: `${address}/styles` } } };
  };
}
