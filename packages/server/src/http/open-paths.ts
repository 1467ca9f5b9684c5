import { AGENT_CARD_PATH, agentCard } from '../a2a/agent-card.ts';
import { signInByLink } from '../auth/sign-in-link.ts';
import { OIDC_CALLBACK, OIDC_SIGN_IN, type OidcSignIns } from '../oidc/sign-ins.ts';
import { readSchemaVersion } from '../store/queries/schema-migrations.ts';
import { onlyRow } from '../store/statement.ts';
import { DatabaseUnavailable } from '../store/unavailable.ts';
import { docsFile } from './docs.ts';
import type { Exchange } from './exchange.ts';
import { DATA_HEADERS, DOCS_HEADERS } from './headers.ts';
import { MCP_CALLBACK, mcpCallback } from './pages/mcp-callback.ts';
import { type OidcAnswer, oidcCallback, oidcSignIn } from './pages/oidc.ts';
import { NOT_BUILT_PAGE, PAGE_HEADERS, signedInPage, USED_LINK_PAGE } from './pages/pages.ts';
import { parseQueryString } from './request/query-string.ts';
import { notFound } from '../chat/refused.ts';
import type { Services } from './services.ts';
import { CLI_LOGIN_PATH, ROOT_FILES, WEB_PATHS } from './web-ui.ts';

export const OPEN_PATHS = [
  ...WEB_PATHS,
  '/assets/:file',
  ...ROOT_FILES.map((name) => `/${name}` as const),
  '/sign-in',
  OIDC_SIGN_IN,
  OIDC_CALLBACK,
  '/healthz',
  '/readyz',
  '/metrics',
  '/openapi.json',
  '/docs',
  '/docs/:file',
  MCP_CALLBACK,
  AGENT_CARD_PATH,
] as const;

export interface OpenPath {
  readonly answer: (
    exchange: Exchange,
    params: Readonly<Record<string, string>>,
  ) => Promise<Response>;
  /** Accepts any Host header, because health checks and scrapers use IP addresses. */
  readonly anyHost?: true;
}

/** The paths outside the API. GET only, and public except /metrics. */
export function openPaths(services: Services): Record<(typeof OPEN_PATHS)[number], OpenPath> {
  const { metrics, store, version, webUi } = services;
  let document: string | undefined;
  const shell: OpenPath = {
    answer: async (exchange) =>
      webUi === undefined ? html(NOT_BUILT_PAGE) : await webUi.page(encodings(exchange)),
  };
  const webFile = async (exchange: Exchange, name: string) => {
    const file = await webUi?.file(name, encodings(exchange));
    if (file === undefined) throw notFound();
    return file;
  };

  const rootFiles = Object.fromEntries(
    ROOT_FILES.map((name): [string, OpenPath] => [
      `/${name}`,
      { answer: (exchange) => webFile(exchange, name) },
    ]),
  ) as Record<`/${(typeof ROOT_FILES)[number]}`, OpenPath>;

  return {
    '/': shell,
    '/chats/:chat_id': shell,
    '/chats/:chat_id/desktop': shell,
    '/shared/:chat_id': shell,
    '/projects/:project_id': shell,
    '/settings': shell,
    '/settings/:section': shell,
    [CLI_LOGIN_PATH]: shell,
    '/assets/:file': { answer: (exchange, { file }) => webFile(exchange, `assets/${file ?? ''}`) },
    ...rootFiles,
    '/sign-in': { answer: (exchange) => signIn(services, exchange) },
    [OIDC_SIGN_IN]: { answer: (exchange) => oidcPage(services, exchange, oidcSignIn) },
    [OIDC_CALLBACK]: { answer: (exchange) => oidcPage(services, exchange, oidcCallback) },
    '/healthz': { anyHost: true, answer: async () => json({ status: 'ok' }) },
    '/readyz': {
      anyHost: true,
      async answer() {
        const { version } = onlyRow(await store.database.reserved.query(readSchemaVersion));
        if ((version ?? 0) < services.schemaVersion) {
          throw new DatabaseUnavailable('the schema of the database is older than this program');
        }
        return json({ status: 'ready' });
      },
    },
    '/metrics': {
      anyHost: true,
      async answer(exchange) {
        await authorizeMetrics(services, exchange);
        return text(await metrics.text(), metrics.contentType, DATA_HEADERS);
      },
    },
    '/openapi.json': {
      async answer() {
        const { openApiDocument } = await import('./openapi/openapi.ts');
        document ??= JSON.stringify(openApiDocument(version));
        return text(document, 'application/json', DATA_HEADERS);
      },
    },
    [AGENT_CARD_PATH]: { answer: async ({ origin }) => json(agentCard(origin, version)) },
    '/docs': { answer: () => docs('') },
    '/docs/:file': { answer: (_, { file }) => docs(file ?? '') },
    [MCP_CALLBACK]: {
      async answer(exchange) {
        // A HEAD request of a link preview does not finish the sign-in.
        if (exchange.method === 'HEAD') return html('');
        const { page, status } = await mcpCallback(services, exchange);
        return html(page, status);
      },
    },
  };
}

