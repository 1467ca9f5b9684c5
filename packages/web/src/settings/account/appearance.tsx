import { Monitor, Moon, Sun } from 'lucide-react';
import {
  type Appearance as Chosen,
  appearance,
  TEXT_SIZES,
  textSize,
} from '../../state/appearance.ts';
import { useCell } from '../../state/cell.ts';
import { RadioCards } from '../../ui/radio-cards.tsx';
import { Heading } from '../parts/heading.tsx';

export function Appearance() {
  const chosen = useCell(appearance);
  const size = useCell(textSize);
  return (
    <>
      <Heading title="Appearance" about="Stored in this browser. Changes apply immediately." />
      <RadioCards<Chosen>
        legend="Color scheme"
        value={chosen}
        onChange={(next) => appearance.set(next)}
        cards={[
          { value: 'system', label: 'System', help: 'Follows your system', icon: <Monitor /> },
          { value: 'light', label: 'Light', icon: <Sun /> },
          { value: 'dark', label: 'Dark', icon: <Moon /> },
        ]}
      />
      <RadioCards
        legend="Text size"
        value={size}
        onChange={(next) => textSize.set(next)}
        cards={Object.entries(TEXT_SIZES).map(([value, percent]) => ({
          value: value as keyof typeof TEXT_SIZES,
          label: { small: 'Small', normal: 'Normal', large: 'Large', largest: 'Largest' }[
            value as keyof typeof TEXT_SIZES
          ],
          help: `${percent}%`,
        }))}
        columns="grid-cols-2 sm:grid-cols-4"
      />
    </>
  );
}
