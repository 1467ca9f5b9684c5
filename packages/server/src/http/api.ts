import { API_PREFIX, type Route, type RouteName, type Routes, routes } from '@chatd/protocol';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { accountHandlers } from './handlers/access/accounts.ts';
import { agUiHandlers } from './handlers/ag-ui.ts';
import { chatHandlers } from './handlers/chats.ts';
import { configurationHandlers } from './handlers/configuration.ts';
import { debugRecordHandlers } from './handlers/debug-record.ts';
import { desktopHandlers } from './handlers/workspaces/desktops.ts';
import { fileHandlers } from './handlers/files.ts';
import { auditEventHandlers } from './handlers/access/audit-events.ts';
import { gitHandlers } from './handlers/workspaces/git.ts';
import { groupHandlers } from './handlers/access/groups.ts';
import { machineHandlers } from './handlers/workspaces/machines.ts';
import { mcpServerHandlers } from './handlers/mcp-servers.ts';
import { messageHandlers } from './handlers/messages.ts';
import { modelConfigHandlers } from './handlers/model-configs.ts';
import { approvalHandlers } from './handlers/approvals.ts';
import { notificationHandlers } from './handlers/notifications.ts';
import { checkpointHandlers } from './handlers/workspaces/checkpoints.ts';
import { portHandlers } from './handlers/workspaces/ports.ts';
import { projectHandlers } from './handlers/projects.ts';
import { providerHandlers } from './handlers/providers.ts';
import { sharingHandlers } from './handlers/access/sharing.ts';
import { signInHandlers } from './handlers/access/sign-in.ts';
import { streamHandlers } from './handlers/streams.ts';
import { templateHandlers } from './handlers/workspaces/templates.ts';
import { triggerHandlers } from './handlers/triggers.ts';
import { terminalHandlers } from './handlers/workspaces/terminals.ts';
import { uiStreamHandlers } from './handlers/ui-stream.ts';
import { usageHandlers } from './handlers/usage.ts';
import { webhookHandlers } from './handlers/webhooks.ts';
import { workspaceFileHandlers } from './handlers/workspaces/workspace-files.ts';
import { workspaceHandlers } from './handlers/workspaces/workspaces.ts';
import { CROSS_ORIGIN_PREFIXES } from '../auth/allowed-origins.ts';
import type { Handler } from './call.ts';
import { Exchange } from './exchange.ts';
import { FACE_METHODS, FACE_ROUTES, faceHandlers, type FaceRouteName } from './faces.ts';
import { GIT_WEBHOOK_PATH, gitWebhook } from './git-webhook.ts';
import { HOOK_PATH, hookEndpoint } from './hooks.ts';
import { OPEN_PATHS, type OpenPath, openPaths } from './open-paths.ts';
import { openAiError } from './openai/handlers.ts';
import { OPENAI_PREFIX } from '../openai/routes.ts';
import { asProblem, problemResponse } from './problem.ts';
import { discardBody } from './request/body.ts';
import { Refused } from '../chat/refused.ts';
import { openWebSocket, openStream } from './sockets/open-stream.ts';
import type { WebSocketHandler } from './sockets/web-socket.ts';
import { serve, type Serve, Streaming } from './serve.ts';
import type { Services } from './services.ts';

type Env = { Bindings: HttpBindings };
type Work = (
  exchange: Exchange,
  context: Context<Env>,
) => Promise<Response | Streaming | WebSocketHandler>;

/** A handler for every route of the table. A missing one does not compile. */
const handlers = (services: Services): { readonly [Name in RouteName]: Handler<Routes[Name]> } => ({
  ...chatHandlers(services),
  ...projectHandlers(services),
  ...sharingHandlers(services),
  ...messageHandlers(services),
  ...approvalHandlers(services),
  ...streamHandlers(services),
  ...uiStreamHandlers(services),
  ...agUiHandlers(services),
  ...triggerHandlers(services),
  ...debugRecordHandlers(),
  ...fileHandlers(services),
  ...usageHandlers(),
  ...accountHandlers(services),
  ...groupHandlers(services),
  ...signInHandlers(services),
  ...providerHandlers(services),
  ...modelConfigHandlers(services),
  ...configurationHandlers(services),
  ...auditEventHandlers(),
  ...templateHandlers(services),
  ...machineHandlers(services),
  ...workspaceHandlers(services),
  ...gitHandlers(services),
  ...workspaceFileHandlers(services),
  ...checkpointHandlers(services),
  ...portHandlers(services),
  ...terminalHandlers(services),
  ...desktopHandlers(services),
  ...mcpServerHandlers(services),
  ...webhookHandlers(services),
  ...notificationHandlers(services),
});

