import type { User } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { client } from '../../api/client.ts';
import { apiQuery } from '../../api/queries.ts';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import { Group } from '../parts/heading.tsx';
import { QueryResult } from '../parts/query-result.tsx';

/** The account at the OIDC provider, or a form that connects one. */
export function Identity({ user, provider }: { readonly user: User; readonly provider: string }) {
  const identities = useQuery(apiQuery('listIdentities'));
  return (
    <Group title={provider}>
      <QueryResult to={identities}>
        {({ identities: [first] }) =>
          first === undefined ? (
            <ConnectForm user={user} provider={provider} />
          ) : (
            <p>
              You can sign in with {provider}
              {first.email !== null && ` as ${first.email}`}.
            </p>
          )
        }
      </QueryResult>
    </Group>
  );
}

const EMPTY = { current_password: '' };

function ConnectForm({ user, provider }: { readonly user: User; readonly provider: string }) {
  const address = useRef('');
  const form = useForm({
    initial: EMPTY,
    async save({ current_password }) {
      const body = user.has_password ? { current_password } : {};
      address.current = (await client.call('connectIdentity', { body })).url;
      return EMPTY;
    },
    onSaved: () => window.location.assign(address.current),
  });
  return (
    <SettingsForm form={form} label={provider} action={`Connect ${provider}`} evenUnchanged>
      <p className="max-w-prose text-sm text-muted">
        Connect your account at {provider} to sign in with it. You keep your chats. Your groups then
        come from {provider}.
      </p>
      {user.has_password && (
        <div className="grid gap-4 sm:max-w-sm">
          <form.Text
            name="current_password"
            label="Current password"
            type="password"
            autoComplete="current-password"
          />
        </div>
      )}
    </SettingsForm>
  );
}
