import type { DebugEntry } from '@chatd/protocol';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Bug, RefreshCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { Code } from '../../markdown/code.tsx';
import { Badge, type BadgeKind } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { clockWithSeconds, duration } from '../../format/time.ts';
import { sectionPath } from '../../settings/section-list.ts';
import { PanelBar } from '../panel-bar.tsx';
import type { PanelTabProps } from '../tabs.ts';
import { toast } from '../../ui/toast.ts';

const PAGE = 20;
const OUTCOMES: Record<DebugEntry['outcome'], BadgeKind> = {
  completed: 'good',
  failed: 'bad',
  stopped: 'warn',
};

/** Recorded model calls of a chat, for admins. */
export default function Debug({ chat }: PanelTabProps) {
  const record = useInfiniteQuery({
    queryKey: ['debug-record', chat.id],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      client.call('listDebugEntries', {
        params: { chat_id: chat.id },
        query: { limit: PAGE, ...(pageParam !== '' && { cursor: pageParam }) },
        signal,
      }),
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    staleTime: 0,
  });
  const entries = record.data?.pages.flatMap((page) => page.entries) ?? [];
  const forget = async () => {
    try {
      await client.call('deleteDebugEntries', { params: { chat_id: chat.id } });
    } catch (error) {
      toast.error('The debug record could not be deleted', { description: explain(error) });
    }
    await record.refetch();
  };
  return (
    <div className="flex h-full flex-col">
      <PanelBar>
        <p className="flex-1 px-1 text-sm text-muted">Access is logged.</p>
        <IconButton
          label="Delete debug record of this chat"
          size="small"
          disabled={entries.length === 0}
          onClick={() => void forget()}
        >
          <Trash2 />
        </IconButton>
        <IconButton
          label="Refresh"
          size="small"
          disabled={record.isFetching}
          onClick={() => void record.refetch()}
        >
          {record.isFetching ? <Spinner /> : <RefreshCw />}
        </IconButton>
      </PanelBar>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {record.error !== null && (
          <Notice kind="bad" className="m-3" title="The debug record cannot be shown">
            {explain(record.error)}
          </Notice>
        )}
        {record.data !== undefined && entries.length === 0 && (
          <div className="p-4">
            <EmptyState icon={<Bug />} title="No recorded model calls">
              To record model calls, turn on the debug record in{' '}
              <Link href={sectionPath('data')} className="text-accent underline">
                Data and network settings
              </Link>
              .
            </EmptyState>
          </div>
        )}
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
        {record.hasNextPage && (
          <div className="p-3">
            <Button disabled={record.isFetching} onClick={() => void record.fetchNextPage()}>
              Show older calls
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}

function Entry({ entry }: { readonly entry: DebugEntry }) {
  const [open, setOpen] = useState(false);
  const { request, response, ...rest } = entry;
  const { purpose, model, attempt, outcome, error, warnings, created_at, duration_ms } = rest;
  return (
    <details
      open={open}
      className="border-b border-line"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="flex cursor-pointer flex-wrap items-center gap-2 px-3 py-2 text-sm hover:bg-hover">
        <time dateTime={created_at} className="text-muted tabular-nums">
          {clockWithSeconds(created_at)}
        </time>
        <span className="font-medium">{purpose}</span>
        <span className="min-w-0 truncate">{safeText(model)}</span>
        {attempt > 1 && <span className="text-muted">attempt {attempt}</span>}
        <span className="flex-1" />
        <span className="text-muted">{duration(duration_ms)}</span>
        <Badge kind={OUTCOMES[outcome]}>{outcome}</Badge>
      </summary>
      {open && (
        <div className="flex flex-col gap-3 px-3 pb-3">
          {error !== undefined && (
            <Notice kind="bad" title={error.kind}>
              {safeText(error.message)}
            </Notice>
          )}
          {warnings?.map((warning) => (
            <Notice key={warning} kind="warn" title="Warning">
              {safeText(warning)}
            </Notice>
          ))}
          <Json title="Request" value={request} />
          <Json title="Response" value={response} />
          <Json title="Other" value={rest} />
        </div>
      )}
    </details>
  );
}

function Json({ title, value }: { readonly title: string; readonly value: unknown }) {
  return (
    <figure>
      <figcaption className="pb-1 text-sm font-medium">{title}</figcaption>
      <pre
        aria-label={title}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keys scroll it
        tabIndex={0}
        className="max-h-96 overflow-auto rounded-lg bg-code p-3 whitespace-pre-wrap wrap-anywhere"
      >
        <Code text={JSON.stringify(value, null, 2)} language="json" />
      </pre>
    </figure>
  );
}
