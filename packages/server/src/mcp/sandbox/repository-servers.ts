import { WorkspaceMcpServer, WorkspaceMcpServerName, WorkspaceMcpServers } from '@chatd/protocol';
import { z } from 'zod';
import { SandboxFileError, type SandboxFiles } from '../../machine/drivers/driver.ts';
import { McpFailure } from '../mcp-failure.ts';

export const REPOSITORY_FILE = '.mcp.json';
const MAX_BYTES = 256 * 1024;

/** Servers that are reached over a network are left out: admins add those. */
const RepositoryFile = z.object({
  mcpServers: z.record(z.string(), z.looseObject({ command: z.string().optional() })).default({}),
});

/** The stdio servers in the `.mcp.json` of a workspace. None if there is no such file. Throws `McpFailure`. */
export async function repositoryServers(
  files: SandboxFiles,
  root: string,
): Promise<WorkspaceMcpServers> {
  const text = await read(files, `${root}/${REPOSITORY_FILE}`);
  if (text === undefined) return {};
  const file = parse(text);
  const named = Object.entries(file.mcpServers).filter(([, { command }]) => command !== undefined);
  const servers = named.map(([name, { command, args, env }]) => {
    if (!WorkspaceMcpServerName.safeParse(name).success)
      throw invalid(`${JSON.stringify(name)} is not a valid name of a server`);
    const server = WorkspaceMcpServer.safeParse({ command, args, env });
    if (server.success) return [name, server.data] as const;
    throw invalid(`${name}: ${server.error.issues[0]?.message ?? 'invalid'}`);
  });
  const all = WorkspaceMcpServers.safeParse(Object.fromEntries(servers));
  if (all.success) return all.data;
  throw invalid(all.error.issues[0]?.message ?? 'invalid');
}

async function read(files: SandboxFiles, path: string): Promise<string | undefined> {
  try {
    const { bytes, size } = await files.read(path, 0, MAX_BYTES);
    if (size > MAX_BYTES) throw invalid('it is too large');
    return Buffer.from(bytes).toString('utf8');
  } catch (error) {
    if (!(error instanceof SandboxFileError)) throw error;
    if (error.code === 'not_found') return undefined;
    throw invalid(error.message);
  }
}

function parse(text: string): z.infer<typeof RepositoryFile> {
  try {
    return RepositoryFile.parse(JSON.parse(text));
  } catch {
    throw invalid('it is not a JSON object with mcpServers');
  }
}

const invalid = (why: string) =>
  new McpFailure(`The ${REPOSITORY_FILE} of the workspace is not valid: ${why}.`);
