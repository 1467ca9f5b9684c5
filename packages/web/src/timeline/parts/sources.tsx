import type { SourcePart } from '@chatd/protocol';
import { Globe } from 'lucide-react';
import { targetOf } from '../../markdown/render/link.tsx';
import { safeText } from '../../markdown/safe-text.ts';

/** What an answer rests on. */
export function Sources({ sources }: { readonly sources: readonly SourcePart[] }) {
  const unique = [...new Map(sources.map((source) => [source.url, source])).values()];
  return (
    <ul aria-label="Sources" className="flex flex-wrap gap-1.5">
      {unique.map((source) => (
        <Source key={source.url} source={source} />
      ))}
    </ul>
  );
}

function Source({ source }: { readonly source: SourcePart }) {
  const url = targetOf(source.url);
  const place = url?.host.replace(/^www\./, '') ?? source.url.slice(0, 60);
  const title = source.title?.trim() ?? '';
  const look =
    'flex max-w-72 items-center gap-1.5 rounded-full border border-line px-2.5 py-0.5 text-sm';
  const content = (
    <>
      <Globe aria-hidden className="size-3.5 shrink-0 text-muted" />
      {title !== '' && <span className="truncate">{safeText(title)}</span>}
      <span className="truncate text-muted">{safeText(place)}</span>
    </>
  );
  return (
    <li className="min-w-0">
      {url === undefined ? (
        <span className={look}>{content}</span>
      ) : (
        <a
          href={url.href}
          title={url.href}
          target="_blank"
          rel="noopener noreferrer nofollow"
          className={`${look} hover:bg-hover`}
        >
          {content}
        </a>
      )}
    </li>
  );
}
