import { useState } from 'react';
import { toast } from 'sonner';
import { explain } from '../../api/explain.ts';
import { Switch } from '../../ui/switch.tsx';

/** Saves immediately and reverts with an error when the server refuses. */
export function EnabledSwitch({
  name,
  enabled,
  onChange,
}: {
  readonly name: string;
  readonly enabled: boolean;
  /** Resolves when the displayed value is the stored one. */
  readonly onChange: (enabled: boolean) => Promise<void>;
}) {
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
  return (
    <Switch
      aria-label={`${name} is enabled`}
      checked={wanted ?? enabled}
      onChange={(on) => void change(on)}
    />
  );
}
