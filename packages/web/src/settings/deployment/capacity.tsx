import type { Settings } from '@chatd/protocol';
import { FormNumber } from '../form/fields.tsx';
import { notNumbers, numberIn, numberText } from '../form/numbers.ts';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import { Group, Heading } from '../parts/heading.tsx';
import { useSaveSettings, WithSettings } from './deployment-form.tsx';

export function Capacity() {
  return (
    <>
      <Heading title="Capacity" about="Limits for the deployment and for each user." />
      <WithSettings>{(settings) => <CapacityForm settings={settings} />}</WithSettings>
    </>
  );
}

function CapacityForm({ settings }: { readonly settings: Settings }) {
  const save = useSaveSettings();
  const form = useForm({
    initial: {
      max_running_chats: numberText(settings.max_running_chats),
      max_running_chats_per_user: numberText(settings.max_running_chats_per_user),
      max_streams_per_user: numberText(settings.max_streams_per_user),
      max_tokens_per_user: numberText(settings.max_tokens_per_user),
      max_workspaces_per_user: numberText(settings.max_workspaces_per_user),
      max_file_bytes_per_user: numberText(settings.max_file_bytes_per_user),
      subagent_depth: numberText(settings.subagent_depth),
      subagents_per_chat: numberText(settings.subagents_per_chat),
      max_steps_per_turn: numberText(settings.max_steps_per_turn),
      max_parallel_tools: numberText(settings.max_parallel_tools),
      dynamic_tool_timeout_seconds: numberText(settings.dynamic_tool_timeout_seconds),
    },
    check: (values) => ({
      ...notNumbers(values, [
        'max_running_chats',
        'max_running_chats_per_user',
        'max_streams_per_user',
        'max_tokens_per_user',
        'max_workspaces_per_user',
        'max_file_bytes_per_user',
        'subagent_depth',
        'subagents_per_chat',
        'max_steps_per_turn',
        'max_parallel_tools',
        'dynamic_tool_timeout_seconds',
      ]),
      ...(values.subagent_depth.trim() === '' && { subagent_depth: 'is required' }),
      ...(values.subagents_per_chat.trim() === '' && { subagents_per_chat: 'is required' }),
      ...(values.max_steps_per_turn.trim() === '' && { max_steps_per_turn: 'is required' }),
      ...(values.max_parallel_tools.trim() === '' && { max_parallel_tools: 'is required' }),
    }),
    save: (values) =>
      save({
        max_running_chats: numberIn(values.max_running_chats) ?? null,
        max_running_chats_per_user: numberIn(values.max_running_chats_per_user) ?? null,
        max_streams_per_user: numberIn(values.max_streams_per_user) ?? null,
        max_tokens_per_user: numberIn(values.max_tokens_per_user) ?? null,
        max_workspaces_per_user: numberIn(values.max_workspaces_per_user) ?? null,
        max_file_bytes_per_user: numberIn(values.max_file_bytes_per_user) ?? null,
        subagent_depth: numberIn(values.subagent_depth) ?? 0,
        subagents_per_chat: numberIn(values.subagents_per_chat) ?? 1,
        max_steps_per_turn: numberIn(values.max_steps_per_turn) ?? 1,
        max_parallel_tools: numberIn(values.max_parallel_tools) ?? 1,
        dynamic_tool_timeout_seconds: numberIn(values.dynamic_tool_timeout_seconds) ?? null,
      }),
  });
  return (
    <SettingsForm form={form} label="Capacity">
      <Group title="Running chats" about="Chats beyond the limit wait. Empty: no limit.">
        <div className="grid gap-4 sm:grid-cols-2">
          <FormNumber form={form} name="max_running_chats" label="Max concurrent chats" />
          <FormNumber
            form={form}
            name="max_running_chats_per_user"
            label="Max concurrent chats per user"
          />
        </div>
      </Group>
      <Group title="Quotas" about="Requests beyond a quota are refused. Empty: no limit.">
        <div className="grid gap-4 sm:grid-cols-2">
          <FormNumber
            form={form}
            name="max_streams_per_user"
            label="Max open streams per user"
            help="On one replica, terminals and desktops included."
          />
          <FormNumber form={form} name="max_tokens_per_user" label="Max API tokens per user" />
          <FormNumber
            form={form}
            name="max_workspaces_per_user"
            label="Max workspaces per user"
            help="Stopped workspaces included."
          />
          <FormNumber
            form={form}
            name="max_file_bytes_per_user"
            label="Max stored files per user"
            help="In bytes; 1 GiB is 1073741824."
          />
        </div>
      </Group>
      <Group title="Subagents" about="Agents started by other agents.">
        <div className="grid gap-4 sm:grid-cols-2">
          <FormNumber
            form={form}
            name="subagent_depth"
            label="Max subagent depth"
            help="Levels of nested subagents. 0: no subagents."
          />
          <FormNumber
            form={form}
            name="subagents_per_chat"
            label="Max concurrent subagents per chat"
          />
        </div>
      </Group>
      <Group title="Turns" about="Limits for one turn of an agent.">
        <div className="grid gap-4 sm:grid-cols-2">
          <FormNumber
            form={form}
            name="max_steps_per_turn"
            label="Max steps per turn"
            help="A turn that reaches the limit ends with an error."
          />
          <FormNumber
            form={form}
            name="max_parallel_tools"
            label="Max parallel tools"
            help="Tool calls of one response that run concurrently."
          />
          <FormNumber
            form={form}
            name="dynamic_tool_timeout_seconds"
            label="Client tool timeout"
            help="Seconds to wait for results from a client. Empty: no timeout."
          />
        </div>
      </Group>
    </SettingsForm>
  );
}
