import { useCell } from '../../state/cell.ts';
import { leave, leaving, stay } from '../../state/unsaved.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';

export function LeaveDialog() {
  const asked = useCell(leaving) !== null;
  return (
    <ConfirmDialog
      open={asked}
      onOpenChange={(open) => !open && stay()}
      title="Leave without saving?"
      action="Discard changes"
      cancel="Keep editing"
      onConfirm={leave}
    >
      Your changes on this page are not saved.
    </ConfirmDialog>
  );
}
