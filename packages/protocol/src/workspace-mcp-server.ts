import { z } from 'zod';

export const WorkspaceMcpServer = z
  .strictObject({
    command: z
      .string()
      .min(1)
      .max(4000)
      .meta({ description: 'Program in the workspace.', examples: ['npx'] }),
    args: z
      .array(z.string().max(10_000))
      .max(200)
      .optional()
      .meta({ description: 'Arguments. Default: none.', examples: [['-y', 'some-mcp-server']] }),
    env: z
      .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().max(32_768))
      .optional()
      .describe(
        'Environment variables of the program, in addition to those of the workspace. Agents can read them.',
      ),
  })
  .meta({
    id: 'WorkspaceMcpServer',
    description: 'An MCP server that runs in the sandbox of a workspace.',
  });
export type WorkspaceMcpServer = z.infer<typeof WorkspaceMcpServer>;

export const WorkspaceMcpServerName = z
  .string()
  .regex(
    /^[a-zA-Z0-9][\w-]{0,39}$/,
    'must have 1 to 40 letters, digits, "_" or "-", and start with a letter or digit',
  );

export const WorkspaceMcpServers = z
  .record(WorkspaceMcpServerName, WorkspaceMcpServer)
  .refine((servers) => Object.keys(servers).length <= 16, 'must have at most 16 servers');
export type WorkspaceMcpServers = z.infer<typeof WorkspaceMcpServers>;
