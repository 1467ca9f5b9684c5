import type { Chat } from '@chatd/protocol';
import { Pencil } from 'lucide-react';
import { useRef, useState } from 'react';
import { safeText } from '../../markdown/safe-text.ts';
import { LabelsDialog } from '../../sidebar/labels-dialog.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { DetailsSection } from './section.tsx';

export function Labels({ chat }: { readonly chat: Chat }) {
  const [editing, setEditing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const labels = Object.entries(chat.labels);
  return (
    <DetailsSection
      title="Labels"
      action={
        <Button ref={button} size="small" kind="quiet" onClick={() => setEditing(true)}>
          <Pencil aria-hidden className="size-3.5" /> Edit
        </Button>
      }
    >
      {labels.length === 0 ? (
        <p className="text-sm text-muted">No labels</p>
      ) : (
        <ul className="flex flex-wrap gap-1.5">
          {labels.map(([name, value]) => (
            <li key={name}>
              <Badge>{value === '' ? safeText(name) : safeText(`${name}: ${value}`)}</Badge>
            </li>
          ))}
        </ul>
      )}
      {editing && (
        <LabelsDialog
          chat={chat}
          onClose={() => {
            setEditing(false);
            button.current?.focus();
          }}
        />
      )}
    </DetailsSection>
  );
}
