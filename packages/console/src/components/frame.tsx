import type { ReactNode } from 'react';
import { useOnline } from '../data/connection.ts';
import { navigate, usePageUrl } from '../data/route.ts';
import { getSignedInUser, signOut, useSession } from '../data/session.ts';
import { chooseTheme, readTheme, THEMES } from '../data/theme.ts';
import { chooseLanguage, LANGUAGES, type Language, language, t } from '../text/index.ts';
import { Icon, Logo } from './icon.tsx';
import { Link } from './link.tsx';
import { Menu, type MenuItem } from './menu.tsx';
import { describeFailure } from './states.tsx';
import { showToast } from './toasts.tsx';

const PAGES = [
  ['/', t.nav.documents],
  ['/tokens', t.nav.tokens],
  ['/webhooks', t.nav.webhooks],
  ['/log', t.nav.log],
  ['/usage', t.nav.usage],
  ['/users', t.nav.users],
  ['/docs', t.nav.docs],
] as const;

/** Layout of a page: navigation, user menu and content. */
export function Frame({ children }: { readonly children: ReactNode }) {
  const { pathname } = usePageUrl();
  const isOnline = useOnline();
  const isHere = (path: string) => (path === '/' ? pathname === '/' : pathname.startsWith(path));
  return (
    <div className="frame">
      <a className="button skip" href="#content">
        {t.skip}
      </a>
      <header className="top">
        <Link className="brand" href="/" aria-label="Cellwire">
          <Logo />
          <span className="only-wide">Cellwire</span>
        </Link>
        <nav className="nav" aria-label={t.nav.label}>
          {PAGES.map(([path, text]) => (
            <Link key={path} href={path} aria-current={isHere(path) ? 'page' : undefined}>
              {text}
            </Link>
          ))}
        </nav>
        <span className="grow only-narrow" />
        <span className="only-narrow">
          <Menu label={t.nav.menu} items={PAGES.map(([path, text]) => ({ text, onPick: () => navigate(path) }))}>
            <Icon name="menu" />
          </Menu>
        </span>
        <UserMenu />
      </header>
      <main id="content" tabIndex={-1}>
        {isOnline ? null : (
          <div className="offline" role="status">
            {t.offline}
          </div>
        )}
        {children}
      </main>
    </div>
  );
}

/** The menu of the signed-in user: account, theme, language and sign-out. */
export function UserMenu() {
  const session = useSession();
  const looks: MenuItem[] = [
    { caption: t.nav.theme },
    ...THEMES.map(
      (name): MenuItem => ({
        text: t.nav.themes[name],
        ...(readTheme() === name ? { icon: 'check' } : {}),
        onPick: () => chooseTheme(name),
      }),
    ),
    { caption: t.nav.language },
    ...(Object.keys(LANGUAGES) as Language[]).map(
      (name): MenuItem => ({
        text: LANGUAGES[name],
        ...(language === name ? { icon: 'check' } : {}),
        onPick: () => chooseLanguage(name),
      }),
    ),
  ];
  const me = getSignedInUser(session);
  if (me === null) return <Menu label={t.nav.theme} items={looks} />;
  const { name } = me.user;
  const items: MenuItem[] = [
    { caption: t.nav.user(name) },
    { text: t.nav.account, icon: 'key', onPick: () => navigate('/account') },
    { text: t.nav.signOut, onPick: () => void signOutWithNotice() },
    ...looks,
  ];
  return (
    <Menu label={t.nav.user(name)} items={items} className="button quiet">
      <span className="avatar" data-letter={name.trim().charAt(0).toUpperCase()} />
      <span className="only-wide">{name}</span>
    </Menu>
  );
}

/** Signs out. A failure is shown because the person must not leave a computer signed in without knowing. */
export async function signOutWithNotice(everywhere = false): Promise<void> {
  const failure = await signOut(everywhere);
  if (failure !== null) showToast('bad', t.nav.notSignedOut(describeFailure(failure)));
}

interface PageProps {
  readonly title: string;
  readonly text?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page with a heading. */
export function Page({ title, text, actions, children }: PageProps) {
  return (
    <div className="page">
      <div className="head">
        <div className="words">
          <h1>{title}</h1>
          {text === undefined ? null : <p className="muted">{text}</p>}
        </div>
        {actions}
      </div>
      {children}
    </div>
  );
}

/** Layout of the pages before signing in. */
export function SignInLayout({ children }: { readonly children: ReactNode }) {
  return (
    <div className="entrance">
      <main>
        <div className="entrance-head">
          <div className="brand">
            <Logo />
            Cellwire
          </div>
          <UserMenu />
        </div>
        <div className="card">{children}</div>
      </main>
    </div>
  );
}