const encodings = (exchange: Exchange) => exchange.header('accept-encoding');

/** A link opened from another site continues on a page of ours: see `signedInPage`. */
async function signIn({ store }: Services, exchange: Exchange): Promise<Response> {
  // A HEAD request of a mail scanner or link preview does not use the link.
  if (exchange.method === 'HEAD') return html('');
  const { token } = parseQueryString(exchange.search);
  const { address: ip, secure } = exchange;
  const cookie =
    token === undefined ? null : await signInByLink(store.database, token, { ip, secure });
  if (cookie === null) return html(USED_LINK_PAGE, 401);
  const site = exchange.header('sec-fetch-site');
  const response =
    site === undefined || site === 'none' || site === 'same-origin'
      ? redirect('/')
      : html(signedInPage('/'));
  response.headers.set('set-cookie', cookie);
  return response;
}

/** Only where an OIDC provider is configured. */
async function oidcPage(
  services: Services,
  exchange: Exchange,
  work: (services: Services, oidc: OidcSignIns, exchange: Exchange) => Promise<OidcAnswer>,
): Promise<Response> {
  if (services.oidc === undefined) throw notFound();
  // A HEAD request of a link preview does not start or finish a sign-in.
  if (exchange.method === 'HEAD') return html('');
  const { page = '', location, status, cookies } = await work(services, services.oidc, exchange);
  const response = location === undefined ? html(page, status) : redirect(location);
  for (const cookie of cookies) response.headers.append('set-cookie', cookie);
  return response;
}

/** Allows the metrics token, a token with the scope `metrics`, and admins. */
async function authorizeMetrics(services: Services, exchange: Exchange): Promise<void> {
  const { authorizer, metricsToken } = services;
  if (metricsToken.matches(exchange.header('authorization'))) return;
  const { caller } = await authorizer.identify(exchange.credentials);
  const scoped = caller?.scopes?.includes('metrics') === true;
  const scope = scoped ? 'metrics' : 'admin';
  await authorizer.authorize(exchange.credentials, scope);
}

async function docs(name: string): Promise<Response> {
  const file = await docsFile(name);
  if (file === undefined) throw notFound();
  return text(file.content, file.type, DOCS_HEADERS);
}

const text = (
  content: string | Buffer,
  type: string,
  headers: Record<string, string>,
  status = 200,
) =>
  new Response(content as Uint8Array<ArrayBuffer> | string, {
    status,
    headers: { ...headers, 'content-type': type },
  });

const html = (content: string, status = 200) =>
  text(content, 'text/html; charset=utf-8', PAGE_HEADERS, status);

const json = (body: object) => text(JSON.stringify(body), 'application/json', DATA_HEADERS);

const redirect = (location: string) =>
  new Response(null, { status: 303, headers: { ...DATA_HEADERS, location } });
