import type { Retry } from '@chatd/protocol';
import { safeText } from '../../markdown/safe-text.ts';
import { Notice } from '../../ui/notice.tsx';
import { useNow } from '../../ui/use-now.ts';
import { adviceFor } from './advice.ts';

/** The reason and time of the next retry. */
export function RetryNotice({ retry }: { readonly retry: Retry }) {
  const seconds = useCountdown(Date.parse(retry.retrying_at));
  return (
    <section aria-label="Retry">
      <Notice kind="warn" title={adviceFor(retry.kind).title}>
        <p className="text-sm">
          {seconds > 0
            ? `Retrying in ${seconds} s (attempt ${retry.attempt + 1})`
            : `Retrying now (attempt ${retry.attempt + 1})`}
        </p>
        <details className="text-sm text-muted">
          <summary className="cursor-pointer">
            {[retry.provider, retry.status_code].filter((fact) => fact !== undefined).join(' · ')}
          </summary>
          <p className="wrap-anywhere whitespace-pre-wrap">{safeText(retry.error)}</p>
        </details>
      </Notice>
    </section>
  );
}

/** Twice a second, so that no second is skipped. */
const useCountdown = (until: number): number =>
  Math.max(0, Math.ceil((until - useNow(true, 500)) / 1000));
