import type { CallAnswer, Client } from '@chatd/client';
import { confirm, readLine } from '../access/read-secret.ts';
import { action, group } from '../command-line/command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { JSON_OPTION, printJson, printList, printRecord } from '../output/listing.ts';
import { oneLine } from '../output/terminal-text.ts';
import { bodyFor, fieldsOf, SET_OPTION } from './fields.ts';
import { pick } from './pick.ts';
import { printTest } from './test-result.ts';

type McpServer = CallAnswer<'getMcpServer'>;

const ACCESS = {
  bearer: { type: 'boolean', help: 'Ask for a token; read from stdin where that is no terminal' },
  'env-secret': {
    type: 'string',
    value: 'NAME',
    help: 'Ask for the value of a variable of its program; read from stdin likewise',
  },
  'default-on': { type: 'boolean', help: 'Chats that do not say which they want have it' },
  ...SET_OPTION,
  ...JSON_OPTION,
} as const;

export async function findMcpServer(client: Client, word: string): Promise<McpServer> {
  const { mcp_servers } = await client.call('listMcpServers');
  return pick(mcp_servers, word, 'MCP server', ({ name }) => [name]);
}

export const mcpServers = group({
  name: 'mcp',
  summary: 'MCP servers: list, create, show, update, test, sign in, delete',
  commands: [
    action({
      name: 'list',
      summary: 'All MCP servers',
      options: JSON_OPTION,
      async run({ values, context }) {
        const { mcp_servers } = await (await context.client()).call('listMcpServers');
        printList(
          context,
          mcp_servers,
          [
            { title: 'ID', value: ({ id }) => id },
            { title: 'NAME', value: ({ name }) => name },
            { title: 'WHERE', value: whereOf, flexible: true },
            { title: 'ENABLED', value: ({ enabled }) => (enabled ? 'yes' : 'no') },
            { title: 'SIGNED IN', value: signedIn },
          ],
          { json: values.json, none: 'There are no MCP servers.' },
        );
        return EXIT.ok;
      },
    }),
    action({
      name: 'create',
      summary: 'Add an MCP server: by its URL, or by the command that starts it',
      positionals: [
        { name: 'NAME' },
        { name: 'URL_OR_COMMAND' },
        { name: 'ARG', optional: true, rest: true },
      ],
      options: {
        sse: { type: 'boolean', help: 'It speaks the older SSE transport' },
        ...ACCESS,
      },
      examples: [
        ['chatd mcp create github https://api.example.org/mcp --bearer', 'asks for the token'],
        [
          'chatd mcp create files npx -- -y @modelcontextprotocol/server-filesystem /srv',
          'a program',
        ],
      ],
      async run({ values, positionals: [name = '', where = '', ...args], context }) {
        const client = await context.client();
        const isUrl = /^https?:/.test(where);
        const place = isUrl
          ? { transport: values.sse === true ? 'sse' : 'http', url: where }
          : { transport: 'stdio', command: where, args };
        const server = await client.call('createMcpServer', {
          body: bodyFor(
            'createMcpServer',
            { name, ...place, default_on: values['default-on'] },
            await secrets(context, values),
            fieldsOf(values.set),
          ),
        });
        printRecord(context, server, values.json);
        context.say(`Try it: chatd mcp test ${server.name}`);
        return EXIT.ok;
      },
    }),
    action({
      name: 'show',
      summary: 'One MCP server',
      positionals: [{ name: 'SERVER' }],
      options: JSON_OPTION,
      async run({ values, positionals: [word = ''], context }) {
        printRecord(context, await findMcpServer(await context.client(), word), values.json);
        return EXIT.ok;
      },
    }),
    action({
      name: 'update',
      summary: 'Change an MCP server',
      positionals: [{ name: 'SERVER' }],
      options: {
        enable: { type: 'boolean', help: 'To be used' },
        disable: { type: 'boolean', help: 'Not to be used' },
        ...ACCESS,
      },
      async run({ values, positionals: [word = ''], context }) {
        const client = await context.client();
        const { id } = await findMcpServer(client, word);
        const enabled = values.enable ?? (values.disable === true ? false : undefined);
        const server = await client.call('updateMcpServer', {
          params: { mcp_server_id: id },
          body: bodyFor(
            'updateMcpServer',
            { enabled, default_on: values['default-on'] },
            await secrets(context, values),
            fieldsOf(values.set),
          ),
        });
        printRecord(context, server, values.json);
        return EXIT.ok;
      },
    }),
    action({
      name: 'test',
      summary: 'Connect to the server, list its tools, and say what happened',
      positionals: [{ name: 'SERVER' }],
      options: JSON_OPTION,
      async run({ values, positionals: [word = ''], context }) {
        const client = await context.client();
        const { id } = await findMcpServer(client, word);
        const result = await client.call('testMcpServer', { params: { mcp_server_id: id } });
        const exitCode = printTest(context, result, values.json);
        if (values.json === true) return exitCode;
        for (const { name, description } of result.tools ?? []) {
          context.print(`  ${oneLine(name)}  ${context.style('dim', oneLine(description))}\n`);
        }
        for (const { name, reason } of result.left_out ?? []) {
          context.print(`  ${oneLine(name)}  left out: ${oneLine(reason)}\n`);
        }
        return exitCode;
      },
    }),
    action({
      name: 'sign-in',
      summary: 'Begin to sign in to a server that wants to know who you are',
      positionals: [{ name: 'SERVER' }],
      options: JSON_OPTION,
      async run({ values, positionals: [word = ''], context }) {
        const client = await context.client();
        const { id } = await findMcpServer(client, word);
        const params = { mcp_server_id: id };
        const { authorization_url, expires_at } = await client.call('signInToMcpServer', {
          params,
        });
        if (values.json === true) printJson(context, { authorization_url, expires_at });
        else context.print(`${oneLine(authorization_url)}\n`);
        context.say(
          `Open it in a browser that is signed in to chatd at ${client.url}, before ${expires_at}.`,
        );
        return EXIT.ok;
      },
    }),
    action({
      name: 'sign-out',
      summary: 'Forget your session with a server',
      positionals: [{ name: 'SERVER' }],
      async run({ positionals: [word = ''], context }) {
        const client = await context.client();
        const { id, name } = await findMcpServer(client, word);
        await client.call('signOutOfMcpServer', { params: { mcp_server_id: id } });
        context.say(`Signed out of ${name}.`);
        return EXIT.ok;
      },
    }),
    action({
      name: 'delete',
      summary: 'Delete an MCP server; chats that used it go on without it',
      positionals: [{ name: 'SERVER' }],
      options: { yes: { type: 'boolean', short: 'y', help: 'Do not ask' } },
      async run({ values, positionals: [word = ''], context }) {
        const client = await context.client();
        const { id, name } = await findMcpServer(client, word);
        if (values.yes !== true) await confirm(context, `Delete the MCP server ${name}?`);
        await client.call('deleteMcpServer', { params: { mcp_server_id: id } });
        context.say(`Deleted ${name}.`);
        return EXIT.ok;
      },
    }),
  ],
});

const whereOf = ({ url, command, args }: McpServer) => url ?? [command, ...(args ?? [])].join(' ');

const signedIn = ({ needs_sign_in, signed_in }: McpServer) =>
  needs_sign_in ? (signed_in ? 'yes' : 'no') : 'not needed';

async function secrets(
  context: Context,
  values: { readonly bearer?: boolean; readonly 'env-secret'?: string },
): Promise<object> {
  const name = values['env-secret'];
  return {
    ...(values.bearer === true && {
      auth: { type: 'bearer', token: await readLine(context, 'Token', { secret: true }) },
    }),
    ...(name !== undefined && {
      env: { [name]: await readLine(context, name, { secret: true }) },
    }),
  };
}
