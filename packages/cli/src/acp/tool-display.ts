import { posix } from 'node:path';
import type { ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk';
import type { Json } from '@chatd/protocol';
import { toolTitle } from '../chats/tool-title.ts';

/** Prefix of the tools that the editor runs. */
export const EDITOR_TOOL = 'editor_';

/** The root of a workspace, for paths in diffs. */
const WORKSPACE = '/workspace';

const KINDS: Readonly<Record<string, ToolKind>> = {
  read_file: 'read',
  list_files: 'read',
  read_skill: 'read',
  read_skill_file: 'read',
  editor_read_file: 'read',
  search_files: 'search',
  web_search: 'search',
  write_file: 'edit',
  edit_files: 'edit',
  editor_write_file: 'edit',
  editor_edit_file: 'edit',
  execute: 'execute',
  process_output: 'execute',
  process_signal: 'execute',
  editor_run_command: 'execute',
  propose_plan: 'switch_mode',
  ask_user_question: 'think',
  chat_summarized: 'think',
};

interface ToolDisplay {
  readonly title: string;
  readonly kind: ToolKind;
  readonly content: ToolCallContent[];
  readonly locations: ToolCallLocation[];
}

/** How an editor shows a tool call, by its arguments. */
export function displayOf(name: string, args: Json | undefined): ToolDisplay {
  const given = recordOf(args);
  const path = given['path'];
  const isLocal = name.startsWith(EDITOR_TOOL) && typeof path === 'string';
  return {
    title:
      name === 'propose_plan'
        ? 'Plan'
        : name === 'chat_summarized'
          ? 'Summarize the history'
          : toolTitle(name, args),
    kind: KINDS[name] ?? 'other',
    content: contentOf(name, given),
    locations: isLocal && path.startsWith('/') ? [{ path }] : [],
  };
}

function contentOf(name: string, args: Readonly<Record<string, unknown>>): ToolCallContent[] {
  const { path, content, plan, question } = args;
  if (name === 'propose_plan' && typeof plan === 'string') return [textContent(plan)];
  if (name === 'ask_user_question' && typeof question === 'string') return [textContent(question)];
  if (name === 'edit_files') return listOf(args['files']).flatMap(editsOf);
  if (name === 'editor_edit_file') return editsOf({ path, edits: [args] });
  if (typeof path !== 'string' || typeof content !== 'string') return [];
  return name === 'write_file' || name === 'editor_write_file' ? [diff(path, null, content)] : [];
}

const editsOf = ({ path, edits }: Readonly<Record<string, unknown>>): ToolCallContent[] =>
  listOf(edits).flatMap(({ old_text: before, new_text: after }) =>
    typeof path === 'string' && typeof before === 'string' && typeof after === 'string'
      ? [diff(path, before === '' ? null : before, after)]
      : [],
  );

export const diff = (path: string, oldText: string | null, newText: string): ToolCallContent => ({
  type: 'diff',
  path: posix.isAbsolute(path) ? path : posix.join(WORKSPACE, path),
  oldText,
  newText,
});

export const textContent = (text: string): ToolCallContent => ({
  type: 'content',
  content: { type: 'text', text },
});

/** The result of a tool as text. Output of commands is shown as it is, other objects as JSON. */
export function resultContent(result: Json): ToolCallContent[] {
  if (typeof result === 'string') return result === '' ? [] : [textContent(fenced(result))];
  const { output } = recordOf(result);
  if (typeof output === 'string') return output === '' ? [] : [textContent(fenced(output))];
  return [textContent(fenced(JSON.stringify(result, null, 2), 'json'))];
}

/** A code block whose fence does not occur in the text. */
export function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`;
}

export const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

const listOf = (value: unknown): Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.map(recordOf) : [];
