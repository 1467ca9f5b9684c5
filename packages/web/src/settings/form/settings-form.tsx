import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { FormContext } from './fields.tsx';
import type { Form } from './use-form.ts';

export function SettingsForm<Values extends object>({
  form,
  label,
  action = 'Save',
  evenUnchanged = false,
  onCancel,
  extra,
  children,
}: {
  readonly form: Form<Values>;
  /** The accessible name of the form. */
  readonly label: string;
  readonly action?: string;
  /** A new item can be saved with its defaults. */
  readonly evenUnchanged?: boolean;
  readonly onCancel?: () => void;
  /** Beside the buttons. */
  readonly extra?: ReactNode;
  readonly children: ReactNode;
}) {
  const element = useRef<HTMLFormElement>(null);
  const { faults } = form;
  // Scrolls to and focuses the first invalid field.
  useEffect(() => {
    if (faults === 0) return;
    element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [faults]);
  return (
    <form
      ref={element}
      aria-label={label}
      noValidate
      onSubmit={form.submit}
      className="flex flex-col gap-5"
    >
      <FormContext value={form}>{children}</FormContext>
      {form.problem !== undefined && (
        <Notice kind="bad" live title="Not saved">
          {form.problem}
        </Notice>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          type="submit"
          kind="primary"
          disabled={form.saving || !(form.changed || evenUnchanged)}
        >
          {form.saving && <Spinner />}
          {action}
        </Button>
        {onCancel !== undefined ? (
          <Button kind="quiet" onClick={onCancel}>
            Cancel
          </Button>
        ) : (
          form.changed &&
          !evenUnchanged && (
            <Button kind="quiet" onClick={form.reset}>
              Discard changes
            </Button>
          )
        )}
        {extra}
        <span role="status" className="text-sm text-muted">
          {form.saving && 'Saving…'}
          {!form.saving && form.saved && 'Saved'}
          {!form.saving &&
            form.changed &&
            !evenUnchanged &&
            onCancel === undefined &&
            'Unsaved changes'}
        </span>
      </div>
    </form>
  );
}
