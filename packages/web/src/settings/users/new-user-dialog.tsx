import type { User, UserRole } from '@chatd/protocol';
import { client } from '../../api/client.ts';
import { useInvalidateQueries } from '../../api/queries.ts';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import { CreateDialog, type CreateFormProps } from '../parts/create-dialog.tsx';
import { ROLES } from './role-dialog.tsx';
import { SignInLink } from './sign-in-link-dialog.tsx';

/** Creates a user and a sign-in link for them. */
export function NewUserDialog({
  open,
  onOpenChange,
}: {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}) {
  return (
    <CreateDialog<User>
      open={open}
      onOpenChange={onOpenChange}
      title={(made) => (made === undefined ? 'Add user' : `${made.username} added`)}
      renderForm={(props) => <NewUserForm {...props} />}
    >
      {(made) => <SignInLink user={made} />}
    </CreateDialog>
  );
}

function NewUserForm({ onMade, onCancel }: CreateFormProps<User>) {
  const changed = useInvalidateQueries();
  const form = useForm({
    initial: { username: '', role: 'member', password: '' },
    async save({ username, role, password }) {
      const made = await client.call('createUser', {
        body: {
          username: username.trim(),
          role: role as UserRole,
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
      <form.Select name="role" label="Role" choices={ROLES} />
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
