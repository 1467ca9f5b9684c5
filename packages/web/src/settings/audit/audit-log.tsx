import type { AuditEvent, User } from '@chatd/protocol';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Download, ScrollText } from 'lucide-react';
import { useState } from 'react';
import { apiPath, client } from '../../api/client.ts';
import { allPages } from '../../api/queries.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SelectField } from '../../ui/select.tsx';
import { Heading } from '../parts/heading.tsx';
import { QueryResult } from '../parts/query-result.tsx';
import { Row, Rows } from '../parts/rows.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';

const PAGE = 50;
const DAY_MS = 86_400_000;

/** By the start of the action. */
const KINDS = [
  { value: '', label: 'All actions' },
  { value: 'user.', label: 'Users and sign-ins' },
  { value: 'group.', label: 'Groups' },
  { value: 'token.', label: 'API tokens' },
  { value: 'settings.', label: 'Settings' },
  { value: 'provider.', label: 'Providers and keys' },
  { value: 'model_config.', label: 'Models' },
  { value: 'mcp_server.', label: 'MCP servers' },
  { value: 'template.', label: 'Templates' },
  { value: 'trigger.', label: 'Triggers' },
  { value: 'machine.', label: 'Machines' },
  { value: 'workspace.', label: 'Workspaces' },
  { value: 'chat.', label: 'Chats' },
  { value: 'file.', label: 'Files' },
  { value: 'audit_log.', label: 'Audit log' },
];

const PERIODS = [
  { value: '', label: 'All times' },
  { value: '1', label: 'Last 24 hours' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
];

const since = (days: string): string =>
  days === '' ? '' : new Date(Date.now() - Number(days) * DAY_MS).toISOString();

export function AuditLog({ user }: { readonly user: User }) {
  const [filter, setFilter] = useState<Readonly<Record<string, string>>>({});
  const users = useQuery({ ...allPages('listUsers'), enabled: user.role === 'admin' });
  const events = useInfiniteQuery({
    queryKey: ['listAuditEvents', filter],
    queryFn: ({ pageParam, signal }) =>
      client.call('listAuditEvents', {
        query: { ...filter, limit: PAGE, ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
  });
  const set = (name: string, value: string) =>
    setFilter((before) =>
      Object.fromEntries(
        Object.entries({ ...before, [name]: value }).filter(([, wanted]) => wanted !== ''),
      ),
    );
  return (
    <>
      <Heading
        title="Audit log"
        about="Sign-ins, changes of accounts and settings, deletions, exports, and reads of other users’ data."
        action={
          <a
            href={apiPath(`/audit-events/export?${new URLSearchParams(filter).toString()}`)}
            download
            className="inline-flex h-9 shrink-0 items-center gap-2 rounded-lg border border-line bg-raised px-3.5 font-medium hover:bg-hover"
          >
            <Download aria-hidden className="size-4" />
            Export as JSON Lines
          </a>
        }
      />
      <div className="grid gap-4 sm:grid-cols-3">
        <SelectField
          label="Action"
          choices={KINDS}
          onChange={(event) => set('action', event.target.value)}
        />
        {users.data !== undefined && (
          <SelectField
            label="User"
            choices={[
              { value: '', label: 'All users' },
              ...users.data.map(({ id, username }) => ({ value: id, label: username })),
            ]}
            onChange={(event) => set('actor_id', event.target.value)}
          />
        )}
        <SelectField
          label="Period"
          choices={PERIODS}
          onChange={(event) => set('since', since(event.target.value))}
        />
      </div>
      <QueryResult to={events}>
        {({ pages }) => {
          const shown = pages.flatMap(({ audit_events }) => audit_events);
          return shown.length === 0 ? (
            <EmptyState icon={<ScrollText />} title="No events">
              No event matches these filters.
            </EmptyState>
          ) : (
            <>
              <Rows label="Events">
                {shown.map((event) => (
                  <EventRow key={event.id} event={event} />
                ))}
              </Rows>
              {events.hasNextPage && (
                <Button
                  disabled={events.isFetchingNextPage}
                  onClick={() => void events.fetchNextPage()}
                >
                  Show more events
                </Button>
              )}
            </>
          );
        }}
      </QueryResult>
    </>
  );
}

function EventRow({ event }: { readonly event: AuditEvent }) {
  const { at, actor_name, actor_kind, ip, action, target_id, detail } = event;
  const details = Object.entries(detail).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return (
    <Row
      title={<code className="text-sm">{safeText(action)}</code>}
      about={
        <>
          {safeText(actor_name ?? actor_kind)} · <TimeAgo time={at} />
          {ip !== null && ` · ${safeText(ip)}`}
          {target_id !== null && (
            <>
              {' · target '}
              <code className="text-xs break-all">{safeText(target_id)}</code>
            </>
          )}
          {details.length > 0 && <div className="break-words">{safeText(details.join(' · '))}</div>}
        </>
      }
    />
  );
}
