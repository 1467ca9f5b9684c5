import { FileDiff } from 'lucide-react';
import { counted } from '../../format/number.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { panelTab } from '../../state/layout.ts';
import { type Folds, useFold } from '../../state/chat/folds.ts';
import type { ChangedFile } from '../rows/changed-files.ts';
import { LineCounts } from '../tools/line-counts.tsx';

/** More files are shown on request. */
const SHOWN = 4;

/** The files that a turn changed. */
export function ChangedFiles({
  files,
  folds,
  foldKey,
}: {
  readonly files: readonly ChangedFile[];
  readonly folds: Folds;
  readonly foldKey: string;
}) {
  const [all, toggle] = useFold(folds, foldKey);
  const shown = all || files.length <= SHOWN + 1 ? files : files.slice(0, SHOWN);
  return (
    <section
      aria-label="Changed files"
      className="mt-1 mb-1.5 overflow-hidden rounded-xl border border-line text-sm"
    >
      <div className="flex min-h-9 items-center gap-2 bg-surface px-3">
        <FileDiff aria-hidden className="size-4 shrink-0 text-muted" />
        <span className="min-w-0 flex-1 font-medium">{counted(files.length, 'file')} changed</span>
        <button
          type="button"
          onClick={() => panelTab.set('changes')}
          className="shrink-0 rounded px-1 text-muted underline-offset-2 hover:text-text hover:underline pointer-coarse:min-h-11"
        >
          View changes
        </button>
      </div>
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
            <LineCounts added={added} removed={removed} />
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
