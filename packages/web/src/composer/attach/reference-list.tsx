import { Braces, X } from 'lucide-react';
import { useCell } from '../../state/cell.ts';
import type { ComposerState } from '../../state/composer-state.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { announce } from '../announcements.tsx';
import { linesOf } from './lines.ts';

/** File lines that the message refers to, added from the side panel. */
export function ReferenceList({ composing }: { readonly composing: ComposerState }) {
  const references = useCell(composing.references);
  if (references.length === 0) return null;
  return (
    <ul aria-label="Referenced lines" className="flex flex-wrap gap-2">
      {references.map((reference, index) => {
        const name = reference.file_name.slice(reference.file_name.lastIndexOf('/') + 1);
        const lines = linesOf(reference);
        return (
          <li
            // The same lines can be added twice.
            // oxlint-disable-next-line react/no-array-index-key
            key={index}
            className="flex h-8 max-w-full min-w-0 items-center gap-1.5 rounded-lg border border-line bg-background pr-0.5 pl-2 text-sm"
            title={`${reference.file_name}, ${lines}\n\n${reference.content}`}
          >
            <Braces aria-hidden className="size-3.5 shrink-0 text-muted" />
            <span className="truncate font-medium">{name}</span>
            <span className="shrink-0 text-muted">{lines}</span>
            <IconButton
              label={`Remove ${name}, ${lines}`}
              size="small"
              onClick={() => {
                composing.references.update((all) => all.toSpliced(index, 1));
                announce(`Removed ${name}, ${lines}`);
                composing.focus();
              }}
            >
              <X />
            </IconButton>
          </li>
        );
      })}
    </ul>
  );
}
