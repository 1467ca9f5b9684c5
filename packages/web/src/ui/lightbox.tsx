import { Download, X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import { cx } from './class-names.ts';
import { IconButton } from './icon-button.tsx';

/** A picture that opens in full size. Its thumbnail is the button. */
export function Lightbox({
  src,
  name,
  className,
  children,
}: {
  readonly src: string;
  readonly name: string;
  readonly className?: string;
  /** The thumbnail. */
  readonly children: ReactNode;
}) {
  return (
    <Dialog.Root>
      <Dialog.Trigger asChild>
        <button type="button" aria-label={`View ${name}`} title={name} className={className}>
          {children}
        </button>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Content
          aria-describedby={undefined}
          className="fade fixed inset-0 z-40 flex flex-col bg-background outline-none"
        >
          <header className="flex h-12 shrink-0 items-center gap-1 px-2 md:px-4">
            <Dialog.Title className="min-w-0 flex-1 truncate px-1.5 font-medium">
              {name}
            </Dialog.Title>
            <a
              href={src}
              download={name}
              aria-label={`Download ${name}`}
              title="Download"
              className="inline-flex size-9 items-center justify-center rounded-lg text-muted hover:bg-hover hover:text-text pointer-coarse:size-11"
            >
              <Download aria-hidden className="size-4" />
            </a>
            <Dialog.Close asChild>
              <IconButton label="Close">
                <X />
              </IconButton>
            </Dialog.Close>
          </header>
          <Picture src={src} name={name} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Fits the window; a click shows its pixels. */
function Picture({ src, name }: { readonly src: string; readonly name: string }) {
  const [actual, setActual] = useState(false);
  return (
    <div className="flex min-h-0 flex-1 overflow-auto p-4 pt-0">
      <button
        type="button"
        aria-pressed={actual}
        aria-label="Actual size"
        className={cx(
          'm-auto',
          actual ? 'shrink-0 cursor-zoom-out!' : 'h-full w-full min-w-0 cursor-zoom-in!',
        )}
        onClick={() => setActual(!actual)}
      >
        <img
          src={src}
          alt={name}
          className={actual ? 'max-w-none' : 'size-full object-scale-down'}
        />
      </button>
    </div>
  );
}
