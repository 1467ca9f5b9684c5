import type { Chat } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, Check, Code, Copy, Download, Eye, Pencil, RefreshCw } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { explain } from '../../api/explain.ts';
import { byteCount } from '../../format/byte-count.ts';
import { count } from '../../format/number.ts';
import { useCopy } from '../../markdown/use-copy.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { useCanEdit } from '../../state/access.ts';
import { unlessUnsaved } from '../../state/unsaved.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { LinesFrame } from '../changes/lines-frame.tsx';
import { PanelBar } from '../panel-bar.tsx';
import { type EditableText, editableText } from './editable-text.ts';
import { FileEditor, type TextVersion } from './file-editor.tsx';
import { downloadAddress, type LoadedFile, MOST_BYTES, readFile } from './file-io.ts';
import { FilePreview, type PreviewKind, previewKindOf } from './file-preview.tsx';
import { MOST_LINES, textLines } from './text-lines.ts';

/** Larger files are not shown as text. */
const LONGEST_TEXT = 1_500_000;

interface ShownFile extends LoadedFile {
  /** Undefined: not a text, or too long. */
  readonly text: string | undefined;
  /** Undefined: it cannot be edited here. */
  readonly editable: EditableText | undefined;
}

/** A file as text, preview or in an editor, or a note on why it cannot be shown. */
export function FileView({
  chat,
  workspaceId,
  path,
  onBack,
}: {
  readonly chat: Chat;
  readonly workspaceId: string;
  readonly path: string;
  readonly onBack: () => void;
}) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['workspace file', workspaceId, path],
    queryFn: async ({ signal }) => shownFile(await readFile(workspaceId, path, signal)),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const canEdit = useCanEdit();
  const [copied, copy] = useCopy();
  const [asSource, setAsSource] = useState(false);
  /** The version that is edited. A later one, loaded after an outage for example, must not replace it. */
  const [editing, setEditing] = useState<TextVersion>();
  const back = useRef<HTMLButtonElement>(null);
  useEffect(() => back.current?.focus(), []);
  const kind = data && previewKindOf(path, data.file.type);
  const { editable, version } = data ?? {};
  return (
    <div className="flex h-full flex-col">
      <PanelBar>
        <IconButton
          label="Back to files"
          ref={back}
          size="small"
          onClick={() => unlessUnsaved(onBack)}
        >
          <ArrowLeft />
        </IconButton>
        <h3 dir="ltr" className="min-w-0 flex-1 text-sm font-medium wrap-anywhere">
          {safeText(path)}
          {data !== undefined && (
            <span className="text-muted max-sm:hidden"> · {byteCount(data.size)}</span>
          )}
        </h3>
        {editing === undefined && kind !== undefined && data?.text !== undefined && (
          <IconButton
            label={asSource ? 'Show preview' : 'Show source'}
            size="small"
            onClick={() => setAsSource(!asSource)}
          >
            {asSource ? <Eye /> : <Code />}
          </IconButton>
        )}
        {canEdit && editing === undefined && editable !== undefined && version !== undefined && (
          <IconButton
            label="Edit file"
            size="small"
            onClick={() => setEditing({ ...editable, version })}
          >
            <Pencil />
          </IconButton>
        )}
        <IconButton
          label={copied ? 'Copied' : 'Copy path'}
          size="small"
          onClick={() => void copy(path)}
        >
          {copied ? <Check /> : <Copy />}
        </IconButton>
        <a
          href={downloadAddress(workspaceId, path)}
          download
          aria-label="Download"
          title="Download"
          className="inline-flex size-7 shrink-0 items-center justify-center pointer-coarse:size-11 rounded-lg text-muted hover:bg-hover hover:text-text"
        >
          <Download aria-hidden className="size-4" />
        </a>
        {editing === undefined && (
          <IconButton
            label="Reload file"
            size="small"
            disabled={isFetching}
            onClick={() => void refetch()}
          >
            {isFetching ? <Spinner /> : <RefreshCw />}
          </IconButton>
        )}
      </PanelBar>
      <div className="min-h-0 flex-1 overflow-auto">
        {error !== null && (
          <Notice kind="warn" className="m-3" title="The file cannot be shown">
            {explain(error)}
          </Notice>
        )}
        {editing !== undefined ? (
          <FileEditor
            workspaceId={workspaceId}
            path={path}
            base={editing}
            onSaved={() => {
              setEditing(undefined);
              void refetch();
            }}
            onCancel={() => {
              setEditing(undefined);
              void refetch();
            }}
          />
        ) : (
          data !== undefined &&
          error === null && (
            <Content chat={chat} path={path} shown={data} kind={asSource ? undefined : kind} />
          )
        )}
      </div>
    </div>
  );
}

async function shownFile(loaded: LoadedFile): Promise<ShownFile> {
  const { file, size, version } = loaded;
  const isText = file.type.startsWith('text/') || size === 0;
  if (!isText || size > LONGEST_TEXT) return { ...loaded, text: undefined, editable: undefined };
  const editable = version === undefined ? undefined : editableText(await file.arrayBuffer());
  return { ...loaded, text: await file.text(), editable };
}

function Content({
  chat,
  path,
  shown: { file, size, text },
  kind,
}: {
  readonly chat: Chat;
  readonly path: string;
  readonly shown: ShownFile;
  readonly kind: PreviewKind | undefined;
}) {
  if (size === 0) return <p className="p-3 text-muted">The file is empty.</p>;
  const isWhole = size <= MOST_BYTES;
  const isRead = text !== undefined || kind === 'image' || kind === 'pdf';
  if (kind !== undefined && isWhole && isRead)
    return <FilePreview kind={kind} path={path} file={file} text={text} />;
  if (text !== undefined) return <Text chat={chat} path={path} text={text} />;
  return (
    <Notice className="m-3">
      {file.type.startsWith('text/')
        ? 'The file is large. Download it to view it.'
        : 'Binary file. Download it to view it.'}
    </Notice>
  );
}

function Text({
  chat,
  path,
  text,
}: {
  readonly chat: Chat;
  readonly path: string;
  readonly text: string;
}) {
  const shown = useMemo(() => textLines(text), [text]);
  return (
    <>
      <LinesFrame chat={chat} path={path} hunks={shown.hunks} layout="unified" />
      {shown.cut && (
        <Notice className="m-3">
          {`Only the first ${count(MOST_LINES)} lines are shown. Download the file to see the rest.`}
        </Notice>
      )}
    </>
  );
}
