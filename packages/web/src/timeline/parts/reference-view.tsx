import type { FileReferencePart } from '@chatd/protocol';
import { FileCode } from 'lucide-react';
import { Code } from '../../markdown/code.tsx';
import { safeText } from '../../markdown/safe-text.ts';

const SHOWN = 4000;

/** File lines that the user referred to. */
export function ReferenceView({ part }: { readonly part: FileReferencePart }) {
  const { file_name: name, start_line: first, end_line: last, content } = part;
  const lines = first === last ? `line ${first}` : `lines ${first}–${last}`;
  return (
    <details className="min-w-0 overflow-hidden rounded-lg border border-line bg-raised text-sm">
      <summary className="flex cursor-pointer items-center gap-2 px-3 py-1.5">
        <FileCode aria-hidden className="size-4 shrink-0 text-muted" />
        <span className="truncate font-mono">{safeText(name)}</span>
        <span className="shrink-0 text-muted">{lines}</span>
      </summary>
      <pre className="max-h-72 overflow-auto border-t border-line bg-code px-3 py-2">
        <Code text={content.slice(0, SHOWN)} language={name.split('.').at(-1)} />
      </pre>
    </details>
  );
}
