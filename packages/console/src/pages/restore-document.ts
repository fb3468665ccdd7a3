import { describeFailure } from '../components/states.tsx';
import { showToast } from '../components/toasts.tsx';
import { restoreDocument } from '../data/documents.ts';
import type { TrashedDocument } from '../data/types.ts';
import { t } from '../text/index.ts';

/** Restores a deleted document and shows the outcome. */
export async function restoreWithNotice({ id, title }: Pick<TrashedDocument, 'id' | 'title'>): Promise<void> {
  const answer = await restoreDocument(id);
  if (answer.ok) showToast('good', t.trash.restored(title));
  else showToast('bad', describeFailure(answer));
}
