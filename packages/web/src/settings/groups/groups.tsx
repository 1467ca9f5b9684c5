import type { Group } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { Plus, UsersRound } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { apiQuery, useInvalidateQueries } from '../../api/queries.ts';
import { money } from '../../format/money.ts';
import { counted } from '../../format/number.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Heading } from '../parts/heading.tsx';
import { QueryResult } from '../parts/query-result.tsx';
import { Row, Rows } from '../parts/rows.tsx';
import { GroupDialog } from './group-dialog.tsx';

export function Groups() {
  const groups = useQuery(apiQuery('listGroups'));
  const [adding, setAdding] = useState(false);
  return (
    <>
      <Heading
        title="Groups"
        about="Members share a spend limit. Models and MCP servers can be restricted to groups."
        action={
          <Button kind="primary" onClick={() => setAdding(true)}>
            <Plus aria-hidden className="size-4" />
            Add group
          </Button>
        }
      />
      <QueryResult to={groups}>
        {({ groups: list }) =>
          list.length === 0 ? (
            <EmptyState icon={<UsersRound />} title="No groups yet">
              Without groups, every user can use every model and MCP server.
            </EmptyState>
          ) : (
            <Rows label="Groups">
              {list.map((group) => (
                <GroupRow key={group.id} group={group} />
              ))}
            </Rows>
          )
        }
      </QueryResult>
      <GroupDialog open={adding} onOpenChange={setAdding} />
    </>
  );
}

function GroupRow({ group }: { readonly group: Group }) {
  const { id, name, mirrored, members = 0, spend_limit_micros: limit } = group;
  const changed = useInvalidateQueries();
  const [editing, setEditing] = useState(false);
  const remove = async () => {
    await client.call('deleteGroup', { params: { group_id: id } });
    await changed();
  };
  return (
    <Row
      title={safeText(name)}
      badges={mirrored === true && <Badge>mirrored</Badge>}
      about={
        <>
          {counted(members, 'member')}
          {typeof limit === 'number' && ` · limit: ${money(limit)} per month`}
        </>
      }
      actions={
        <>
          <Button size="small" aria-label={`Edit ${name}`} onClick={() => setEditing(true)}>
            Edit
          </Button>
          <DeleteButton what="group" name={name} onDelete={remove}>
            Its members are kept. Models and MCP servers that only this group can use are then only
            for admins. This cannot be undone.
          </DeleteButton>
        </>
      }
    >
      <GroupDialog group={group} open={editing} onOpenChange={setEditing} />
    </Row>
  );
}
