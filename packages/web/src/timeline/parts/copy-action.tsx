import { Check, Copy } from 'lucide-react';
import { useCopy } from '../../markdown/use-copy.ts';
import { Action } from '../../ui/action.tsx';

export function CopyAction({
  label,
  text,
}: {
  readonly label: string;
  readonly text: () => string;
}) {
  const [done, copy] = useCopy();
  return (
    <Action label={done ? 'Copied' : label} onClick={() => void copy(text())}>
      {done ? <Check /> : <Copy />}
    </Action>
  );
}
