import { CircleStop } from 'lucide-react';
import type { Row } from '../rows/row.ts';

type Reason = Extract<Row, { kind: 'cut-off' }>['reason'];

const WORDS: Readonly<Record<Reason, string>> = {
  interrupted: 'Interrupted here. Send a message to go on.',
  length:
    'Cut off: the model reached the limit of its output. Ask it to go on, or raise the limit of the model.',
  'content-filter': 'Cut off by a filter of the provider. Saying it in other words may help.',
};

export function CutOff({ reason }: { readonly reason: Reason }) {
  return (
    <p className="flex items-start gap-2 text-sm text-muted">
      <CircleStop aria-hidden className="mt-0.5 size-4 shrink-0" />
      {WORDS[reason]}
    </p>
  );
}
