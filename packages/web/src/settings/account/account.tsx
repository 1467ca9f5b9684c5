import type { User } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { apiQuery } from '../../api/queries.ts';
import { session } from '../../api/session.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import { Group, Heading } from '../parts/heading.tsx';
import { Identity } from './identity.tsx';
import { OwnKeys } from './own-keys.tsx';
import { OwnSpend } from './own-spend.tsx';

export function Account({ user }: { readonly user: User }) {
  const { data: methods } = useQuery(apiQuery('getSignInMethods'));
  return (
    <>
      <Heading
        title="Account"
        about={
          <>
            You are signed in as <strong className="text-text">{user.username}</strong>{' '}
            <Badge>{user.role}</Badge>
          </>
        }
        action={<Button onClick={() => void session.signOut()}>Sign out</Button>}
      />
      {methods?.password !== false && (
        <Group
          title="Password"
          about={
            user.has_password
              ? 'Changing it signs out your other browsers.'
              : 'You have no password. Set one to sign in with it.'
          }
        >
          <PasswordForm user={user} />
        </Group>
      )}
      {methods?.oidc && <Identity user={user} provider={methods.oidc.name} />}
      <Group title="Spend this month">
        <OwnSpend />
      </Group>
      <OwnKeys />
    </>
  );
}

const EMPTY = { current_password: '', password: '', again: '' };

function PasswordForm({ user }: { readonly user: User }) {
  const form = useForm({
    initial: EMPTY,
    check: ({ password, again }): Record<string, string> =>
      password === again ? {} : { again: 'does not match the new password' },
    async save({ password, current_password }) {
      const body = { password, ...(user.has_password && { current_password }) };
      const after = await client.call('changePassword', { body });
      session.signedIn(after);
      return EMPTY;
    },
  });
  return (
    <SettingsForm form={form} label="Password" action="Change password" inline>
      {/* Password managers require it. */}
      <input
        type="text"
        name="username"
        autoComplete="username"
        value={user.username}
        readOnly
        hidden
      />
      <div className="grid gap-4 sm:max-w-sm">
        {user.has_password && (
          <form.Text
            name="current_password"
            label="Current password"
            type="password"
            autoComplete="current-password"
          />
        )}
        <form.Text
          name="password"
          label="New password"
          type="password"
          autoComplete="new-password"
          help="At least 8 characters."
        />
        <form.Text
          name="again"
          label="Confirm new password"
          type="password"
          autoComplete="new-password"
        />
      </div>
    </SettingsForm>
  );
}
