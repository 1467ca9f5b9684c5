import { CircleStop } from 'lucide-react';
import type { Row } from '../rows/row.ts';

type Reason = Extract<Row, { kind: 'cut-off' }>['reason'];

const WORDS: Readonly<Record<Reason, string>> = {
  interrupted: 'Interrupted. Send a message to continue.',
  length: 'Cut off at the model’s output limit. Ask it to continue, or raise the limit.',
  'content-filter': 'Cut off by the provider’s content filter. Try rephrasing the message.',
};

export function CutOff({ reason }: { readonly reason: Reason }) {
  return (
    <p className="flex items-start gap-2 text-sm text-muted">
      <CircleStop aria-hidden className="mt-0.5 size-4 shrink-0" />
      {WORDS[reason]}
    </p>
  );
}
