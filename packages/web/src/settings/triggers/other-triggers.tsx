import type { Trigger, User } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { allPages, useInvalidateQueries } from '../../api/queries.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Group } from '../parts/heading.tsx';
import { QueryResult } from '../parts/query-result.tsx';
import { Row, Rows } from '../parts/rows.tsx';
import { When } from './when.tsx';

/** For admins. The list is loaded on request, because each time is recorded in the audit log. */
export function OtherTriggers({ user }: { readonly user: User }) {
  const [shown, setShown] = useState(false);
  return (
    <Group
      title="Triggers of other users"
      about="Admins can view and delete them. Each view is recorded in the audit log."
      action={!shown && <Button onClick={() => setShown(true)}>Show triggers</Button>}
    >
      {shown && <List user={user} />}
    </Group>
  );
}

function List({ user }: { readonly user: User }) {
  const triggers = useQuery({
    ...allPages('listTriggers', { query: { all: true } }),
    staleTime: Infinity,
  });
  const users = useQuery(allPages('listUsers'));
  const nameOf = (id: string) => users.data?.find((one) => one.id === id)?.username ?? id;
  return (
    <QueryResult to={triggers}>
      {(all) => {
        const others = all.filter(({ owner_id }) => owner_id !== user.id);
        if (others.length === 0) return <p className="text-muted">No other user has triggers.</p>;
        return (
          <Rows label="Triggers of other users">
            {others.map((trigger) => (
              <OtherTrigger key={trigger.id} trigger={trigger} owner={nameOf(trigger.owner_id)} />
            ))}
          </Rows>
        );
      }}
    </QueryResult>
  );
}

function OtherTrigger({ trigger, owner }: { readonly trigger: Trigger; readonly owner: string }) {
  const { id, name, kind, enabled, prompt } = trigger;
  const changed = useInvalidateQueries();
  return (
    <Row
      title={safeText(name)}
      badges={
        <>
          <Badge>{kind}</Badge>
          {!enabled && <Badge>disabled</Badge>}
        </>
      }
      about={
        <>
          <p>Owner: {safeText(owner)}</p>
          <When trigger={trigger} />
          <p className="line-clamp-2">{safeText(prompt)}</p>
        </>
      }
      actions={
        <DeleteButton
          what="trigger"
          name={name}
          onDelete={async () => {
            await client.call('deleteTrigger', { params: { trigger_id: id } });
            await changed();
          }}
        >
          Its runs are deleted. Its chats are kept.
        </DeleteButton>
      }
    />
  );
}
