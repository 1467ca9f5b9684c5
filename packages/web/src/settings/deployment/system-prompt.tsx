import type { Settings } from '@chatd/protocol';
import { counted } from '../../format/number.ts';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import { Heading } from '../parts/heading.tsx';
import { useSaveSettings, WithSettings } from './deployment-form.tsx';

export function SystemPrompt() {
  return (
    <>
      <Heading
        title="System prompt"
        about="Instructions for every agent, such as your conventions and priorities."
      />
      <WithSettings>{(settings) => <PromptForm settings={settings} />}</WithSettings>
    </>
  );
}

function PromptForm({ settings }: { readonly settings: Settings }) {
  const save = useSaveSettings();
  const form = useForm({ initial: { system_prompt: settings.system_prompt }, save });
  const { length } = form.values.system_prompt;
  return (
    <SettingsForm form={form} label="System prompt">
      <form.Area
        name="system_prompt"
        label="Instructions for all agents"
        rows={14}
        placeholder="We write TypeScript. Explain what you change and why."
        help={`${counted(length, 'character')}. Applies from the next turn of each chat.`}
      />
    </SettingsForm>
  );
}
