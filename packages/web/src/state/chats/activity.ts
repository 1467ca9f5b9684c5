import type { ActionKind, Chat } from '@chatd/protocol';
import { stateOf } from './chat-state.ts';

/** What the agent does with the argument that follows. Other tools are shown by name. */
const VERBS: Readonly<Partial<Record<string, string>>> = {
  execute: 'Running',
  process_output: 'Waiting for a command',
  read_file: 'Reading',
  read_skill: 'Reading a skill',
  read_skill_file: 'Reading',
  write_file: 'Writing',
  edit_files: 'Editing files',
  list_files: 'Listing',
  search_files: 'Searching',
  todo_write: 'Planning',
  spawn_agent: 'Starting a subagent',
  spawn_computer_use_agent: 'Starting a subagent',
  wait_agent: 'Waiting for subagents',
  create_workspace: 'Creating a workspace',
  start_workspace: 'Starting the workspace',
  computer: 'Using the desktop',
};

const AWAITED: Readonly<Record<ActionKind, string>> = {
  approval: 'Waiting for approval',
  question: 'Waiting for your answer',
  dynamic: 'Waiting for a client',
};

/** What a chat is doing, on one line: "Running npm test". Undefined: nothing. */
export function activityOf(chat: Chat): string | undefined {
  const { activity } = chat;
  switch (stateOf(chat)) {
    case 'working':
      return activity === undefined ? 'Thinking' : callText(activity);
    case 'needs-you':
      return AWAITED[activity?.awaits ?? 'question'];
    case 'queued':
      return 'Waiting for capacity';
    case 'idle':
    case 'interrupted':
    case 'stopping':
    case 'error':
      return undefined;
  }
}

function callText({ tool_name, detail }: NonNullable<Chat['activity']>): string {
  const verb = VERBS[tool_name];
  if (verb === undefined) return `Calling ${tool_name}`;
  return detail === undefined || verb.includes(' ') ? verb : `${verb} ${detail}`;
}
