import type { Group, GroupMember, User } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { client } from '../../api/client.ts';
import { allPages, useInvalidateQueries } from '../../api/queries.ts';
import { unlessUnsaved } from '../../state/unsaved.ts';
import { CheckList } from '../../ui/check-list.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { toast } from '../../ui/toast.ts';
import { microsIn, microsText, notNumbers } from '../form/numbers.ts';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import { QueryResult } from '../parts/query-result.tsx';

interface GroupDialogProps {
  /** Undefined: a new group. */
  readonly group?: Group;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

export function GroupDialog({ group, open, onOpenChange }: GroupDialogProps) {
  const close = () => onOpenChange(false);
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => (next ? onOpenChange(true) : unlessUnsaved(close))}
      title={group === undefined ? 'Add group' : `Edit ${group.name}`}
    >
      {group === undefined ? (
        <WithUsers group={undefined} members={[]} onClose={close} />
      ) : (
        <WithMembers group={group} onClose={close} />
      )}
    </Dialog>
  );
}

function WithMembers({ group, onClose }: { readonly group: Group; readonly onClose: () => void }) {
  const members = useQuery(allPages('listGroupMembers', { params: { group_id: group.id } }));
  return (
    <QueryResult to={members}>
      {(list) => <WithUsers group={group} members={list} onClose={onClose} />}
    </QueryResult>
  );
}

interface FormProps {
  readonly group: Group | undefined;
  readonly members: readonly GroupMember[];
  readonly onClose: () => void;
}

function WithUsers(props: FormProps) {
  const users = useQuery(allPages('listUsers'));
  return <QueryResult to={users}>{(list) => <GroupForm {...props} users={list} />}</QueryResult>;
}

/** The API changes so many members at a time. */
const BATCH = 1000;

function GroupForm({
  group,
  members,
  users,
  onClose,
}: FormProps & { readonly users: readonly User[] }) {
  const changed = useInvalidateQueries();
  // If adding its members fails, the group is not created again.
  const made = useRef(group);
  const mirrored = group?.mirrored === true;
  const before = members.map(({ id }) => id);
  const form = useForm<{
    readonly name: string;
    readonly spend_limit_micros: string;
    readonly members: readonly string[];
  }>({
    initial: {
      name: group?.name ?? '',
      spend_limit_micros: microsText(group?.spend_limit_micros),
      members: before,
    },
    check: (values) => notNumbers(values, ['spend_limit_micros']),
    async save(values) {
      const body = {
        name: values.name.trim(),
        spend_limit_micros: microsIn(values.spend_limit_micros) ?? null,
      };
      made.current =
        made.current === undefined
          ? await client.call('createGroup', { body })
          : await client.call('updateGroup', { params: { group_id: made.current.id }, body });
      const params = { group_id: made.current.id };
      const add = values.members.filter((id) => !before.includes(id));
      const remove = before.filter((id) => !values.members.includes(id));
      for (let at = 0; at < Math.max(add.length, remove.length); at += BATCH) {
        const some = { add: add.slice(at, at + BATCH), remove: remove.slice(at, at + BATCH) };
        await client.call('updateGroupMembers', { params, body: some });
      }
      await changed();
    },
    onSaved() {
      toast.success(`Group ${made.current?.name ?? ''} saved`);
      onClose();
    },
  });
  return (
    <SettingsForm
      form={form}
      label="Group"
      action={group === undefined ? 'Add group' : 'Save'}
      onCancel={() => unlessUnsaved(onClose)}
    >
      <form.Text
        name="name"
        label="Name"
        disabled={mirrored}
        {...(mirrored && { help: 'Comes from the identity provider.' })}
      />
      <form.Number
        name="spend_limit_micros"
        label="Spend limit"
        placeholder="No limit"
        help="US dollars per month, for all members together. Empty: no limit."
      />
      <CheckList
        legend="Members"
        choices={users.map(({ id, username }) => ({ value: id, label: username }))}
        values={form.values.members}
        onChange={(next) => form.set({ members: next })}
        empty="There are no users."
        disabled={mirrored}
        {...(mirrored && { help: 'Members follow the identity provider at each sign-in.' })}
      />
    </SettingsForm>
  );
}
