import type { McpServer } from '@chatd/protocol';
import type { Form } from '../form/use-form.ts';
import type { McpValues } from './mcp-values.ts';

/** Authentication. Secrets are write-only. */
export function McpAuthFields({
  form,
  stored,
}: {
  readonly form: Form<McpValues>;
  readonly stored?: McpServer;
}) {
  const { auth_type, grant } = form.values;
  const kept =
    stored?.auth?.type === auth_type
      ? 'A value is stored. Enter another to replace it.'
      : undefined;
  return (
    <fieldset className="flex flex-col gap-4 rounded-xl border border-line p-3">
      <legend className="px-1 font-medium">Authentication</legend>
      <form.Select
        name="auth_type"
        path="auth.type"
        label="Method"
        choices={[
          { value: 'none', label: 'None' },
          { value: 'bearer', label: 'Bearer token' },
          { value: 'header', label: 'Custom header' },
          { value: 'oauth', label: 'OAuth' },
        ]}
      />
      {auth_type === 'bearer' && (
        <form.Text name="token" path="auth.token" label="Token" type="password" help={kept} />
      )}
      {auth_type === 'header' && (
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <form.Text
            name="header_name"
            path="auth.name"
            label="Header"
            placeholder="X-Api-Key"
            spellCheck={false}
          />
          <form.Text
            name="header_value"
            path="auth.value"
            label="Value"
            type="password"
            help={kept}
          />
        </div>
      )}
      {auth_type === 'oauth' && (
        <>
          <form.Select
            name="grant"
            path="auth.grant"
            label="Sign-in"
            choices={[
              { value: 'authorization_code', label: 'Each user, for their own chats' },
              { value: 'client_credentials', label: 'Once, for all users' },
            ]}
          />
          <div className="grid items-start gap-4 sm:grid-cols-2">
            <form.Text
              name="client_id"
              path="auth.client_id"
              label="Client id"
              spellCheck={false}
              help={
                grant === 'authorization_code'
                  ? `Empty: chatd registers a client. Otherwise, use the redirect URL ${location.origin}/mcp/callback`
                  : 'Of a registered client.'
              }
            />
            <form.Text
              name="client_secret"
              path="auth.client_secret"
              label="Client secret"
              type="password"
              help={
                stored?.auth?.type === 'oauth' && stored.auth.has_client_secret === true
                  ? 'A value is stored. Enter it again when you change another field.'
                  : undefined
              }
            />
            <form.Text
              name="scope"
              path="auth.scope"
              label="Scope"
              spellCheck={false}
              help="Optional: the scopes to request."
            />
            <form.Text
              name="issuer"
              path="auth.issuer"
              label="Issuer"
              spellCheck={false}
              help="The only authorization server that is allowed."
            />
          </div>
        </>
      )}
    </fieldset>
  );
}
