import type { Chat } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, Check, Copy, Download, RefreshCw } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { count } from '../../format/number.ts';
import { apiPath } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { apiQuery } from '../../api/queries.ts';
import { byteCount } from '../../format/byte-count.ts';
import { useCopy } from '../../markdown/use-copy.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { LinesFrame } from '../changes/lines-frame.tsx';
import { PanelBar } from '../panel-bar.tsx';
import { MOST_LINES, textLines } from './text-lines.ts';

/** The maximum that is read of a file. */
const MOST_BYTES = 10 * 1024 * 1024;
/** Larger files are not shown as text. */
const LONGEST_TEXT = 1_500_000;

/** A file as text or image, or a note on why it cannot be shown. */
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
    ...apiQuery('getWorkspaceFile', { params: { workspace_id: workspaceId }, query: { path } }),
    staleTime: 0,
    gcTime: 0,
  });
  const [copied, copy] = useCopy();
  const back = useRef<HTMLButtonElement>(null);
  useEffect(() => back.current?.focus(), []);
  const address = apiPath(
    `/workspaces/${workspaceId}/files/content?path=${encodeURIComponent(path)}`,
  );
  return (
    <div className="flex h-full flex-col">
      <PanelBar>
        <IconButton label="Back to files" ref={back} size="small" onClick={onBack}>
          <ArrowLeft />
        </IconButton>
        <h3 dir="ltr" className="min-w-0 flex-1 text-sm font-medium wrap-anywhere">
          {safeText(path)}
          {data !== undefined && <span className="text-muted"> · {byteCount(data.size)}</span>}
        </h3>
        <IconButton
          label={copied ? 'Copied' : 'Copy path'}
          size="small"
          onClick={() => void copy(path)}
        >
          {copied ? <Check /> : <Copy />}
        </IconButton>
        <a
          href={address}
          download
          aria-label="Download"
          title="Download"
          className="inline-flex size-7 items-center justify-center rounded-lg text-muted hover:bg-hover hover:text-text"
        >
          <Download aria-hidden className="size-4" />
        </a>
        <IconButton
          label="Reload file"
          size="small"
          disabled={isFetching}
          onClick={() => void refetch()}
        >
          {isFetching ? <Spinner /> : <RefreshCw />}
        </IconButton>
      </PanelBar>
      <div className="min-h-0 flex-1 overflow-auto">
        {error !== null && (
          <Notice kind="warn" className="m-3" title="The file cannot be shown">
            {explain(error)}
          </Notice>
        )}
        {data !== undefined && error === null && <Content chat={chat} path={path} file={data} />}
      </div>
    </div>
  );
}

function Content({
  chat,
  path,
  file,
}: {
  readonly chat: Chat;
  readonly path: string;
  readonly file: File;
}) {
  if (file.size === 0) return <p className="p-3 text-muted">The file is empty.</p>;
  if (file.type.startsWith('image/')) return <Picture file={file} path={path} />;
  if (!file.type.startsWith('text/')) {
    return <Notice className="m-3">Binary file. Download it to view it.</Notice>;
  }
  if (file.size > LONGEST_TEXT) {
    return (
      <Notice className="m-3">
        {file.size >= MOST_BYTES
          ? 'The file is very large. Use the terminal to view it.'
          : 'The file is large. Download it to view it.'}
      </Notice>
    );
  }
  return <Text chat={chat} path={path} file={file} />;
}

function Text({
  chat,
  path,
  file,
}: {
  readonly chat: Chat;
  readonly path: string;
  readonly file: File;
}) {
  const [text, setText] = useState<string>();
  useEffect(() => {
    let left = false;
    void (async () => {
      const read = await file.text();
      if (!left) setText(read);
    })();
    return () => {
      left = true;
    };
  }, [file]);
  const shown = useMemo(() => textLines(text ?? ''), [text]);
  if (text === undefined) return <Spinner label="Loading file" className="m-4" />;
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

function Picture({ file, path }: { readonly file: File; readonly path: string }) {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return (
    <div className="p-3">
      {address !== undefined && (
        <img
          src={address}
          alt={path.slice(path.lastIndexOf('/') + 1)}
          className="max-w-full rounded-lg border border-line"
        />
      )}
    </div>
  );
}
