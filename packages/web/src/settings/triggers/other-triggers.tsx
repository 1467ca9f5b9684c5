import type { Trigger, User } from '@chatd/protocol';
import { client } from '../../api/client.ts';
import { allPages, useInvalidateQueries } from '../../api/queries.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { Badge } from '../../ui/badge.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { OfOtherUsers } from '../parts/of-other-users.tsx';
import { Row } from '../parts/rows.tsx';
import { When } from './when.tsx';

export const OtherTriggers = ({ user }: { readonly user: User }) => (
  <OfOtherUsers
    what="triggers"
    about="Admins can view and delete them."
    user={user}
    query={allPages('listTriggers', { query: { all: true } })}
  >
    {(trigger, owner) => <OtherTrigger trigger={trigger} owner={owner} />}
  </OfOtherUsers>
);

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
          <p>Owner: {owner}</p>
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
