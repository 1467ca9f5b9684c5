import type { Trigger, TriggerRun, TriggerRunStatus } from '@chatd/protocol';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { client } from '../../api/client.ts';
import { dateAndTime } from '../../format/time.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { Badge, type BadgeKind } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { QueryResult } from '../parts/query-result.tsx';
import { Row, Rows } from '../parts/rows.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';

const PAGE = 20;
/** Runs start and end by themselves. */
export const LOOK_MS = 5000;

export const STATUS: Readonly<Record<TriggerRunStatus, BadgeKind>> = {
  queued: 'info',
  started: 'info',
  skipped: 'warn',
  refused: 'bad',
  done: 'good',
  failed: 'bad',
};

export function Runs({ trigger }: { readonly trigger: Trigger }) {
  const params = { trigger_id: trigger.id };
  const runs = useInfiniteQuery({
    queryKey: ['listTriggerRuns', trigger.id],
    queryFn: ({ pageParam, signal }) =>
      client.call('listTriggerRuns', {
        params,
        query: { limit: PAGE, ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: LOOK_MS,
  });
  return (
    <QueryResult to={runs}>
      {({ pages }) => {
        const shown = pages.flatMap((page) => page.runs);
        if (shown.length === 0) return <p className="text-muted">No runs yet</p>;
        return (
          <>
            <Rows label="Runs">
              {shown.map((run) => (
                <RunRow key={run.id} run={run} />
              ))}
            </Rows>
            {runs.hasNextPage && (
              <div>
                <Button
                  size="small"
                  disabled={runs.isFetchingNextPage}
                  onClick={() => void runs.fetchNextPage()}
                >
                  Show older runs
                </Button>
              </div>
            )}
          </>
        );
      }}
    </QueryResult>
  );
}

function RunRow({ run }: { readonly run: TriggerRun }) {
  const { status, reason, chat_id, created_at } = run;
  return (
    <Row
      title={<TimeAgo time={created_at} />}
      badges={<Badge kind={STATUS[status]}>{status}</Badge>}
      about={
        <>
          {causeOf(run)}
          {reason !== null && <p className="text-text">{safeText(reason)}</p>}
        </>
      }
      actions={
        chat_id !== null && (
          <Link href={`/chats/${chat_id}`} className="text-sm text-accent underline">
            Open chat
          </Link>
        )
      }
    />
  );
}

function causeOf({ fire_time, delivery_id }: TriggerRun): string {
  if (fire_time !== null) return `Scheduled for ${dateAndTime(fire_time)}`;
  return delivery_id === null ? 'Started by hand' : `Delivery ${safeText(delivery_id)}`;
}
