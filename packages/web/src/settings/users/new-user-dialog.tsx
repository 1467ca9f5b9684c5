import type { User } from '@chatd/protocol';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { useInvalidateQueries } from '../../api/queries.ts';
import { unlessUnsaved } from '../../state/unsaved.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import { SignInLink } from './sign-in-link-dialog.tsx';

/** Creates a user and a sign-in link for them. */
export function NewUserDialog({
  open,
  onOpenChange,
}: {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}) {
  const [made, setMade] = useState<User>();
  const close = () => {
    setMade(undefined);
    onOpenChange(false);
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => (next ? onOpenChange(true) : unlessUnsaved(close))}
      title={made === undefined ? 'Add user' : `${made.username} added`}
      {...(made !== undefined && { actions: <Button onClick={close}>Done</Button> })}
    >
      {made === undefined ? (
        <NewUserForm onMade={setMade} onCancel={() => unlessUnsaved(close)} />
      ) : (
        <SignInLink user={made} />
      )}
    </Dialog>
  );
}

function NewUserForm({
  onMade,
  onCancel,
}: {
  readonly onMade: (user: User) => void;
  readonly onCancel: () => void;
}) {
  const changed = useInvalidateQueries();
  const form = useForm({
    initial: { username: '', role: 'member', password: '' },
    async save({ username, role, password }) {
      const made = await client.call('createUser', {
        body: {
          username: username.trim(),
          role: role === 'admin' ? 'admin' : 'member',
          ...(password !== '' && { password }),
        },
      });
      onMade(made);
      void changed();
    },
  });
  return (
    <SettingsForm form={form} label="Add user" action="Add user" onCancel={onCancel}>
      <form.Text
        name="username"
        label="User name"
        spellCheck={false}
        autoCapitalize="off"
        help="Lowercase letters, digits, dots, underscores and hyphens."
      />
      <form.Select
        name="role"
        label="Role"
        choices={[
          { value: 'member', label: 'Member: uses chats' },
          { value: 'admin', label: 'Admin: manages the deployment' },
        ]}
      />
      <form.Text
        name="password"
        label="Password"
        type="password"
        autoComplete="new-password"
        help="Optional. Without a password, share the sign-in link instead."
      />
    </SettingsForm>
  );
}
