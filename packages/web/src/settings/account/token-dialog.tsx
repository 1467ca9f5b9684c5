import type { CreatedToken, Scope, User } from '@chatd/protocol';
import { client } from '../../api/client.ts';
import { useInvalidateQueries } from '../../api/queries.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { RadioCards } from '../../ui/radio-cards.tsx';
import { SettingsForm } from '../form/settings-form.tsx';
import { type FieldErrors, useForm } from '../form/use-form.ts';
import { CreateDialog, type CreateFormProps } from '../parts/create-dialog.tsx';
import { SecretOnce } from '../parts/secret-once.tsx';

const SCOPES: readonly { scope: Scope; about: string; admin?: true }[] = [
  { scope: 'read', about: 'Read your chats, files and settings' },
  { scope: 'write', about: 'Send messages, answer, change and delete' },
  { scope: 'admin', about: 'Administer the deployment', admin: true },
  { scope: 'metrics', about: 'Read /metrics only' },
];

const DAY_MS = 86_400_000;
const EXPIRIES = [
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'date', label: 'Custom date' },
  { value: '', label: 'Never' },
];

export interface TokenDialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  /** Whether admin scopes are offered. */
  readonly admin: boolean;
  /** For admins: the owner of the token. Default: the current user. */
  readonly owner?: Pick<User, 'id' | 'username'>;
}

/** Creates a token. Its secret is shown until the dialog is closed, and never again. */
export function TokenDialog({ open, onOpenChange, admin, owner }: TokenDialogProps) {
  return (
    <CreateDialog<CreatedToken>
      open={open}
      onOpenChange={onOpenChange}
      title={() => (owner === undefined ? 'New token' : `New token for ${owner.username}`)}
      renderForm={(props) => <TokenForm admin={admin} owner={owner} {...props} />}
    >
      {({ token }) => (
        <SecretOnce
          label="Token"
          secret={token}
          about="Copy it now. It is not shown again; the server stores only a hash."
        />
      )}
    </CreateDialog>
  );
}

function TokenForm({
  admin,
  owner,
  onMade,
  onCancel,
}: CreateFormProps<CreatedToken> & {
  readonly admin: boolean;
  readonly owner: TokenDialogProps['owner'] | undefined;
}) {
  const changed = useInvalidateQueries();
  const form = useForm({
    initial: { name: '', full: false, scopes: [] as Scope[], expires: '90', expires_at: '' },
    async save({ name, full, scopes, expires, expires_at }) {
      const made = await client.call('createToken', {
        body: {
          name,
          ...(!full && { scopes }),
          ...expiryOf(expires, expires_at, Date.now()),
          ...(owner !== undefined && { user_id: owner.id }),
        },
      });
      onMade(made);
      void changed();
    },
    check: ({ full, scopes, expires, expires_at }): FieldErrors => ({
      ...(!full && scopes.length === 0 && { scopes: 'choose at least one scope' }),
      ...(expires === 'date' && expires_at === '' && { expires_at: 'choose a date' }),
    }),
  });
  const { full, scopes } = form.values;
  const error = form.errorAt('scopes');
  return (
    <SettingsForm form={form} label="New token" action="Create token" onCancel={onCancel}>
      <form.Text
        name="name"
        label="Name"
        help="Where the token is used, so that you can recognize it."
      />
      <RadioCards
        legend="Access"
        value={full ? 'full' : 'scopes'}
        onChange={(access) => form.set({ full: access === 'full' })}
        columns="sm:grid-cols-2"
        cards={[
          { value: 'scopes', label: 'Limited', help: 'Only the scopes below' },
          {
            value: 'full',
            label: 'Full access',
            help: owner === undefined ? 'All your rights' : `All rights of ${owner.username}`,
          },
        ]}
      />
      {!full && (
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1 font-medium">Scopes</legend>
          {SCOPES.filter((row) => row.admin !== true || admin).map(({ scope, about }) => (
            <Checkbox
              key={scope}
              label={scope}
              help={about}
              aria-invalid={error !== undefined}
              checked={scopes.includes(scope)}
              onChange={(on) =>
                form.set({
                  scopes: on ? [...scopes, scope] : scopes.filter((other) => other !== scope),
                })
              }
            />
          ))}
          {error !== undefined && <p className="text-sm text-bad">{error}</p>}
        </fieldset>
      )}
      <form.Select name="expires" label="Expires" choices={EXPIRIES} />
      {form.values.expires === 'date' && (
        <form.Text name="expires_at" label="Last day" type="date" />
      )}
    </SettingsForm>
  );
}

function expiryOf(expires: string, day: string, now: number): { expires_at?: string } {
  if (expires === '') return {};
  if (expires === 'date') return { expires_at: new Date(`${day}T23:59:59`).toISOString() };
  return { expires_at: new Date(now + Number(expires) * DAY_MS).toISOString() };
}
