import { AlertDialog } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import { explain } from '../api/explain.ts';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';
import { Spinner } from './spinner.tsx';

export interface ConfirmDialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  /** A question that names the object: "Delete user ada?" */
  readonly title: string;
  /** What is deleted and what is kept. */
  readonly children: ReactNode;
  /** The button: "Delete ada". */
  readonly action: string;
  readonly cancel?: string;
  /** The dialog closes on success and shows the error on failure. */
  readonly onConfirm: () => void | Promise<void>;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { open, onOpenChange, title, children, action, cancel = 'Cancel', onConfirm } = props;
  const [doing, setDoing] = useState(false);
  const [failure, setFailure] = useState<string>();
  const change = (next: boolean) => {
    setFailure(undefined);
    onOpenChange(next);
  };
  const confirm = async () => {
    setDoing(true);
    setFailure(undefined);
    try {
      await onConfirm();
      onOpenChange(false);
    } catch (error) {
      setFailure(explain(error));
    } finally {
      setDoing(false);
    }
  };
  return (
    <AlertDialog.Root open={open} onOpenChange={change}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fade fixed inset-0 z-40 bg-black/45" />
        <AlertDialog.Content className="pop fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] max-w-md -translate-x-1/2 -translate-y-1/2 flex-col gap-3 overflow-y-auto rounded-2xl border border-line bg-raised p-5 shadow-pop">
          <AlertDialog.Title className="text-lg font-semibold break-words">
            {title}
          </AlertDialog.Title>
          <AlertDialog.Description asChild>
            <div className="text-muted">{children}</div>
          </AlertDialog.Description>
          {failure !== undefined && (
            <Notice kind="bad" live>
              {failure}
            </Notice>
          )}
          <div className="mt-1 flex flex-wrap justify-end gap-2">
            <AlertDialog.Cancel asChild>
              <Button>{cancel}</Button>
            </AlertDialog.Cancel>
            <Button kind="danger" disabled={doing} onClick={() => void confirm()}>
              {doing && <Spinner />}
              {action}
            </Button>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
