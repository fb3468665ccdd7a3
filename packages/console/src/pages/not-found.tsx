import { Page } from '../components/frame.tsx';
import { Link } from '../components/link.tsx';
import { t } from '../text/index.ts';
import { useDocumentTitle } from './sign-in.tsx';

/** Page for an unknown address. */
export function NotFoundPage() {
  useDocumentTitle(t.nowhere.title);
  return (
    <Page title={t.nowhere.title} text={t.nowhere.text}>
      <div className="row">
        <Link className="button primary" href="/">
          {t.nowhere.home}
        </Link>
        <Link className="button" href="/docs">
          {t.nav.docs}
        </Link>
      </div>
    </Page>
  );
}
