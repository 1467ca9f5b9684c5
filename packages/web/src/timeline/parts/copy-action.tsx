import { Check, Copy } from 'lucide-react';
import type { ReactNode } from 'react';
import { useCopy } from '../../markdown/use-copy.ts';
import { Action } from '../../ui/action.tsx';

export function CopyAction({
  label,
  text,
  icon,
}: {
  readonly label: string;
  readonly text: () => string;
  readonly icon?: ReactNode;
}) {
  const [done, copy] = useCopy();
  return (
    <Action label={done ? 'Copied' : label} onClick={() => void copy(text())}>
      {done ? <Check /> : (icon ?? <Copy />)}
    </Action>
  );
}
