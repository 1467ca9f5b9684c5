import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { toast } from '../../ui/toast.ts';

const PAST = {
  Delete: 'Deleted',
  Remove: 'Removed',
  Revoke: 'Revoked',
  'Sign out of': 'Signed out of',
};

/** Deletes after a confirmation that names the object. */
export function DeleteButton({
  name,
  what,
  verb = 'Delete',
  children,
  onDelete,
}: {
  /** "user", "provider". */
  readonly what: string;
  readonly name: string;
  readonly verb?: keyof typeof PAST;
  /** What is deleted and what is kept. */
  readonly children: ReactNode;
  readonly onDelete: () => Promise<void>;
}) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        size="small"
        kind="quiet"
        className="text-bad pointer-coarse:border pointer-coarse:border-line"
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
          toast.success(`${PAST[verb]} ${what} “${name}”`);
        }}
      >
        {children}
      </ConfirmDialog>
    </>
  );
}
