import { routes } from '@chatd/protocol';
import type { Route, RouteName } from '@chatd/protocol';
import { join } from 'node:path';
import { ROOT } from '../checks.ts';
import { NAMESPACES } from '../../packages/client/src/namespaces.ts';
import { type Declaration, exportsOf, membersOf } from './declarations.ts';

const SOURCES = join(ROOT, 'packages', 'client', 'src');
const CLIENT = join(SOURCES, 'client.ts');

/** In the order of docs/sdk.md; what a package exports and is in none of these is an error. */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  'Making a client': ['createClient', 'ClientOptions', 'Token', 'Fetch', 'Clock'],
  'What can go wrong': ['ChatdProblem', 'ChatdUnreachable'],
  Streams: [
    'StreamOptions',
    'ChatStreamOptions',
    'WatchOptions',
    'ConnectionState',
    'StreamedEvent',
    'WatchedEvent',
  ],
  Turns: ['Turn', 'TurnResult'],
  'Tools that run in your program': [
    'runTools',
    'dynamicTools',
    'RunToolsOptions',
    'ToolRun',
    'ServedTool',
    'ToolCallContext',
    'NotAwaited',
    'StandardSchema',
    'JsonSchema',
  ],
  'Types of calls': [
    'Client',
    'CallName',
    'CallInput',
    'CallAnswer',
    'CallOptions',
    'BodyOf',
    'QueryOf',
    'PagedName',
    'ItemOf',
    'Bytes',
    'UploadOptions',
  ],
  'Front ends of the AI SDK': [
    'chatTransport',
    'ChatTransportOptions',
    'loadUIMessages',
    'toUIMessages',
    'ToUIMessagesOptions',
  ],
};

const NAMESPACE_WORDS: Readonly<Record<keyof typeof NAMESPACES, string>> = {
  chats: 'Chats, what is said in them, and what they wait for',
  queue: 'Messages that wait until a chat has time for them',
  files: 'Files to attach to messages',
  models: 'Models that chats can name',
  providers: 'Where models come from, and their keys',
  mcpServers: 'MCP servers, whose tools chats can have',
  templates: 'What workspaces are made from',
  workspaces: 'Where agents run commands and keep files',
  users: 'People, for admins',
  tokens: 'API tokens of yours',
  me: 'You: your password, your spending, your rules for approvals',
  session: 'Signing a browser in and out',
  settings: 'Settings of the whole server, for admins',
  usage: 'What was used, and what it cost',
  debug: 'What was said between a chat and its provider, while that is recorded',
};

/** docs/reference/sdk.md: everything that @chatd/client exports, from its sources and the table of calls. */
export function sdkReference(): string {
  const client = exportsOf(join(SOURCES, 'index.ts'));
  const aiSdk = exportsOf(join(SOURCES, 'ai-sdk', 'index.ts'));
  const all = new Map([...client, ...aiSdk].map((one) => [one.name, one]));
  checkAll(all);
  const { 'Making a client': making = [], ...others } = SECTIONS;
  return [
    introduction(),
    '## Making a client',
    ...making.flatMap((name) => declarationText(all.get(name))),
    '## The client',
    clientText(),
    ...Object.keys(NAMESPACE_WORDS).map((name) => namespaceText(name as keyof typeof NAMESPACES)),
    ...Object.entries(others).flatMap(([title, names]) => [
      `## ${title}`,
      ...(title === 'Front ends of the AI SDK' ? ['Exported by `@chatd/client/ai-sdk`.'] : []),
      ...names.flatMap((name) => declarationText(all.get(name))),
    ]),
  ].join('\n\n');
}

/** A reference with holes is none: whoever exports something says what it is, and where it belongs. */
function checkAll(all: ReadonlyMap<string, Declaration>): void {
  const placed = new Set(Object.values(SECTIONS).flat());
  for (const { name, doc } of all.values()) {
    if (!placed.has(name)) throw new Error(`${name} has no section in scripts/reference/sdk.ts.`);
    if (doc === '') throw new Error(`${name} of @chatd/client has no comment to describe it with.`);
  }
  for (const name of placed) {
    if (!all.has(name)) throw new Error(`${name} is no longer exported by @chatd/client.`);
  }
}

function introduction(): string {
  const links = Object.keys(NAMESPACE_WORDS).map((name) => `[${name}](#${name.toLowerCase()})`);
  const sections = Object.keys(SECTIONS).map(
    (title) => `[${title}](#${title.toLowerCase().replaceAll(' ', '-')})`,
  );
  return `# SDK reference

Everything that \`@chatd/client\` exports, from its sources; \`npm run reference\` writes this page. [chatd from code](../sdk.md) explains how it is used,
and [the API reference](api.md) has every field of what calls take (\`body\`, \`query\`) and answer: each method links to its call.

- ${sections.slice(0, 1).join('')} · [The client](#the-client): ${links.join(' · ')}
- ${sections.slice(1).join(' · ')}`;
}

function declarationText(declaration: Declaration | undefined): string[] {
  if (declaration === undefined) return [];
  const { name, doc, text } = declaration;
  // The client is described whole further up.
  if (name === 'Client') return [`### ${name}`, `${doc} See [the client](#the-client).`];
  return [`### ${name}`, doc, `\`\`\`typescript\n${text}\n\`\`\``];
}

function clientText(): string {
  const members = membersOf(CLIENT, ['Client']).filter(({ name }) => !(name in NAMESPACES));
  return ['| | |', '| --- | --- |', ...members.map(memberText)].join('\n');
}

const memberText = ({ text, doc }: Declaration) =>
  `| \`client.${bars(withoutReadonly(text))}\` | ${doc} |`;
const withoutReadonly = (text: string) =>
  text
    .replace(/^readonly /, '')
    .replace(/;$/, '')
    .replace(/^each: Each<.*>$/, 'each(query?, options?)');

function namespaceText(namespace: keyof typeof NAMESPACES): string {
  const special = new Map(
    membersOf(CLIENT, ['Client', namespace]).map((member) => [member.name, member]),
  );
  const rows = Object.entries<RouteName>(NAMESPACES[namespace]).map(([method, call]) => {
    const route: Route = routes[call];
    const own = special.get(method);
    const shown =
      own === undefined ? `${method}(${argumentsOf(route)})` : withoutReadonly(own.text);
    special.delete(method);
    const words = own === undefined || own.doc === '' ? `${route.summary}.` : own.doc;
    return `| \`${bars(shown)}\` | ${words} | [${call}](api.md#${call.toLowerCase()}) |`;
  });
  const more = [...special.values()].map(
    ({ text, doc }) => `| \`${bars(withoutReadonly(text))}\` | ${doc} | |`,
  );
  return [
    `### ${namespace}\n\n${NAMESPACE_WORDS[namespace]}. \`client.${namespace}\` has`,
    ['| method | | call |', '| --- | --- | --- |', ...rows, ...more].join('\n'),
  ].join('\n\n');
}

/** A bar ends a cell, also in code. */
const bars = (text: string) => text.replaceAll('|', '\\|');

function argumentsOf({ path, body, query }: Route): string {
  const params = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => camelCase(name));
  const required = query !== undefined && !query.safeParse({}).success;
  return [
    ...params,
    ...(body === undefined ? [] : ['body']),
    ...(query === undefined ? [] : [required ? 'query' : 'query?']),
    'options?',
  ].join(', ');
}

const camelCase = (name: string) =>
  name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
