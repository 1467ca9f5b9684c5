import { useState } from 'react';
import { toast } from 'sonner';
import { explain } from '../../api/explain.ts';
import { Switch } from '../../ui/switch.tsx';

/** Turns something on or off at once; where the server refuses, it goes back and says why. */
export function EnabledSwitch({
  name,
  enabled,
  onChange,
}: {
  readonly name: string;
  readonly enabled: boolean;
  /** Done when what is shown is what is stored. */
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
