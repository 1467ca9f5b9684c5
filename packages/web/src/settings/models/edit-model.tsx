import type { ModelConfig, Provider } from '@chatd/protocol';
import { client } from '../../api/client.ts';
import { useInvalidateQueries } from '../../api/queries.ts';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import { BackLink } from '../parts/back-link.tsx';
import { Heading } from '../parts/heading.tsx';
import { SavedSwitch } from '../parts/saved-switch.tsx';
import { TestButton, useTest } from '../parts/test-button.tsx';
import { ModelFields, ProviderChoice } from './model-fields.tsx';
import { ModelTestAnswer } from './model-test-answer.tsx';
import { bodyOf, checkModel, PARTS, valuesOfModel } from './model-values.ts';

export function EditModel({
  config,
  configs,
  providers,
  onClose,
}: {
  readonly config: ModelConfig;
  readonly configs: readonly ModelConfig[];
  readonly providers: readonly Provider[];
  readonly onClose: () => void;
}) {
  const params = { model_config_id: config.id };
  const changed = useInvalidateQueries();
  const test = useTest(() => client.call('testModelConfig', { params }));
  const form = useForm({
    initial: valuesOfModel(config),
    check: checkModel,
    alsoAt: PARTS,
    async save(values) {
      await client.call('updateModelConfig', { params, body: bodyOf(values) });
      await changed();
    },
  });
  const enable = async (enabled: boolean) => {
    await client.call('updateModelConfig', { params, body: { enabled } });
    await changed();
  };
  const name = config.display_name;
  return (
    <>
      <BackLink to="Models" onClick={onClose} />
      <Heading title={name} about="Changes apply from the next model call." />
      <SavedSwitch
        label="Enabled"
        help="Available to chats."
        checked={config.enabled}
        onChange={enable}
      />
      <SettingsForm
        form={form}
        label={`Model ${name}`}
        extra={<TestButton test={test} label={`Test ${name}`} disabled={form.changed} />}
      >
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <ProviderChoice form={form} providers={providers} />
          <form.Text
            name="model"
            label="Model"
            spellCheck={false}
            help="The provider's model id."
          />
        </div>
        <ModelFields form={form} configs={configs} ownId={config.id} />
        <ModelTestAnswer state={test.state} />
      </SettingsForm>
    </>
  );
}
