import type { Preview } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, ExternalLink, Plug, RefreshCw } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { apiQuery } from '../../api/queries.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { PanelBar } from '../panel-bar.tsx';
import type { PanelTabProps } from '../tabs.ts';
import { WorkspaceGate } from '../workspace-gate.tsx';

/** A program may start to listen at any time. */
const AGAIN_MS = 3000;

export default function PortsTab({ chat }: PanelTabProps) {
  return (
    <WorkspaceGate chat={chat} what="A list of ports">
      {({ id }) => <Ports key={id} workspaceId={id} />}
    </WorkspaceGate>
  );
}

interface Shown extends Preview {
  readonly port: number;
}

function Ports({ workspaceId }: { readonly workspaceId: string }) {
  const [shown, setShown] = useState<Shown>();
  const [problem, setProblem] = useState<string>();
  const { data, error, isFetching, refetch } = useQuery({
    ...apiQuery('listPorts', { params: { workspace_id: workspaceId } }),
    enabled: shown === undefined,
    refetchInterval: AGAIN_MS,
    staleTime: 0,
  });
  const open = async (port: number) => {
    setProblem(undefined);
    try {
      const params = { workspace_id: workspaceId, port };
      setShown({ port, ...(await client.call('createPreview', { params })) });
    } catch (caught) {
      setShown(undefined);
      setProblem(explain(caught));
    }
  };
  const trouble = problem ?? (error === null ? undefined : explain(error));
  if (shown !== undefined) {
    return (
      <PortPreview
        key={shown.url}
        shown={shown}
        onBack={() => setShown(undefined)}
        onExpired={() => void open(shown.port)}
      />
    );
  }
  return (
    <div className="flex h-full flex-col">
      <PanelBar>
        <p className="min-w-0 flex-1 px-1 text-sm text-muted">Ports of the workspace</p>
        <IconButton label="Refresh" size="small" onClick={() => void refetch()}>
          {isFetching && data === undefined ? <Spinner /> : <RefreshCw />}
        </IconButton>
      </PanelBar>
      <div className="min-h-0 flex-1 overflow-auto p-3">
        {trouble !== undefined && (
          <Notice
            kind="warn"
            live
            className="mb-3"
            title={
              problem === undefined ? 'The ports cannot be listed' : 'The port cannot be opened'
            }
          >
            {trouble}
          </Notice>
        )}
        {data?.ports.length === 0 && (
          <EmptyState icon={<Plug />} title="No program listens on a port">
            Start a server in the workspace, for example a development server. It appears here.
          </EmptyState>
        )}
        <ul aria-label="Ports" className="flex flex-col gap-1">
          {data?.ports.map(({ port, program }) => (
            <li
              key={port}
              className="flex items-center gap-3 rounded-lg border border-line px-3 py-2"
            >
              <Plug aria-hidden className="size-4 shrink-0 text-muted" />
              <span className="font-medium tabular-nums">{port}</span>
              <span className="min-w-0 flex-1 truncate text-muted">{safeText(program ?? '')}</span>
              <Button
                size="small"
                aria-label={`Open preview of port ${port}`}
                onClick={() => void open(port)}
              >
                Open preview
              </Button>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function PortPreview({
  shown: { port, url, expires_at },
  onBack,
  onExpired,
}: {
  readonly shown: Shown;
  readonly onBack: () => void;
  readonly onExpired: () => void;
}) {
  const [loads, setLoads] = useState(0);
  const back = useRef<HTMLButtonElement>(null);
  useEffect(() => back.current?.focus(), []);
  const reload = () => {
    if (Date.now() > Date.parse(expires_at)) onExpired();
    else setLoads(loads + 1);
  };
  return (
    <div className="flex h-full flex-col">
      <PanelBar>
        <IconButton label="Back to ports" ref={back} size="small" onClick={onBack}>
          <ArrowLeft />
        </IconButton>
        <h3 dir="ltr" className="min-w-0 flex-1 truncate text-sm font-medium">
          localhost:{port}
        </h3>
        <IconButton label="Reload preview" size="small" onClick={reload}>
          <RefreshCw />
        </IconButton>
        <a
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          aria-label="Open in new tab"
          title="Open in new tab"
          className="inline-flex size-7 items-center justify-center rounded-lg text-muted hover:bg-hover hover:text-text"
        >
          <ExternalLink aria-hidden className="size-4" />
        </a>
      </PanelBar>
      {/* Of another origin: `allow-same-origin` gives the page its own storage, not that of this page. */}
      <iframe
        key={loads}
        title={`Preview of port ${port}`}
        src={url}
        // oxlint-disable-next-line react/iframe-missing-sandbox -- the frame has another origin
        sandbox="allow-scripts allow-same-origin allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-downloads"
        referrerPolicy="no-referrer"
        allow="fullscreen; clipboard-write"
        className="min-h-0 w-full flex-1 bg-white"
      />
    </div>
  );
}
