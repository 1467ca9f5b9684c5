import { isAbsolute, relative, resolve } from 'node:path';
import type { ToolCallContent, ToolCallUpdate } from '@agentclientprotocol/sdk';
import type { Client, ServedTool, ToolCallContext } from '@chatd/client';
import type { JsonObject } from '@chatd/protocol';
import { type Editor, permission } from './awaited-calls.ts';
import type { McpTool } from './editor-mcp-servers.ts';
import { diff } from './tool-display.ts';

const OUTPUT_BYTES = 64 * 1024;
const SHELL = process.platform === 'win32' ? ['cmd.exe', '/c'] : ['/bin/sh', '-c'];

export interface EditorToolOptions {
  readonly client: Client;
  readonly editor: Editor;
  readonly sessionId: string;
  /** The folders that are open in the editor. The first one is the working directory. */
  readonly roots: readonly [string, ...string[]];
  /** Of the MCP servers of the editor. */
  readonly mcpTools: readonly McpTool[];
  /** Shows a running call in the editor. */
  readonly show: (update: ToolCallUpdate & { name: string; args: JsonObject }) => Promise<void>;
}

type EditorTool = ServedTool<Readonly<Record<string, unknown>>>;

/** Tools that the editor offers to the agent: its files, with unsaved changes, its terminals, and its MCP servers. */
export function editorTools(options: EditorToolOptions): Readonly<Record<string, EditorTool>> {
  const { editor, sessionId, roots } = options;
  const { fs, terminal } = editor.capabilities;
  const [cwd] = roots;
  const where = `in the folder that is open in the user's editor, ${cwd}`;
  const granted = new Set<string>();

  const inside = (path: unknown): string => {
    const absolute = resolve(cwd, String(path));
    const isInside = roots.some((root) => {
      const from = relative(root, absolute);
      return !from.startsWith('..') && !isAbsolute(from);
    });
    if (isInside) return absolute;
    throw new Error(`${absolute} is outside of the open folders: ${roots.join(', ')}.`);
  };
  const read = async (path: string, lines: object = {}) =>
    (await editor.peer.request('fs/read_text_file', { sessionId, path, ...lines })).content;
  const show = (
    name: string,
    args: JsonObject,
    { toolCallId }: ToolCallContext,
    content: ToolCallContent[],
  ) => options.show({ toolCallId, name, args, status: 'in_progress', content });

  /** Approval rules of the user decide first, then the user. */
  const allow = async (name: string, args: JsonObject, { toolCallId, signal }: ToolCallContext) => {
    const body = { tool_name: name, args };
    const { action, decided_by } = await options.client.me.testApprovals(body, { signal });
    if (action === 'deny') throw new Error('Denied by an approval rule.');
    if (granted.has(name) || (action === 'allow' && decided_by !== null)) return;
    const chosen = await permission(
      { tool_call_id: toolCallId, tool_name: name, args },
      [
        { optionId: 'allow', kind: 'allow_once', name: 'Allow' },
        { optionId: 'allow_session', kind: 'allow_always', name: `Allow ${name} in this session` },
        { optionId: 'deny', kind: 'reject_once', name: 'Deny' },
      ],
      { editor, sessionId, signal },
    );
    if (chosen === 'allow_session') granted.add(name);
    else if (chosen !== 'allow') throw new Error('The user denied this call.');
  };

  /** Asks with the diff, and writes the file. */
  const write = async (
    name: string,
    path: string,
    before: string | undefined,
    content: string,
    context: ToolCallContext,
  ) => {
    const args = { path, content };
    await show(name, args, context, [diff(path, before ?? null, content)]);
    await allow(name, args, context);
    context.signal.throwIfAborted();
    await editor.peer.request('fs/write_text_file', { sessionId, path, content });
    return `Wrote ${path}.`;
  };

  const mcpTool = ({ name, description, schema, call }: McpTool): EditorTool => ({
    description,
    schema,
    async run(args, context) {
      await show(name, args, context, []);
      await allow(name, args, context);
      return await call(args, context.signal);
    },
  });

  return {
    ...Object.fromEntries(options.mcpTools.map((tool) => [tool.name, mcpTool(tool)])),
    ...(fs?.readTextFile === true && {
      editor_read_file: {
        description: `Read a text file ${where}. Includes unsaved changes.`,
        schema: objectSchema({ path: 'string', line: 'integer', limit: 'integer' }, 'path'),
        run: ({ path, line, limit }) => read(inside(path), { line, limit }),
      },
    }),
    ...(fs?.writeTextFile === true && {
      editor_write_file: {
        description: `Write a whole text file ${where}. The user sees the diff.`,
        schema: objectSchema({ path: 'string', content: 'string' }, 'path', 'content'),
        async run(args, context) {
          const path = inside(args['path']);
          // The file may be new.
          const before = fs.readTextFile === true ? read(path).catch(() => undefined) : undefined;
          return await write(
            'editor_write_file',
            path,
            await before,
            text(args['content']),
            context,
          );
        },
      },
    }),
    ...(fs?.readTextFile === true &&
      fs.writeTextFile === true && {
        editor_edit_file: {
          description: `Replace text in a file ${where}. old_text must occur exactly once.`,
          schema: objectSchema(
            { path: 'string', old_text: 'string', new_text: 'string' },
            'path',
            'old_text',
            'new_text',
          ),
          async run(args, context) {
            const path = inside(args['path']);
            const before = await read(path);
            const [first = '', ...others] = before.split(text(args['old_text']));
            if (others.length !== 1) {
              throw new Error(`old_text occurs ${others.length} times in ${path}, not once.`);
            }
            const after = `${first}${text(args['new_text'])}${others[0] ?? ''}`;
            return await write('editor_edit_file', path, before, after, context);
          },
        },
      }),
    ...(terminal === true && {
      editor_run_command: {
        description: `Run a shell command on the user's computer, ${where}, and return its output. The user sees it in a terminal.`,
        schema: objectSchema({ command: 'string', cwd: 'string' }, 'command'),
        async run(args, context) {
          const [shell = '', flag = ''] = SHELL;
          const command = text(args['command']);
          await show('editor_run_command', { command }, context, []);
          await allow('editor_run_command', { command }, context);
          await using shown = await editor.peer.createTerminal({
            sessionId,
            command: shell,
            args: [flag, command],
            cwd: inside(args['cwd'] ?? cwd),
            outputByteLimit: OUTPUT_BYTES,
          });
          const kill = () => void shown.kill().catch(() => undefined);
          context.signal.addEventListener('abort', kill, { once: true });
          if (context.signal.aborted) kill();
          const content = [{ type: 'terminal' as const, terminalId: shown.id }];
          await show('editor_run_command', { command }, context, content);
          const { exitCode = null, signal = null } = await shown.waitForExit();
          const { output, truncated } = await shown.currentOutput();
          const exit = signal === null ? { exit_code: exitCode } : { exit_code: null, signal };
          return { ...exit, output, ...(truncated && { note: 'Only the end of the output.' }) };
        },
      },
    }),
  };
}

const objectSchema = (
  types: Readonly<Record<string, 'string' | 'integer'>>,
  ...required: readonly string[]
): JsonObject => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }])),
  required: [...required],
});

/** An argument that the schema requires. */
function text(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new Error('An argument is missing or is not text.');
}
