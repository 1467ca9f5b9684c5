import { ExternalLink, ImageIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { safeText } from '../safe-text.ts';

/** Web and mail links only. All others are shown as text. */
export function targetOf(href: string): URL | undefined {
  const url = /^(?:https?|mailto):/i.test(href) ? URL.parse(href) : null;
  return url ?? undefined;
}

/** The host as the browser resolves it: look-alike letters appear as punycode (xn--…). */
const placeOf = (url: URL): string =>
  url.protocol === 'mailto:' ? url.pathname : url.host.replace(/^www\./, '');

/** Shows its real target, whatever its text claims. */
export function Link({
  href,
  written,
  children,
}: {
  readonly href: string;
  /** `linkify` or `autolink` when the URL is the text. */
  readonly written?: string;
  readonly children: ReactNode;
}) {
  const url = targetOf(href);
  if (url === undefined) {
    return (
      <span>
        {children} <span className="text-sm text-muted">({shortened(href)})</span>
      </span>
    );
  }
  const saysPlace =
    Array.isArray(children) && children.length === 1 && children[0] === placeOf(url);
  const bare = saysPlace || written === 'linkify' || written === 'autolink';
  return (
    <>
      <a href={url.href} target="_blank" rel="noopener noreferrer nofollow" title={url.href}>
        {children}
      </a>
      {!bare && <span className="md-place"> {placeOf(url)}</span>}
    </>
  );
}

/** External images are never loaded automatically: that would tell their server who reads this, and when. */
export function ImageLink({ src, alt }: { readonly src: string; readonly alt: string }) {
  const url = targetOf(src);
  const name = alt.trim() === '' ? 'Image' : safeText(alt);
  return (
    <span className="md-image">
      <ImageIcon aria-hidden className="size-4 shrink-0" />
      <span className="min-w-0">
        {name} <span className="text-muted">{shortened(url?.href ?? src)}</span>
      </span>
      {url !== undefined && (
        <a href={url.href} target="_blank" rel="noopener noreferrer nofollow">
          Open image
          <ExternalLink aria-hidden className="ml-1 inline size-3.5" />
        </a>
      )}
    </span>
  );
}

const shortened = (address: string): string =>
  safeText(address.length > 120 ? `${address.slice(0, 120)}…` : address);
