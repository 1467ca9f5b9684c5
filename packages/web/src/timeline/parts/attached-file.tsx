import type { FilePart } from '@chatd/protocol';
import { Download, FileText } from 'lucide-react';
import { useState } from 'react';
import { useFileUrl } from '../../api/file-url.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { Lightbox } from '../../ui/lightbox.tsx';

/** Images that browsers render without executing anything. */
const PICTURE = /^image\/(?:png|jpeg|gif|webp|avif)$/;

/** A file of a message, in a box of fixed size. */
export function AttachedFile({ part }: { readonly part: FilePart }) {
  const [broken, setBroken] = useState(false);
  const href = useFileUrl(part.file_id);
  const name = safeText(part.name ?? 'File');
  if (href !== undefined && PICTURE.test(part.media_type) && !broken) {
    return (
      <Lightbox src={href} name={name} className="block max-w-full cursor-zoom-in! rounded-lg">
        <img
          src={href}
          alt={name}
          loading="lazy"
          decoding="async"
          onError={() => setBroken(true)}
          className="h-40 max-w-full rounded-lg border border-line bg-surface object-contain"
        />
      </Lightbox>
    );
  }
  return (
    <a
      href={href}
      download={part.name ?? ''}
      className="inline-flex max-w-full items-center gap-2 rounded-lg border border-line bg-raised px-3 py-1.5 text-sm hover:bg-hover"
    >
      <FileText aria-hidden className="size-4 shrink-0 text-muted" />
      <span className="truncate">{name}</span>
      <span className="shrink-0 text-muted">{safeText(part.media_type)}</span>
      <Download aria-hidden className="size-4 shrink-0 text-muted" />
    </a>
  );
}
