import type { User } from '@chatd/protocol';
import { useQuery, type UseQueryOptions } from '@tanstack/react-query';
import { Fragment, type ReactNode, useState } from 'react';
import { allPages } from '../../api/queries.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { Button } from '../../ui/button.tsx';
import { Group } from './heading.tsx';
import { QueryResult } from './query-result.tsx';
import { Rows } from './rows.tsx';

interface Owned {
  readonly id: string;
  readonly owner_id: string;
}

interface OfOtherUsersProps<Item extends Owned> {
  /** Plural, such as `triggers`. */
  readonly what: string;
  /** What admins can do with them. */
  readonly about: string;
  readonly user: User;
  readonly query: UseQueryOptions<Item[]>;
  readonly children: (item: Item, owner: string) => ReactNode;
}

/** A list for admins. It is loaded on request, because each time is recorded in the audit log. */
export function OfOtherUsers<Item extends Owned>(props: OfOtherUsersProps<Item>) {
  const { what, about, user } = props;
  const [shown, setShown] = useState(false);
  if (user.role !== 'admin') return null;
  return (
    <Group
      title={titleOf(what)}
      about={`${about} Each view is recorded in the audit log.`}
      action={!shown && <Button onClick={() => setShown(true)}>Show {what}</Button>}
    >
      {shown && <List {...props} />}
    </Group>
  );
}

function List<Item extends Owned>({ what, user, query, children }: OfOtherUsersProps<Item>) {
  const items = useQuery({ ...query, staleTime: Infinity });
  const users = useQuery(allPages('listUsers'));
  const nameOf = (id: string) => users.data?.find((one) => one.id === id)?.username ?? id;
  return (
    <QueryResult to={items}>
      {(all) => {
        const others = all.filter(({ owner_id }) => owner_id !== user.id);
        if (others.length === 0) return <p className="text-muted">No other user has {what}.</p>;
        return (
          <Rows label={titleOf(what)}>
            {others.map((item) => (
              <Fragment key={item.id}>{children(item, safeText(nameOf(item.owner_id)))}</Fragment>
            ))}
          </Rows>
        );
      }}
    </QueryResult>
  );
}

const titleOf = (what: string) => `${what[0]?.toUpperCase()}${what.slice(1)} of other users`;
