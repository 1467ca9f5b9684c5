import type { Settings } from '@chatd/protocol';
import { notNumbers, numberIn, numberText } from '../form/numbers.ts';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import { Group, Heading } from '../parts/heading.tsx';
import { useSaveSettings, WithSettings } from './deployment-form.tsx';

const GROUPS = [
  {
    title: 'Running chats',
    about: 'Chats beyond the limit wait. Empty: no limit.',
    fields: {
      max_running_chats: ['Max concurrent chats'],
      max_running_chats_per_user: ['Max concurrent chats per user'],
    },
  },
  {
    title: 'Quotas',
    about: 'Requests beyond a quota are refused. Empty: no limit.',
    fields: {
      max_streams_per_user: [
        'Max open streams per user',
        'On one replica, terminals and desktops included.',
      ],
      max_tokens_per_user: ['Max API tokens per user'],
      max_workspaces_per_user: ['Max workspaces per user', 'Stopped workspaces included.'],
      max_file_bytes_per_user: ['Max stored files per user', 'In bytes; 1 GiB is 1073741824.'],
    },
  },
  {
    title: 'Subagents',
    about: 'Agents started by other agents.',
    fields: {
      subagent_depth: ['Max subagent depth', 'Levels of nested subagents. 0: no subagents.'],
      subagents_per_chat: ['Max concurrent subagents per chat'],
    },
  },
  {
    title: 'Turns',
    about: 'Limits for one turn of an agent.',
    fields: {
      max_steps_per_turn: [
        'Max steps per turn',
        'A turn that reaches the limit ends with an error.',
      ],
      max_parallel_tools: [
        'Max parallel tools',
        'Tool calls of one response that run concurrently.',
      ],
      dynamic_tool_timeout_seconds: [
        'Client tool timeout',
        'Seconds to wait for results from a client. Empty: no timeout.',
      ],
    },
  },
] as const;

type Field = (typeof GROUPS)[number]['fields'] extends infer Fields
  ? Fields extends object
    ? keyof Fields
    : never
  : never;

const FIELDS = GROUPS.flatMap(({ fields }) => Object.keys(fields) as Field[]);

/** Fields that cannot be empty, which means "no limit" elsewhere. */
const REQUIRED: readonly Field[] = [
  'subagent_depth',
  'subagents_per_chat',
  'max_steps_per_turn',
  'max_parallel_tools',
];

export function Capacity() {
  return (
    <>
      <Heading title="Capacity" about="Limits for the deployment and for each user." />
      <WithSettings>{(settings) => <CapacityForm settings={settings} />}</WithSettings>
    </>
  );
}

const forEachField = <T,>(value: (name: Field) => T) =>
  Object.fromEntries(FIELDS.map((name) => [name, value(name)])) as Record<Field, T>;

function CapacityForm({ settings }: { readonly settings: Settings }) {
  const save = useSaveSettings();
  const form = useForm({
    initial: forEachField((name) => numberText(settings[name])),
    check: (values) => ({
      ...notNumbers(values, FIELDS),
      ...Object.fromEntries(
        REQUIRED.filter((name) => values[name].trim() === '').map((name) => [name, 'is required']),
      ),
    }),
    save: (values) =>
      save(forEachField((name) => numberIn(values[name]) ?? null) as Partial<Settings>),
  });
  return (
    <SettingsForm form={form} label="Capacity">
      {GROUPS.map(({ title, about, fields }) => (
        <Group key={title} title={title} about={about}>
          <div className="grid gap-4 sm:grid-cols-2">
            {Object.entries(fields).map(([name, [label, help]]) => (
              <form.Number key={name} name={name as Field} label={label} help={help} />
            ))}
          </div>
        </Group>
      ))}
    </SettingsForm>
  );
}
