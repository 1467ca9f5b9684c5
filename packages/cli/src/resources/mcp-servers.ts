import type { CallAnswer, Client } from '@chatd/client';
import { readLine } from '../access/read-secret.ts';
import { command, group, JSON_OPTION, type Run } from '../command-line/command.ts';
import type { Context } from '../context.ts';
import { printJson, printRecord } from '../output/listing.ts';
import { oneLine } from '../output/terminal-text.ts';
import { bodyFor, defined, enabledBy, fieldsOf, SET_OPTION, wholeNumber } from './fields.ts';
import { GROUP_OPTIONS, groupIdsBy } from './groups.ts';
import { pick } from './pick.ts';
import { printTest } from './test-result.ts';
import { deleteCommand, listCommand, showCommand } from './resource-commands.ts';

type McpServer = CallAnswer<'getMcpServer'>;

/** `create` or `update`, with the options of both. */
const changeCommand = (...definition: Parameters<typeof command>) =>
  command(...definition)
    .option('--bearer', 'Prompt for a bearer token. Without a terminal, read it from stdin')
    .option(
      '--env-secret <name>',
      'Prompt for the value of an environment variable of the program. Without a terminal, read it from stdin',
    )
    .option('--cwd <directory>', 'Working directory of the program on the server')
    .option('--memory-mb <n>', 'Memory limit per process of the program, in MiB')
    .option('--open-files <n>', 'Open file limit per process of the program')
    .option('--cpu-seconds <n>', 'CPU time limit per process of the program, in seconds')
    .option('--default-on', 'Enable in new chats that do not choose their MCP servers')
    .addOption(GROUP_OPTIONS[0])
    .addOption(GROUP_OPTIONS[1])
    .addOption(SET_OPTION)
    .addOption(JSON_OPTION);

type ChangeOptions = ReturnType<ReturnType<typeof changeCommand>['opts']>;

export async function findMcpServer(client: Client, word: string): Promise<McpServer> {
  const { mcp_servers } = await client.call('listMcpServers');
  return pick(mcp_servers, word, 'MCP server', ({ name }) => [name]);
}

