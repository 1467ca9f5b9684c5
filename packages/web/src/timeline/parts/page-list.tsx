import { pageName, type WebPage } from '@chatd/protocol/presentation';
import { targetOf } from '../../markdown/render/link.tsx';
import { safeText } from '../../markdown/safe-text.ts';

interface Page extends WebPage {
  /** The citation number in the text. */
  readonly number?: number;
}

export function PageList({
  label,
  pages,
}: {
  readonly label: string;
  readonly pages: readonly Page[];
}) {
  return (
    <ul aria-label={label} className="flex flex-col gap-1.5 py-0.5">
      {pages.map((page) => (
        <li key={page.url} className="flex min-w-0 gap-2">
          {page.number !== undefined && (
            <span className="min-w-5 shrink-0 text-right tabular-nums">{page.number}.</span>
          )}
          <PageLink page={page} />
        </li>
      ))}
    </ul>
  );
}

function PageLink({ page: { url, title } }: { readonly page: WebPage }) {
  const target = targetOf(url);
  const name = safeText(title ?? pageName(url));
  if (target === undefined) return <span className="min-w-0 truncate text-text">{name}</span>;
  return (
    <a
      href={target.href}
      title={target.href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="flex min-w-0 flex-wrap gap-x-2 text-text underline-offset-2 hover:underline"
    >
      <span className="line-clamp-2 min-w-0 wrap-anywhere">{name}</span>
      <span className="min-w-0 truncate text-muted">{target.host.replace(/^www\./, '')}</span>
    </a>
  );
}
