import type { FileChange } from '@chatd/protocol/presentation';
import { FileDiff } from 'lucide-react';
import { counted } from '../../format/number.ts';
import { safeText } from '../../markdown/safe-text.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import { panelTab } from '../../state/layout.ts';
import { useFold } from '../../state/chat/folds.ts';
import type { ChangedFile } from '../rows/changed-files.ts';
import { TurnChange } from '../checkpoints/turn-change.tsx';
import { LineCounts } from '../tools/line-counts.tsx';

/** More files are shown on request. */
const SHOWN = 4;

/**
 * The files that the tools of a turn changed, with the lines that they wrote. If there is a checkpoint, its totals replace
 * them: they include changes by commands and open the diff.
 */
export function ChangedFiles({
  files,
  change,
  store,
  foldKey,
}: {
  readonly files: readonly ChangedFile[];
  readonly change: FileChange | undefined;
  readonly store: ChatStore;
  readonly foldKey: string;
}) {
  const [all, toggle] = useFold(store.folds, foldKey);
  const shown = all || files.length <= SHOWN + 1 ? files : files.slice(0, SHOWN);
  return (
    <section
      aria-label="Changed files"
      className="mt-1 mb-1.5 overflow-hidden rounded-xl border border-line text-sm"
    >
      {change === undefined ? (
        <div className="flex min-h-9 items-center gap-2 bg-surface px-3">
          <FileDiff aria-hidden className="size-4 shrink-0 text-muted" />
          <span className="min-w-0 flex-1 font-medium">
            {counted(files.length, 'file')} changed
          </span>
          <button
            type="button"
            onClick={() => panelTab.set('changes')}
            className="shrink-0 rounded px-1 text-muted underline-offset-2 hover:text-text hover:underline pointer-coarse:min-h-11"
          >
            View changes
          </button>
        </div>
      ) : (
        <TurnChange
          store={store}
          change={change}
          className="min-h-9 w-full gap-2 bg-surface px-3 font-medium"
        />
      )}
      <ul className="border-t border-line py-1">
        {shown.map(({ path, added, removed }) => (
          <li key={path} className="flex min-h-7 items-center gap-3 px-3">
            {/* The end of a path tells more than its beginning. */}
            <span
              dir="rtl"
              className="min-w-0 flex-1 truncate text-left font-mono text-[0.8125rem]"
            >
              <bdi dir="ltr">{safeText(path)}</bdi>
            </span>
            {change === undefined && <LineCounts added={added} removed={removed} />}
          </li>
        ))}
      </ul>
      {shown.length < files.length && (
        <button
          type="button"
          onClick={toggle}
          className="w-full border-t border-line px-3 py-1 text-left text-muted hover:bg-hover hover:text-text"
        >
          Show {files.length - shown.length} more
        </button>
      )}
    </section>
  );
}
