import { useCell } from '../../state/cell.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import type { FileUpload } from './upload-files.ts';

const SHOWN = 5;

/** The progress of an upload, then what was not uploaded. */
export function UploadNotice({
  upload,
  onRetry,
  onClose,
}: {
  readonly upload: FileUpload;
  /** Overwrites the existing files. */
  readonly onRetry: () => void;
  readonly onClose: () => void;
}) {
  const { isRunning, count, finished, progress, failures, conflicts } = useCell(upload.state);
  if (isRunning) {
    return (
      <div role="status" className="m-2 flex items-center gap-3 rounded-lg bg-surface px-3 py-2">
        <div className="min-w-0 flex-1">
          <p className="text-sm">
            Uploading file {Math.min(count, finished + 1)} of {count}
          </p>
          <progress
            aria-label="Upload progress"
            value={progress}
            className="mt-1 h-1 w-full appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent"
          />
        </div>
        <Button size="small" onClick={() => upload.cancel()}>
          Cancel upload
        </Button>
      </div>
    );
  }
  if (failures.length === 0 && conflicts.length === 0) return null;
  const names = (paths: readonly string[]) =>
    `${paths.slice(0, SHOWN).map(safeText).join(', ')}${paths.length > SHOWN ? ` and ${paths.length - SHOWN} more` : ''}`;
  return (
    <Notice kind="warn" live className="m-2" title="Some files were not uploaded">
      {conflicts.length > 0 && (
        <p>{names(conflicts.map(({ path }) => path))}: exists with other content.</p>
      )}
      {failures.slice(0, SHOWN).map(({ path, reason }) => (
        <p key={path}>{path === '' ? reason : `${safeText(path)}: ${reason}`}</p>
      ))}
      <div className="mt-2 flex flex-wrap gap-2">
        {conflicts.length > 0 && (
          <Button size="small" onClick={onRetry}>
            Overwrite {conflicts.length === 1 ? 'file' : `${conflicts.length} files`}
          </Button>
        )}
        <Button size="small" kind="quiet" onClick={onClose}>
          Dismiss
        </Button>
      </div>
    </Notice>
  );
}
