import type { CreatedMachine, Machine } from '@chatd/protocol';
import { client } from '../../api/client.ts';
import { useInvalidateQueries } from '../../api/queries.ts';
import { NOT_PAIRS, pairsIn, pairsText } from '../form/pairs.ts';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import { CreateDialog, type CreateFormProps } from '../parts/create-dialog.tsx';
import { StartCommand } from './start-command.tsx';

/** Adds a machine, or edits one. The command that starts a new one is shown until the dialog is closed, and never again. */
export function MachineDialog({
  open,
  onOpenChange,
  machine,
}: {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly machine?: Machine;
}) {
  return (
    <CreateDialog<CreatedMachine>
      open={open}
      onOpenChange={onOpenChange}
      title={(made) =>
        made !== undefined
          ? `${made.name} added`
          : machine === undefined
            ? 'Add machine'
            : `Edit ${machine.name}`
      }
      renderForm={(props) => <MachineForm machine={machine} {...props} />}
    >
      {({ token }) => <StartCommand token={token} />}
    </CreateDialog>
  );
}

function MachineForm({
  machine,
  onMade,
  onCancel,
}: CreateFormProps<CreatedMachine> & { readonly machine: Machine | undefined }) {
  const changed = useInvalidateQueries();
  const form = useForm({
    initial: { name: machine?.name ?? '', labels: pairsText(machine?.labels) },
    check: ({ labels }): Record<string, string> =>
      pairsIn(labels) === undefined ? { labels: NOT_PAIRS } : {},
    async save(values) {
      const name = values.name.trim();
      const labels = pairsIn(values.labels) ?? {};
      if (machine === undefined) {
        onMade(await client.call('createMachine', { body: { name, labels } }));
        void changed();
        return;
      }
      await client.call('updateMachine', {
        params: { machine_id: machine.id },
        body: { name, labels: labelChanges(machine.labels, labels) },
      });
      await changed();
    },
    // Nothing is unsaved any more.
    onSaved: () => machine !== undefined && onCancel(),
  });
  const action = machine === undefined ? 'Add machine' : 'Save';
  return (
    <SettingsForm form={form} label="Machine" action={action} onCancel={onCancel}>
      <form.Text
        name="name"
        label="Name"
        spellCheck={false}
        autoCapitalize="off"
        help="Letters, digits, dots, underscores and hyphens."
      />
      <form.Area
        name="labels"
        label="Labels"
        code
        rows={3}
        placeholder="zone=a"
        help="NAME=value, one per line. Templates select machines by labels."
      />
    </SettingsForm>
  );
}

/** Only the differences: labels that the machine reports itself stay its own. */
function labelChanges(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Record<string, string | null> {
  const removed = Object.keys(before).filter((name) => !(name in after));
  return {
    ...Object.fromEntries(Object.entries(after).filter(([name, value]) => before[name] !== value)),
    ...Object.fromEntries(removed.map((name) => [name, null])),
  };
}
