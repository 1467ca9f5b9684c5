import { type ReactNode, useState } from 'react';
import { explain } from '../../api/explain.ts';
import { Switch, SwitchField } from '../../ui/switch.tsx';
import { toast } from '../../ui/toast.ts';

interface Saving {
  readonly checked: boolean;
  /** Resolves when the displayed value is the stored one. */
  readonly onChange: (on: boolean) => Promise<void>;
}

/** Saves immediately and reverts with an error when the server refuses. */
function useSaving({ checked, onChange }: Saving) {
  const [wanted, setWanted] = useState<boolean>();
  const change = async (on: boolean) => {
    setWanted(on);
    try {
      await onChange(on);
    } catch (error) {
      toast.error(explain(error));
    } finally {
      setWanted(undefined);
    }
  };
  return { checked: wanted ?? checked, onChange: (on: boolean) => void change(on) };
}

/** In a row of a list. */
export const EnabledSwitch = ({ name, ...saving }: Saving & { readonly name: string }) => (
  <Switch aria-label={`${name} is enabled`} {...useSaving(saving)} />
);

/** Switches save at once; checkboxes are saved with their form. */
export const SavedSwitch = ({
  label,
  help,
  ...saving
}: Saving & { readonly label: string; readonly help?: ReactNode }) => (
  <SwitchField label={label} help={help} {...useSaving(saving)} />
);