export const mcpServers = (run: Run) =>
  group('mcp', 'Manage MCP servers', [
    listCommand(
      run,
      'List MCP servers',
      async (client) => (await client.call('listMcpServers')).mcp_servers,
      () => [
        { title: 'ID', value: ({ id }) => id },
        { title: 'NAME', value: ({ name }) => name },
        { title: 'URL OR COMMAND', value: addressOf, flexible: true },
        { title: 'ENABLED', value: ({ enabled }) => (enabled ? 'yes' : 'no') },
        { title: 'SIGNED IN', value: signedIn },
      ],
      'There are no MCP servers.',
    ),
    changeCommand('create', 'Add an MCP server by its URL, or by the command that starts it', {
      examples: [
        ['chatd mcp create github https://api.example.org/mcp --bearer', 'Prompt for the token'],
        [
          'chatd mcp create files npx --memory-mb 512 -- -y @modelcontextprotocol/server-filesystem /srv',
          'Start a program',
        ],
      ],
    })
      .argument('<name>')
      .argument('<url-or-command>')
      .argument('[arg...]')
      .option('--sse', 'Use the deprecated SSE transport')
      .action(
        run(async (context, name, address, args, options) => {
          const client = await context.client();
          const transport = /^https?:/.test(address)
            ? { transport: options.sse === true ? 'sse' : 'http', url: address }
            : { transport: 'stdio', command: address, args };
          const server = await client.call('createMcpServer', {
            body: bodyFor(
              'createMcpServer',
              { name, ...transport },
              await groupIdsBy(client, options),
              await changes(context, options),
            ),
          });
          printRecord(context, server, options.json);
          context.log(`Test it: chatd mcp test ${server.name}`);
        }),
      ),
    showCommand(run, '<server>', 'Show an MCP server', findMcpServer),
    changeCommand('update', 'Change an MCP server', {
      examples: [
        ['chatd mcp update files --cwd /srv/projects --cpu-seconds 60', 'Change its program'],
        ['chatd mcp update files --set cwd=null', 'Reset the working directory'],
      ],
    })
      .argument('<server>')
      .option('--enable', 'Enable it')
      .option('--disable', 'Disable it')
      .action(
        run(async (context, word, options) => {
          const client = await context.client();
          const { id, limits } = await findMcpServer(client, word);
          const server = await client.call('updateMcpServer', {
            params: { mcp_server_id: id },
            body: bodyFor(
              'updateMcpServer',
              { enabled: enabledBy(options) },
              await groupIdsBy(client, options),
              await changes(context, options, limits),
            ),
          });
          printRecord(context, server, options.json);
        }),
      ),
    command('test', 'Connect to an MCP server and list its tools')
      .argument('<server>')
      .addOption(JSON_OPTION)
      .action(
        run(async (context, word, { json }) => {
          const client = await context.client();
          const { id } = await findMcpServer(client, word);
          const result = await client.call('testMcpServer', { params: { mcp_server_id: id } });
          const exitCode = printTest(context, result, json);
          if (json === true) return exitCode;
          for (const { name, description } of result.tools ?? []) {
            context.print(`  ${oneLine(name)}  ${context.style('dim', oneLine(description))}\n`);
          }
          for (const { name, reason } of result.left_out ?? []) {
            context.print(`  ${oneLine(name)}  excluded: ${oneLine(reason)}\n`);
          }
          return exitCode;
        }),
      ),
    command('sign-in', 'Sign in to an MCP server that requires OAuth')
      .argument('<server>')
      .addOption(JSON_OPTION)
      .action(
        run(async (context, word, { json }) => {
          const client = await context.client();
          const { id } = await findMcpServer(client, word);
          const { authorization_url, expires_at } = await client.call('signInToMcpServer', {
            params: { mcp_server_id: id },
          });
          if (json === true) printJson(context, { authorization_url, expires_at });
          else context.print(`${oneLine(authorization_url)}\n`);
          context.log(
            `Open this link in a browser that is signed in to ${client.url}. It expires at ${expires_at}.`,
          );
        }),
      ),
    command('sign-out', 'End your session with an MCP server')
      .argument('<server>')
      .action(
        run(async (context, word) => {
          const client = await context.client();
          const { id, name } = await findMcpServer(client, word);
          await client.call('signOutOfMcpServer', { params: { mcp_server_id: id } });
          context.log(`Signed out of ${name}.`);
        }),
      ),
    deleteCommand(
      run,
      '<server>',
      'Delete an MCP server; chats that use it continue without it',
      findMcpServer,
      { name: ({ name }) => name, question: (name) => `Delete the MCP server ${name}?` },
      (client, { id }) => client.call('deleteMcpServer', { params: { mcp_server_id: id } }),
    ),
  ]);

const addressOf = ({ url, command: program, args }: McpServer) =>
  url ?? [program, ...(args ?? [])].join(' ');

const signedIn = ({ needs_sign_in, signed_in }: McpServer) =>
  needs_sign_in ? (signed_in ? 'yes' : 'no') : 'not required';

/** The API replaces limits as a whole, so those without an option are kept from `before`. */
async function changes(
  context: Context,
  options: ChangeOptions,
  before: McpServer['limits'] = {},
): Promise<object> {
  const limits = defined({
    memory_mb: wholeNumber(options.memoryMb, '--memory-mb'),
    open_files: wholeNumber(options.openFiles, '--open-files'),
    cpu_seconds: wholeNumber(options.cpuSeconds, '--cpu-seconds'),
  });
  const name = options.envSecret;
  return {
    default_on: options.defaultOn,
    cwd: options.cwd,
    ...(Object.keys(limits).length > 0 && { limits: { ...before, ...limits } }),
    ...(options.bearer === true && {
      auth: { type: 'bearer', token: await readLine(context, 'Token', { secret: true }) },
    }),
    ...(name !== undefined && { env: { [name]: await readLine(context, name, { secret: true }) } }),
    ...fieldsOf(options.set),
  };
}
