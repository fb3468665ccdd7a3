import { type ComponentType, lazy, Suspense, useEffect } from 'react';
import { Frame } from './components/frame.tsx';
import { FailureState, LoadingPlaceholder } from './components/states.tsx';
import { Toasts } from './components/toasts.tsx';
import { usePageUrl } from './data/route.ts';
import { loadSession, useSession } from './data/session.ts';
import { DocumentsPage } from './pages/documents.tsx';
import { NotFoundPage } from './pages/not-found.tsx';
import { SessionEnded } from './pages/session-ended.tsx';
import { FirstPasswordPage, InvitationPage, SignInPage } from './pages/sign-in.tsx';

/** Pages by the first segment of their path. Rarely used pages are loaded on demand. */
const PAGES: ReadonlyMap<string, ComponentType> = new Map<string, ComponentType>([
  ['', DocumentsPage],
  ['documents', DocumentsPage],
  ['sign-in', DocumentsPage],
  ['tokens', lazy(() => import('./pages/tokens.tsx'))],
  ['webhooks', lazy(() => import('./pages/webhooks.tsx'))],
  ['log', lazy(() => import('./pages/log.tsx'))],
  ['usage', lazy(() => import('./pages/usage.tsx'))],
  ['users', lazy(() => import('./pages/users.tsx'))],
  ['account', lazy(() => import('./pages/account.tsx'))],
  ['trash', lazy(() => import('./pages/trash.tsx'))],
]);

const DocsPage = lazy(() => import('./pages/docs.tsx'));
const DocumentPage = lazy(() => import('./pages/document.tsx'));

export function App() {
  const session = useSession();
  useEffect(() => void loadSession(), []);
  return (
    <>
      <CurrentPage />
      {session.kind === 'ended' ? <SessionEnded me={session.me} /> : null}
      <Toasts />
    </>
  );
}

/** Renders the page for the current address and session. */
function CurrentPage() {
  const { pathname } = usePageUrl();
  const session = useSession();
  const [, first = '', second = ''] = pathname.split('/');
  if (first === 'invite') return <InvitationPage />;
  if (first === 'docs') return <FramedPage page={DocsPage} />;
  const page = PAGES.get(first);
  if (page === undefined) return <FramedPage page={NotFoundPage} />;
  if (session.kind === 'asking') return <LoadingPlaceholder />;
  if (session.kind === 'unreachable')
    return <FailureState failure={session.failure} onRetry={() => void loadSession()} />;
  if (session.kind === 'signedOut') return <SignInPage />;
  if (session.kind === 'signedIn' && session.me.mustChangePassword) return <FirstPasswordPage />;
  if (first === 'documents' && second !== '') {
    return (
      <Suspense fallback={<LoadingPlaceholder />}>
        <DocumentPage key={second} />
      </Suspense>
    );
  }
  return <FramedPage page={page} />;
}

function FramedPage({ page: Page }: { readonly page: ComponentType }) {
  return (
    <Frame>
      <Suspense
        fallback={
          <div className="page">
            <LoadingPlaceholder />
          </div>
        }
      >
        <Page />
      </Suspense>
    </Frame>
  );
}
