import type { Provider, ProviderType } from '@chatd/protocol';
import { TextField } from '../../ui/field.tsx';
import { SelectField } from '../../ui/select.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import type { Form } from '../form/use-form.ts';
import { type OptionField, type ProviderValues, TYPES } from './provider-types.ts';

/** The fields of a provider type. Keys are write-only. */
export function ProviderFields({
  form,
  type,
  stored,
}: {
  readonly form: Form<ProviderValues>;
  readonly type: ProviderType;
  /** The existing provider, if any. */
  readonly stored?: Provider;
}) {
  const look = TYPES[type];
  if (type === 'demo') return <Options form={form} fields={look.options} />;
  const urlNeeded = look.baseUrl === 'needed';
  return (
    <>
      {urlNeeded && <BaseUrl form={form} type={type} />}
      <form.Text
        name="api_key"
        label="API key"
        type="password"
        autoComplete="off"
        placeholder={look.keyHint}
        help={keyHelp(look.keyNeeded, stored)}
      />
      {type === 'bedrock' && <AwsFields form={form} />}
      <Options form={form} fields={look.options} />
      {!urlNeeded && (
        <details
          className="rounded-lg border border-line px-3 py-2"
          open={form.values.base_url !== '' || form.errorAt('base_url') !== undefined}
        >
          <summary className="font-medium">Advanced: base URL</summary>
          <div className="pt-2">
            <BaseUrl form={form} type={type} />
          </div>
        </details>
      )}
    </>
  );
}

function keyHelp(needed: boolean, stored: Provider | undefined): string {
  if (stored?.key_source === 'environment') {
    return 'Currently set by an environment variable. A key entered here takes precedence.';
  }
  if (stored?.has_api_key === true) return 'A key is stored, encrypted. Leave empty to keep it.';
  const sealed = 'Stored encrypted and never shown again.';
  return needed ? sealed : `Leave empty if not required. ${sealed}`;
}

function BaseUrl({
  form,
  type,
}: {
  readonly form: Form<ProviderValues>;
  readonly type: ProviderType;
}) {
  const { baseUrl, baseUrlHint } = TYPES[type];
  return (
    <form.Text
      name="base_url"
      label="Base URL"
      type="url"
      inputMode="url"
      spellCheck={false}
      {...(baseUrlHint !== undefined && { placeholder: baseUrlHint })}
      help={
        baseUrl === 'needed'
          ? 'Include the version, such as http://127.0.0.1:11434/v1 for Ollama. Private addresses must be allowed under Settings, Data and network.'
          : 'Only for gateways. Include the version, such as /v1.'
      }
    />
  );
}

function AwsFields({ form }: { readonly form: Form<ProviderValues> }) {
  return (
    <fieldset className="flex flex-col gap-4 rounded-lg border border-line p-3">
      <legend className="px-1 font-medium">AWS credentials</legend>
      <form.Text
        name="access_key_id"
        path="aws_credentials.access_key_id"
        label="Access key ID"
        autoComplete="off"
      />
      <form.Text
        name="secret_access_key"
        path="aws_credentials.secret_access_key"
        label="Secret access key"
        type="password"
      />
      <form.Text
        name="session_token"
        path="aws_credentials.session_token"
        label="Session token"
        type="password"
        help="Only for temporary credentials."
      />
    </fieldset>
  );
}

function Options({
  form,
  fields,
}: {
  readonly form: Form<ProviderValues>;
  readonly fields: readonly OptionField[];
}) {
  const { options } = form.values;
  const set = (name: string, value: string | boolean) =>
    form.set({ options: { ...options, [name]: value } });
  return fields.map(({ name, label, help, placeholder, choices, kind }) => {
    const error = form.errorAt(`options.${name}`);
    const about = { label, error, ...(help !== undefined && { help }) };
    if (kind === 'switch') {
      return (
        <Checkbox
          key={name}
          label={label}
          help={error ?? help}
          aria-invalid={error !== undefined}
          checked={options[name] === true}
          onChange={(on) => set(name, on)}
        />
      );
    }
    const value = String(options[name] ?? '');
    if (choices !== undefined) {
      return (
        <SelectField
          key={name}
          {...about}
          value={value}
          choices={choices}
          onChange={(event) => set(name, event.target.value)}
        />
      );
    }
    return (
      <TextField
        key={name}
        {...about}
        value={value}
        autoComplete="off"
        spellCheck={false}
        {...(placeholder !== undefined && { placeholder })}
        onChange={(event) => set(name, event.target.value)}
      />
    );
  });
}
