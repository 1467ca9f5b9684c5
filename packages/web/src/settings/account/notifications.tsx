import type { Notifications as Stored, PushSubscription } from '@chatd/protocol';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Bell } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { apiQuery, useInvalidateQueries } from '../../api/queries.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { allowNotifications, readPushState, stopNotifications } from '../../state/push.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.ts';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Group, Heading } from '../parts/heading.tsx';
import { QueryResult } from '../parts/query-result.tsx';
import { Row, Rows } from '../parts/rows.tsx';
import { SavedSwitch } from '../parts/saved-switch.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';

const SWITCHES = [
  {
    name: 'needs_you',
    label: 'An agent needs you',
    help: 'A turn waits for your approval or answer.',
  },
  {
    name: 'finished',
    label: 'A turn has finished',
    help: 'A turn of one of your chats has ended.',
  },
  {
    name: 'failed',
    label: 'A turn has failed',
    help: 'Also when one of your triggers could not run, or was disabled.',
  },
] as const;

export function Notifications() {
  const stored = useQuery(apiQuery('getNotifications'));
  return (
    <>
      <Heading title="Notifications" about="chatd can notify you while this page is closed." />
      <QueryResult to={stored}>
        {(notifications) => (
          <>
            <ThisBrowser notifications={notifications} />
            <Switches notifications={notifications} />
            {notifications.subscriptions.length > 0 && (
              <Browsers subscriptions={notifications.subscriptions} />
            )}
          </>
        )}
      </QueryResult>
    </>
  );
}

function ThisBrowser({ notifications }: { readonly notifications: Stored }) {
  const state = useQuery({ queryKey: ['push-state'], queryFn: readPushState, staleTime: 0 });
  const changed = useInvalidateQueries();
  const [busy, setBusy] = useState(false);
  const perform = async (work: () => Promise<void>) => {
    setBusy(true);
    try {
      await work();
    } catch (error) {
      toast.error(explain(error));
    } finally {
      setBusy(false);
      await changed();
    }
  };
  const allow = async () => {
    await allowNotifications(notifications);
    // The first browser: what matters most is on.
    if (SWITCHES.some(({ name }) => notifications[name])) return;
    await client.call('updateNotifications', { body: { needs_you: true } });
  };
  return (
    <Group title="This browser">
      <QueryResult to={state}>
        {(push) => {
          switch (push) {
            case 'unsupported':
              return (
                <Notice kind="info">
                  This browser has no notifications on this page. They require HTTPS and, on iOS,
                  that you add the page to the Home Screen.
                </Notice>
              );
            case 'denied':
              return (
                <Notice kind="warn">
                  The browser blocks notifications of this page. Allow them in the settings of the
                  browser, and reload the page.
                </Notice>
              );
            case 'off':
              return (
                <div>
                  <Button kind="primary" disabled={busy} onClick={() => void perform(allow)}>
                    <Bell aria-hidden className="size-4" />
                    Allow notifications
                  </Button>
                </div>
              );
            case 'on':
              return (
                <div className="flex flex-wrap items-center gap-3">
                  <p>This browser shows notifications.</p>
                  <Button disabled={busy} onClick={() => void perform(stopNotifications)}>
                    Stop notifications
                  </Button>
                </div>
              );
          }
        }}
      </QueryResult>
    </Group>
  );
}

function Switches({ notifications }: { readonly notifications: Stored }) {
  const queries = useQueryClient();
  return (
    <Group title="Notify me when" about="Applies to all of your browsers.">
      {SWITCHES.map(({ name, label, help }) => (
        <SavedSwitch
          key={name}
          label={label}
          help={help}
          checked={notifications[name]}
          onChange={async (on) => {
            const next = await client.call('updateNotifications', { body: { [name]: on } });
            queries.setQueryData(apiQuery('getNotifications').queryKey, next);
          }}
        />
      ))}
    </Group>
  );
}

function Browsers({ subscriptions }: { readonly subscriptions: readonly PushSubscription[] }) {
  const changed = useInvalidateQueries();
  return (
    <Group title="Your browsers">
      <Rows label="Your browsers">
        {subscriptions.map(({ id, user_agent, created_at }) => (
          <Row
            key={id}
            title={safeText(browserName(user_agent))}
            about={
              <>
                since <TimeAgo time={created_at} />
              </>
            }
            actions={
              <DeleteButton
                what="subscription"
                name={browserName(user_agent)}
                onDelete={async () => {
                  const params = { push_subscription_id: id };
                  await client.call('deletePushSubscription', { params });
                  await changed();
                }}
              >
                The browser shows no more notifications until you allow them there again.
              </DeleteButton>
            }
          />
        ))}
      </Rows>
    </Group>
  );
}

/** Browsers contain the names of others, so the order matters. */
const BROWSERS = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'];
const NAMES: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' };
const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS X', 'Linux'];

function browserName(agent: string): string {
  const browser = BROWSERS.find((name) => agent.includes(`${name}/`));
  const system = SYSTEMS.find((name) => agent.includes(name));
  if (browser === undefined) return agent.slice(0, 60) || 'Unknown browser';
  return [NAMES[browser] ?? browser, system].filter((word) => word !== undefined).join(' on ');
}
