import type { ReactNode } from 'react';
import type { Failure } from '../data/http.ts';
import type { Loaded } from '../data/use-load.ts';
import { t, translateServiceText } from '../text/index.ts';
import { Icon, type IconName } from './icon.tsx';
import { Link } from './link.tsx';

interface StateProps {
  readonly icon: IconName;
  readonly title: string;
  readonly text?: string;
  readonly children?: ReactNode;
}

/** Shows that a list is empty, and what to do about it. */
export function EmptyState({ icon, title, text, children }: StateProps) {
  return (
    <div className="state">
      <Icon name={icon} />
      <h2>{title}</h2>
      {text === undefined ? null : <p>{text}</p>}
      {children}
    </div>
  );
}

/** Shows that data is loading. */
export function LoadingPlaceholder() {
  return (
    <div className="skeleton" role="status" aria-label={t.loading}>
      <i />
      <i />
      <i />
      <i />
      <i />
    </div>
  );
}

/** Returns the text to show for a failed call. */
export function describeFailure({ status, message, errors, body }: Failure): string {
  if (status === 0) return t.failures.unreachable;
  if (status === 403) return message === '' ? t.failures.forbidden : translateServiceText(message);
  if (status === 429) return t.failures.tooMany(Number(body['retryAfter'] ?? 1));
  if (status === 503) return t.failures.busy;
  if (status >= 500) return t.failures.broken;
  const first = Object.values(errors)[0]?.[0];
  return translateServiceText(message || (first ?? '')) || t.failures.refused(status);
}

/** Shows a failure instead of a page or a part of it. */
export function FailureState({ failure, onRetry }: { readonly failure: Failure; readonly onRetry?: () => void }) {
  const isForbidden = failure.status === 403;
  const title =
    failure.status === 0
      ? t.failures.offline
      : isForbidden
        ? t.failures.noAccess
        : failure.status === 404
          ? t.failures.notFound
          : t.failures.title;
  return (
    <div role="alert">
      <EmptyState
        icon={isForbidden ? 'lock' : 'alert'}
        title={title}
        text={failure.status === 404 ? t.failures.notFoundHint : describeFailure(failure)}
      >
        {failure.status === 404 ? (
          <Link className="button" href="/">
            {t.nowhere.home}
          </Link>
        ) : onRetry === undefined ? null : (
          <button type="button" className="button" onClick={onRetry}>
            <Icon name="refresh" />
            {t.tryAgain}
          </button>
        )}
      </EmptyState>
    </div>
  );
}

interface LoadedViewProps<T> {
  readonly loaded: Loaded<T>;
  readonly children: (value: T) => ReactNode;
}

/** Shows loaded data, a progress state before it arrives, or the failure. */
export function LoadedView<T>({ loaded, children }: LoadedViewProps<T>) {
  const { value, failure, reload } = loaded;
  if (value !== null) return children(value);
  if (failure !== null) return <FailureState failure={failure} onRetry={reload} />;
  return <LoadingPlaceholder />;
}

/** A highlighted message: an error, a warning or a success. */
export function Notice({ kind, children }: { readonly kind: 'bad' | 'warn' | 'good'; readonly children: ReactNode }) {
  return (
    <div className={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
      <Icon name={kind === 'good' ? 'check' : 'alert'} />
      <div>{children}</div>
    </div>
  );
}
