import { FileText, ImageOff, RotateCw, X } from 'lucide-react';
import { useState } from 'react';
import { counted } from '../../format/number.ts';
import { apiPath } from '../../api/client.ts';
import { useCell } from '../../state/cell.ts';
import type { Attachment, ComposerState } from '../../state/composer-state.ts';
import { cx } from '../../ui/class-names.ts';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Lightbox } from '../../ui/lightbox.tsx';
import { detach, previewOf, retryUpload } from './attachments.ts';
import { byteCount } from '../../format/byte-count.ts';

export function AttachmentList({
  composing,
  onTextWanted,
}: {
  readonly composing: ComposerState;
  /** Converts a long paste back to text. */
  readonly onTextWanted: (text: string) => void;
}) {
  const attachments = useCell(composing.attachments);
  if (attachments.length === 0) return null;
  return (
    <ul aria-label="Attached files" className="flex flex-wrap gap-2">
      {attachments.map((attachment) => (
        <AttachedFile
          key={attachment.key}
          attachment={attachment}
          composing={composing}
          onTextWanted={onTextWanted}
        />
      ))}
    </ul>
  );
}

function AttachedFile({
  attachment,
  composing,
  onTextWanted,
}: {
  readonly attachment: Attachment;
  readonly composing: ComposerState;
  readonly onTextWanted: (text: string) => void;
}) {
  const { name, state, pasted } = attachment;
  const failed = state.kind === 'failed';
  return (
    <li
      className={cx(
        'relative flex min-h-12 max-w-full min-w-0 items-center gap-2 overflow-hidden rounded-xl border bg-background pr-1 pl-1.5',
        failed ? 'border-bad/60' : 'border-line',
      )}
    >
      <Thumbnail attachment={attachment} />
      <div className="min-w-0 leading-tight">
        <p className="max-w-48 truncate text-sm font-medium" title={name}>
          {name}
        </p>
        <p className={cx('max-w-64 text-xs', failed ? 'py-0.5 text-bad' : 'truncate text-muted')}>
          <About attachment={attachment} />
        </p>
      </div>
      {pasted !== undefined && (
        <Button
          size="small"
          kind="quiet"
          onClick={() => {
            detach(composing, attachment);
            onTextWanted(pasted);
          }}
        >
          Paste as text
        </Button>
      )}
      {failed && state.again && (
        <IconButton
          label={`Retry upload of ${name}`}
          size="small"
          onClick={() => retryUpload(composing, attachment)}
        >
          <RotateCw />
        </IconButton>
      )}
      <IconButton
        label={state.kind === 'uploading' ? `Cancel upload of ${name}` : `Remove ${name}`}
        size="small"
        onClick={() => {
          detach(composing, attachment);
          composing.focus();
        }}
      >
        <X />
      </IconButton>
      {state.kind === 'uploading' && (
        <span
          role="progressbar"
          aria-label={`Uploading ${name}`}
          aria-valuenow={Math.round(state.progress * 100)}
          aria-valuemin={0}
          aria-valuemax={100}
          className="absolute inset-x-0 bottom-0 h-0.5 bg-line"
        >
          <span
            className="block h-full origin-left bg-accent transition-transform"
            style={{ transform: `scaleX(${state.progress})` }}
          />
        </span>
      )}
    </li>
  );
}

function About({ attachment: { state, size, pasted } }: { readonly attachment: Attachment }) {
  switch (state.kind) {
    case 'uploading':
      return `${Math.round(state.progress * 100)}% of ${byteCount(size)}`;
    case 'failed':
      return state.reason;
    case 'ready':
      if (pasted !== undefined) return counted(pasted.length, 'character');
      return size === 0 ? 'Attached' : byteCount(size);
  }
}

const BOX =
  'flex size-9 shrink-0 items-center justify-center overflow-hidden rounded-lg bg-surface text-muted [&_svg]:size-4';

function Thumbnail({ attachment }: { readonly attachment: Attachment }) {
  const [broken, setBroken] = useState(false);
  const { mediaType, state } = attachment;
  const source =
    previewOf(attachment) ??
    (state.kind === 'ready' ? apiPath(`/files/${state.fileId}`) : undefined);
  if (!mediaType.startsWith('image/') || source === undefined) {
    return (
      <span className={BOX}>
        <FileText aria-hidden />
      </span>
    );
  }
  if (broken) {
    return (
      <span className={BOX}>
        <ImageOff aria-hidden />
      </span>
    );
  }
  return (
    <Lightbox src={source} name={attachment.name} className={BOX}>
      <img src={source} alt="" className="size-full object-cover" onError={() => setBroken(true)} />
    </Lightbox>
  );
}
