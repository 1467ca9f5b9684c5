import { Paperclip } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import type { ComposerState } from '../../state/composer-state.ts';
import { attach, reportUnreadable } from './attachments.ts';

const hasFiles = ({ dataTransfer }: DragEvent): boolean =>
  dataTransfer?.types.includes('Files') ?? false;

/** Attaches files dropped anywhere on the page, unless another element handles the drop. */
export function FileDrop({ composing }: { readonly composing: ComposerState }) {
  const [over, setOver] = useState(false);
  const drop = useEffectEvent((event: DragEvent) => {
    setOver(false);
    if (event.defaultPrevented || !hasFiles(event) || event.dataTransfer === null) return;
    event.preventDefault();
    takeFiles(composing, event.dataTransfer);
    composing.focus();
  });
  useEffect(() => {
    // A child is entered before its parent is left.
    let depth = 0;
    const enter = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth += 1;
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth = Math.max(0, depth - 1);
      if (depth === 0) setOver(false);
    };
    const hover = (event: DragEvent) => {
      // Otherwise the browser would open the file.
      if (hasFiles(event)) event.preventDefault();
    };
    const dropped = (event: DragEvent) => {
      depth = 0;
      drop(event);
    };
    addEventListener('dragenter', enter);
    addEventListener('dragleave', leave);
    addEventListener('dragover', hover);
    addEventListener('drop', dropped);
    return () => {
      removeEventListener('dragenter', enter);
      removeEventListener('dragleave', leave);
      removeEventListener('dragover', hover);
      removeEventListener('drop', dropped);
    };
  }, []);
  if (!over) return null;
  return (
    <p className="pointer-events-none absolute inset-0 z-10 flex items-center justify-center gap-2 rounded-3xl border-2 border-dashed border-accent bg-raised/95 px-4 text-center font-medium">
      <Paperclip aria-hidden className="size-4 shrink-0" />
      Drop files to attach them, up to 10 MiB each
    </p>
  );
}

function takeFiles(composing: ComposerState, { items, files }: DataTransfer): void {
  const folders = Array.from(items).flatMap((item) => {
    const entry = item.kind === 'file' ? item.webkitGetAsEntry() : null;
    return entry?.isDirectory === true ? [entry.name] : [];
  });
  attach(
    composing,
    Array.from(files).filter(({ name }) => !folders.includes(name)),
  );
  for (const name of folders) {
    reportUnreadable(composing, name, 'Folders cannot be attached. Drop the files instead.');
  }
}
