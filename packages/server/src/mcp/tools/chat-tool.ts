import type { LocalTool } from '@chatd/loop';
import type { Json } from '@chatd/protocol';
import type { Progress } from '@modelcontextprotocol/client';
import { knownSecrets } from '../../secrets/secret-values.ts';
import type { McpServerRow } from '../../store/mcp-servers.ts';
import type { ToolTraits } from '../../tools/agent-tool.ts';
import { redactingTool } from '../../tools/redacting-tool.ts';
import type { McpConnection } from '../mcp-connection.ts';
import { asOutput } from './result.ts';
import type { ServerTool } from './server-tool.ts';

const DESCRIPTION_LENGTH = 2000;

export function chatTool(
  name: string,
  tool: ServerTool,
  server: Pick<McpServerRow, 'name' | 'trusted'>,
  connection: Pick<McpConnection, 'call'>,
): LocalTool & ToolTraits {
  return redactingTool(
    {
      name,
      description: descriptionOf(tool),
      input: tool.inputSchema,
      idempotent: isIdempotent(tool, server),
      // Annotations of a server count only if an admin trusts it.
      readOnly: server.trusted && tool.annotations?.readOnlyHint === true,
      server: server.name,
      async run(args, context) {
        const result = await connection.call(tool.name, asObject(args), {
          signal: context.signal,
          onProgress: (progress) => context.publish(progressLine(progress)),
        });
        return asOutput(result);
      },
    },
    (text) => knownSecrets.hide(text),
  );
}

const descriptionOf = ({ title, annotations, description }: ServerTool): string =>
  (description ?? title ?? annotations?.title ?? '').slice(0, DESCRIPTION_LENGTH);

const isIdempotent = (
  { annotations }: Pick<ServerTool, 'annotations'>,
  { trusted }: Pick<McpServerRow, 'trusted'>,
): boolean =>
  trusted && (annotations?.readOnlyHint === true || annotations?.idempotentHint === true);

const asObject = (args: Json): { [key: string]: Json } =>
  typeof args === 'object' && args !== null && !Array.isArray(args) ? args : {};

/** `fetched page 3 (3 of 10)` */
function progressLine({ progress, total, message }: Progress): string {
  const counted = total === undefined ? `${progress}` : `${progress} of ${total}`;
  return message === undefined ? `${counted}\n` : `${message} (${counted})\n`;
}
