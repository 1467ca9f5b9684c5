import { type ReactNode, useState } from 'react';
import { toast } from 'sonner';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';

/** Deletes something after it was named once more. */
export function DeleteButton({
  name,
  what,
  verb = 'Delete',
  children,
  onDelete,
}: {
  /** "the user", "the provider". */
  readonly what: string;
  readonly name: string;
  readonly verb?: string;
  /** What is gone with it, and what stays. */
  readonly children: ReactNode;
  readonly onDelete: () => Promise<void>;
}) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        size="small"
        kind="quiet"
        className="text-bad"
        aria-label={`${verb} ${name}`}
        onClick={() => setOpen(true)}
      >
        {verb}
      </Button>
      <ConfirmDialog
        open={open}
        onOpenChange={setOpen}
        title={`${verb} ${what} “${name}”?`}
        action={`${verb} ${name}`}
        onConfirm={async () => {
          await onDelete();
          toast.success(`“${name}” is gone.`);
        }}
      >
        {children}
      </ConfirmDialog>
    </>
  );
}
