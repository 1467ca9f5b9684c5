import type { Chat, WorkspaceDiff } from '@chatd/protocol';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useId } from 'react';
import { safeText } from '../../markdown/safe-text.ts';
import { useCell } from '../../state/cell.ts';
import { Badge, type BadgeKind } from '../../ui/badge.tsx';
import { Counts } from './counts.tsx';
import { diffLayout } from './diff-layout.ts';
import { LinesFrame } from './lines-frame.tsx';
import type { Hunk } from './patch.ts';

export type FileChange = WorkspaceDiff['repositories'][number]['files'][number];

const STATUS: Record<FileChange['status'], readonly [string, BadgeKind]> = {
  added: ['new', 'good'],
  modified: ['changed', 'plain'],
  deleted: ['deleted', 'bad'],
  renamed: ['renamed', 'info'],
  type_changed: ['type changed', 'plain'],
};

/** A collapsible file with its changed lines. */
export function ChangedFile({
  chat,
  file,
  path,
  hunks,
  open,
  onToggle,
}: {
  readonly chat: Chat;
  readonly file: FileChange;
  /** Relative to the workspace root. */
  readonly path: string;
  /** Undefined: the patch was truncated before it. */
  readonly hunks: readonly Hunk[] | undefined;
  readonly open: boolean;
  readonly onToggle: () => void;
}) {
  const body = useId();
  const [word, kind] = STATUS[file.status];
  const Turn = open ? ChevronDown : ChevronRight;
  return (
    <section aria-label={path} data-path={path} className="border-b border-line">
      <h3 className="sticky top-0 z-10 flex bg-background">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={body}
          className="flex min-w-0 flex-1 items-center gap-2 px-3 py-1.5 text-left text-sm -outline-offset-2 hover:bg-hover"
          onClick={onToggle}
        >
          <Turn aria-hidden className="size-4 shrink-0 text-muted" />
          <span dir="ltr" className="min-w-0 flex-1 font-medium wrap-anywhere">
            {file.old_path !== undefined && (
              <span className="text-muted">{safeText(file.old_path)} → </span>
            )}
            {safeText(path)}
          </span>
          <Badge kind={kind}>{word}</Badge>
          <Counts additions={file.additions} deletions={file.deletions} />
        </button>
      </h3>
      <div id={body}>{open && <Body chat={chat} file={file} path={path} hunks={hunks} />}</div>
    </section>
  );
}

function Body({
  chat,
  file,
  path,
  hunks,
}: {
  readonly chat: Chat;
  readonly file: FileChange;
  readonly path: string;
  readonly hunks: readonly Hunk[] | undefined;
}) {
  const layout = useCell(diffLayout);
  if (file.binary) return <Remark>Binary file</Remark>;
  if (hunks === undefined) {
    return <Remark>Too large to show here. Use the terminal to view it.</Remark>;
  }
  if (hunks.length === 0) return <Remark>Content unchanged</Remark>;
  return <LinesFrame chat={chat} path={path} hunks={hunks} layout={layout} />;
}

const Remark = ({ children }: { readonly children: string }) => (
  <p className="px-3 py-2 text-sm text-muted">{children}</p>
);
