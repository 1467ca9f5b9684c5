import type { WebPage } from '@chatd/protocol/presentation';
import { safeText } from '../safe-text.ts';
import { targetOf } from './link.tsx';

/** The number of a source after the text that cites it, linked if the source is a web page. */
export function CitationMark({
  number,
  source,
}: {
  readonly number: number;
  readonly source: WebPage | undefined;
}) {
  if (source === undefined) return null;
  const url = targetOf(source.url);
  const title = safeText(source.title ?? source.url);
  return (
    <sup className="md-cite">
      {url === undefined ? (
        <span title={title}>{number}</span>
      ) : (
        <a
          href={url.href}
          title={title}
          aria-label={`Source ${number}: ${title}`}
          target="_blank"
          rel="noopener noreferrer nofollow"
        >
          {number}
        </a>
      )}
    </sup>
  );
}
