import type { Trigger, WebhookVerification } from '@chatd/protocol';
import { CopyButton } from '../../ui/copy-button.tsx';
import type { Form } from '../form/use-form.ts';
import type { TriggerValues } from './trigger-values.ts';

const VERIFICATIONS: Readonly<Record<WebhookVerification, readonly [label: string, help: string]>> =
  {
    token: ['Bearer token', 'Requests have the secret in Authorization: Bearer.'],
    'hmac-sha256': [
      'HMAC-SHA256',
      'Requests have sha256=HEX in X-Signature-256, and the delivery ID in X-Delivery-Id.',
    ],
    github: ['GitHub', 'Enter the secret in the webhook settings of the repository.'],
    slack: ['Slack', 'Copy the signing secret from the Slack app.'],
    'standard-webhooks': ['Standard Webhooks', 'Requests are signed as the specification says.'],
  };

export const addressOf = ({ path }: Pick<Trigger, 'path'>): string =>
  path === undefined ? '' : new URL(path, location.origin).href;

export function WebhookFields({
  form,
  trigger,
}: {
  readonly form: Form<TriggerValues>;
  readonly trigger: Trigger | undefined;
}) {
  const { verification } = form.values;
  const kept = trigger?.verification === verification;
  return (
    <>
      {trigger !== undefined && <Address trigger={trigger} />}
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <form.Select
          name="verification"
          path="verify.type"
          label="Verification"
          choices={Object.entries(VERIFICATIONS).map(([value, [label]]) => ({ value, label }))}
          help={VERIFICATIONS[verification][1]}
        />
        <form.Text
          name="secret"
          path="verify.secret"
          label="Secret"
          type="password"
          autoComplete="new-password"
          help={
            kept
              ? 'A secret is stored, encrypted. Empty: unchanged.'
              : verification === 'slack'
                ? 'Required.'
                : 'Empty: chatd generates one, which is shown once.'
          }
        />
      </div>
    </>
  );
}

export function Address({ trigger }: { readonly trigger: Pick<Trigger, 'path'> }) {
  const address = addressOf(trigger);
  return (
    <div className="flex flex-col gap-1">
      <p className="font-medium">URL for POST requests</p>
      <div className="flex flex-wrap items-center gap-2">
        <code
          aria-label="Webhook URL"
          className="min-w-0 flex-1 basis-48 rounded-lg bg-code px-3 py-2 text-sm break-all select-all"
        >
          {address}
        </code>
        <CopyButton text={address} label="Copy URL" />
      </div>
    </div>
  );
}
