import type { McpServer } from '@chatd/protocol';
import { FormSelect, FormText } from '../form/fields.tsx';
import type { Form } from '../form/use-form.ts';
import type { McpValues } from './mcp-values.ts';

/** How chatd gets in. Secrets are written and never read. */
export function McpAuthFields({
  form,
  stored,
}: {
  readonly form: Form<McpValues>;
  readonly stored?: McpServer;
}) {
  const { auth_type, grant } = form.values;
  const kept =
    stored?.auth?.type === auth_type ? 'One is stored; write another to replace it.' : undefined;
  return (
    <fieldset className="flex flex-col gap-4 rounded-xl border border-line p-3">
      <legend className="px-1 font-medium">Way in</legend>
      <FormSelect
        form={form}
        name="auth_type"
        path="auth.type"
        label="Kind"
        choices={[
          { value: 'none', label: 'Open to everybody' },
          { value: 'bearer', label: 'A token (Authorization: Bearer)' },
          { value: 'header', label: 'A header of its own' },
          { value: 'oauth', label: 'Signing in (OAuth)' },
        ]}
      />
      {auth_type === 'bearer' && (
        <FormText
          form={form}
          name="token"
          path="auth.token"
          label="Token"
          type="password"
          help={kept}
        />
      )}
      {auth_type === 'header' && (
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <FormText
            form={form}
            name="header_name"
            path="auth.name"
            label="Header"
            placeholder="X-Api-Key"
            spellCheck={false}
          />
          <FormText
            form={form}
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
          <FormSelect
            form={form}
            name="grant"
            path="auth.grant"
            label="Who signs in"
            choices={[
              { value: 'authorization_code', label: 'Each person, for their own agents' },
              { value: 'client_credentials', label: 'chatd, once for all' },
            ]}
          />
          <div className="grid items-start gap-4 sm:grid-cols-2">
            <FormText
              form={form}
              name="client_id"
              path="auth.client_id"
              label="Client id"
              spellCheck={false}
              help={
                grant === 'authorization_code'
                  ? `Empty: chatd registers itself. Otherwise its redirect URL is ${location.origin}/mcp/callback`
                  : 'Of a client that you registered.'
              }
            />
            <FormText
              form={form}
              name="client_secret"
              path="auth.client_secret"
              label="Client secret"
              type="password"
              help={
                stored?.auth?.type === 'oauth' && stored.auth.has_client_secret === true
                  ? 'One is stored. Whatever else you change here, write it again.'
                  : undefined
              }
            />
            <FormText
              form={form}
              name="scope"
              path="auth.scope"
              label="Scope"
              spellCheck={false}
              help="What to ask for, if you want to say so."
            />
            <FormText
              form={form}
              name="issuer"
              path="auth.issuer"
              label="Issuer"
              spellCheck={false}
              help="The only authorization server that may be asked."
            />
          </div>
        </>
      )}
    </fieldset>
  );
}
