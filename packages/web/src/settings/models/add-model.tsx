import type { Provider } from '@chatd/protocol';
import { useState } from 'react';
import { counted } from '../../format/number.ts';
import { SelectField } from '../../ui/select.tsx';
import { BackLink } from '../parts/back-link.tsx';
import { Heading } from '../parts/heading.tsx';
import { ChooseModels } from './choose-models.tsx';
import { toast } from '../../ui/toast.ts';

export function AddModel({
  providers,
  onClose,
}: {
  readonly providers: readonly Provider[];
  readonly onClose: () => void;
}) {
  const usable = providers.filter(({ enabled, type }) => enabled && type !== 'demo');
  const [id, setId] = useState(() => usable.at(-1)?.id);
  const provider = usable.find((one) => one.id === id) ?? usable[0];
  return (
    <>
      <BackLink to="Models" onClick={onClose} />
      <Heading
        title="Add models"
        about="Known limits and prices are filled in. You can change them afterward."
      />
      {usable.length > 1 && (
        <div className="sm:max-w-sm">
          <SelectField
            label="Provider"
            value={provider?.id ?? ''}
            choices={usable.map((one) => ({ value: one.id, label: one.name }))}
            onChange={(event) => setId(event.target.value)}
          />
        </div>
      )}
      {provider !== undefined && (
        <ChooseModels
          key={provider.id}
          provider={provider}
          onDone={(models) => {
            const [only] = models;
            toast.success(
              models.length === 1 && only !== undefined
                ? `${only.display_name} added`
                : `${counted(models.length, 'model')} added`,
            );
            onClose();
          }}
        />
      )}
    </>
  );
}