/** Every route of the server. */
export function createApi(services: Services): Hono<Env> {
  const app = new Hono<Env>();
  const bound = handlers(services);
  const handle = (label: string, work: Work, anyHost = false) =>
    handler(services, label, work, anyHost);

  app.on(
    'OPTIONS',
    CROSS_ORIGIN_PREFIXES.map((prefix) => `${prefix}/*`),
    async (context, next) => {
      const { method, path } = context.req;
      const header = (name: string) => context.req.header(name);
      const headers = services.origins.preflight({ method, path, header });
      if (headers === undefined) return await next();
      const answer = () => Promise.resolve(new Response(null, { status: 204, headers }));
      return await handle('preflight', answer)(context);
    },
  );

  // Where two paths match (`/users/me`, `/users/{user_id}`), the table lists the more specific one first.
  const serves = {} as Record<RouteName, Serve>;
  for (const name of Object.keys(routes) as RouteName[]) {
    const route: Route = routes[name];
    const perform = serve(name, bound[name]);
    serves[name] = perform;
    app.on(
      route.method.toUpperCase(),
      pathOf(route),
      handle(route.path, (exchange, context) => perform(services, exchange, context.req.param())),
    );
  }
  const faces = faceHandlers(services, serves);
  for (const name of Object.keys(FACE_ROUTES) as FaceRouteName[]) {
    const { method, path } = FACE_ROUTES[name];
    app.on(
      method,
      path,
      handle(path, (exchange, { req, env: { outgoing } }) =>
        faces[name]({ exchange, request: req.raw, outgoing, params: req.param() }),
      ),
    );
  }
  app.post(GIT_WEBHOOK_PATH, handle(GIT_WEBHOOK_PATH, gitWebhook(services)));
  const hook = hookEndpoint(services);
  app.post(
    HOOK_PATH,
    handle(HOOK_PATH, (exchange, context) => hook(exchange, context.req.param('id') ?? '')),
  );
  for (const [path, { answer, anyHost }] of Object.entries<OpenPath>(openPaths(services))) {
    app.get(
      path,
      handle(path, (exchange, context) => answer(exchange, context.req.param()), anyHost),
    );
  }
  for (const [path, allow] of allowed()) {
    app.all(
      path,
      handle('method_not_allowed', (exchange) =>
        Promise.resolve(refuse(services, exchange, methodNotAllowed(allow), { allow })),
      ),
    );
  }
  app.all(
    `${OPENAI_PREFIX}/*`,
    handle('not_found', (exchange) =>
      Promise.resolve(openAiError(services, exchange, unknownPath(exchange))),
    ),
  );
  app.notFound((context) =>
    handle('not_found', (exchange) => Promise.reject(unknownPath(exchange)))(context),
  );
  return app;
}

const pathOf = (route: Route) => `${API_PREFIX}${route.path.replaceAll(/\{(\w+)\}/g, ':$1')}`;

/** Wraps the work of a request: checks the host, turns errors into problems, records metrics and a trace. */
function handler(services: Services, label: string, work: Work, anyHost: boolean) {
  return async (context: Context<Env>): Promise<Response> => {
    const started = performance.now();
    const exchange = new Exchange(context.env.incoming, services.log, services.proxies);
    const crossOrigin = services.origins.headersFor(exchange);
    const response = await services.traces.request(exchange, label, async () => {
      try {
        if (!anyHost) checkHost(services, exchange);
        const answer = await work(exchange, context);
        if (answer instanceof Streaming) {
          const headers = { ...crossOrigin, ...exchange.rateLimit };
          return openStream(answer.joining, exchange, context.env.outgoing, headers);
        }
        if ('open' in answer) return openWebSocket(answer, exchange);
        answer.headers.set('x-request-id', exchange.id);
        return withHeaders(answer, { ...crossOrigin, ...exchange.rateLimit });
      } catch (error) {
        const page = await notFoundPage(services, exchange, error);
        page?.headers.set('x-request-id', exchange.id);
        const response = page ?? refuse(services, exchange, error);
        return withHeaders(response, { ...crossOrigin, ...exchange.rateLimit });
      }
    });
    if (exchange.upgrade === undefined) discardBody(exchange.incoming);
    const seconds = (performance.now() - started) / 1000;
    services.metrics.request(label, exchange.method, response.status, seconds);
    exchange.log.debug(
      { method: exchange.method, path: exchange.path, status: response.status, seconds },
      'request',
    );
    return response;
  };
}

/** A browser at an unknown address gets the web UI, which says so. The API and files keep their problem documents. */
async function notFoundPage(
  { webUi }: Services,
  exchange: Exchange,
  error: unknown,
): Promise<Response | undefined> {
  if (!(error instanceof Refused) || error.code !== 'not_found') return undefined;
  if (exchange.method !== 'GET' || /^\/(api|assets)\//.test(exchange.path)) return undefined;
  if (exchange.header('accept')?.includes('text/html') !== true) return undefined;
  return await webUi?.page(exchange.header('accept-encoding'), 404);
}

function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.append(name, value);
  return response;
}

function checkHost({ hosts }: Services, exchange: Exchange): void {
  const host = exchange.header('host');
  if (hosts.allows(host)) return;
  throw new Refused(
    'host_not_allowed',
    `Host ${JSON.stringify(host ?? '')} is not allowed. Add it to CHATD_ALLOWED_HOSTS.`,
  );
}

function refuse(
  services: Services,
  exchange: Exchange,
  error: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const problem = asProblem(error);
  services.metrics.refusal(problem.body.code);
  const { method, path } = exchange;
  if (problem.unexpected) exchange.log.error({ err: error, method, path }, 'request failed');
  else if (problem.status === 503) exchange.log.warn({ err: error, path }, 'database unavailable');
  return problemResponse(problem, { 'x-request-id': exchange.id, ...headers });
}

const methods = ({ method }: Route) => (method === 'get' ? 'GET, HEAD' : method.toUpperCase());

/** The allowed methods of every path. */
function allowed(): Map<string, string> {
  const table = Map.groupBy(Object.values<Route>(routes), pathOf);
  return new Map([
    ...[...table].map(([path, some]): [string, string] => [path, some.map(methods).join(', ')]),
    ...OPEN_PATHS.map((path): [string, string] => [path, 'GET, HEAD']),
    ...FACE_METHODS.map(([path, allow]): [string, string] => [path, allow]),
    [HOOK_PATH, 'POST'],
    [GIT_WEBHOOK_PATH, 'POST'],
  ]);
}

const methodNotAllowed = (allow: string) =>
  new Refused('method_not_allowed', `Method not allowed. Use ${allow}.`);

/** Characters of a path in an error. */
const MAX_SHOWN = 200;

const unknownPath = ({ path }: Exchange) =>
  new Refused('not_found', `Unknown path ${path.slice(0, MAX_SHOWN)}. See /docs for the API.`);
