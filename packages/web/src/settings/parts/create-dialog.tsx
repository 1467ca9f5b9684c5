import { type ReactNode, useState } from 'react';
import { unlessUnsaved } from '../../state/unsaved.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';

export interface CreateFormProps<T> {
  readonly onMade: (made: T) => void;
  readonly onCancel: () => void;
}

/** A form, then its result, which is shown until the dialog is closed, and never again. */
export function CreateDialog<T extends object>({
  open,
  onOpenChange,
  title,
  renderForm,
  children,
}: {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: (made: T | undefined) => string;
  readonly renderForm: (props: CreateFormProps<T>) => ReactNode;
  readonly children: (made: T) => ReactNode;
}) {
  const [made, setMade] = useState<T>();
  const close = () => {
    setMade(undefined);
    onOpenChange(false);
  };
  const onCancel = () => unlessUnsaved(close);
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => (next ? onOpenChange(true) : onCancel())}
      title={title(made)}
      {...(made !== undefined && { actions: <Button onClick={close}>Done</Button> })}
    >
      {made === undefined ? renderForm({ onMade: setMade, onCancel }) : children(made)}
    </Dialog>
  );
}
