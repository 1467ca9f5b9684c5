import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { McpFailure } from '../mcp-failure.ts';
import { hasValidParamHeaders } from './param-headers.ts';
import { type SkippedTool, type ToolList, ServerTool } from './server-tool.ts';

const Page = z.looseObject({
  tools: z.array(z.unknown()),
  nextCursor: z.string().optional(),
});

const MAX_PAGES = 200;
const MAX_TOOLS = 5000;
const SCHEMA_BYTES = 64 * 1024;
const INSTRUCTIONS_LENGTH = 4000;

/** All tools of a server. Invalid ones are skipped. */
export async function listTools(client: Client, options: RequestOptions): Promise<ToolList> {
  const tools = new Map<string, ServerTool>();
  const left_out: SkippedTool[] = [];
  const { name = '', version = '' } = client.getServerVersion() ?? {};
  const isModern = client.getProtocolEra() === 'modern';
  if (client.getServerCapabilities()?.tools !== undefined) {
    for await (const given of pages(client, options)) {
      const parsed = ServerTool.safeParse(given);
      if (!parsed.success) {
        left_out.push({ name: nameOf(given), reason: 'its definition is invalid' });
        continue;
      }
      const reason = unfit(parsed.data, isModern);
      if (reason === undefined) tools.set(parsed.data.name, parsed.data);
      else left_out.push({ name: parsed.data.name, reason });
      if (tools.size > MAX_TOOLS)
        throw new McpFailure(`The server has more than ${MAX_TOOLS} tools.`);
    }
  }
  return {
    tools: [...tools.values()],
    left_out,
    instructions: (client.getInstructions() ?? '').slice(0, INSTRUCTIONS_LENGTH),
    server: { name, version },
  };
}

async function* pages(client: Client, options: RequestOptions): AsyncGenerator {
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: 'tools/list', params }, Page, options);
    yield* answer.tools;
    if (answer.nextCursor === undefined || answer.nextCursor === '') return;
    cursor = answer.nextCursor;
  }
  throw new McpFailure('The tool list of the server does not end.');
}

function unfit({ inputSchema, execution }: ServerTool, isModern: boolean): string | undefined {
  if (execution?.taskSupport === 'required') return 'it can only run as a task';
  if (JSON.stringify(inputSchema).length > SCHEMA_BYTES) return 'its input schema is too large';
  if (isModern && !hasValidParamHeaders(inputSchema)) return 'its x-mcp-header is invalid';
  return undefined;
}

function nameOf(given: unknown): string {
  const name: unknown =
    typeof given === 'object' && given !== null && 'name' in given && given.name;
  return typeof name === 'string' ? name.slice(0, 128) : '?';
}
