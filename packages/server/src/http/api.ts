import { API_PREFIX, type Route, type RouteName, type Routes, routes } from '@chatd/protocol';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { accountCalls } from './calls/accounts.ts';
import { chatCalls } from './calls/chats.ts';
import { configurationCalls } from './calls/configuration.ts';
import { debugRecordCalls } from './calls/debug-record.ts';
import { desktopCalls } from './calls/desktops.ts';
import { fileCalls } from './calls/files.ts';
import { mcpServerCalls } from './calls/mcp-servers.ts';
import { messageCalls } from './calls/messages.ts';
import { modelConfigCalls } from './calls/model-configs.ts';
import { peopleCalls } from './calls/people.ts';
import { providerCalls } from './calls/providers.ts';
import { streamCalls } from './calls/streams.ts';
import { templateCalls } from './calls/templates.ts';
import { terminalCalls } from './calls/terminals.ts';
import { uiStreamCalls } from './calls/ui-stream.ts';
import { usageCalls } from './calls/usage.ts';
import { workspaceFileCalls } from './calls/workspace-files.ts';
import { workspaceCalls } from './calls/workspaces.ts';
import type { Handler } from './call.ts';
import { Exchange } from './exchange.ts';
import { OPEN_PATHS, type OpenPath, openPaths } from './open-paths.ts';
import { asProblem } from './problem.ts';
import { problemResponse } from './problem-response.ts';
import { RequestRefused } from './refusal.ts';
import { openPeer, openStream } from './open-stream.ts';
import type { Meeting } from './peer.ts';
import { serve, Streaming } from './serve.ts';
import type { Services } from './services.ts';

type Env = { Bindings: HttpBindings };
type Work = (exchange: Exchange, context: Context<Env>) => Promise<Response | Streaming | Meeting>;

/** Every call of the table, with its handler: one that is missing does not compile. */
const handlers = (services: Services): { readonly [Name in RouteName]: Handler<Routes[Name]> } => ({
  ...chatCalls(services),
  ...messageCalls(services),
  ...peopleCalls(services),
  ...streamCalls(services),
  ...uiStreamCalls(services),
  ...debugRecordCalls(),
  ...fileCalls(services),
  ...usageCalls(),
  ...accountCalls(services),
  ...providerCalls(services),
  ...modelConfigCalls(services),
  ...configurationCalls(services),
  ...templateCalls(services),
  ...workspaceCalls(services),
  ...workspaceFileCalls(services),
  ...terminalCalls(services),
  ...desktopCalls(services),
  ...mcpServerCalls(services),
});

/** The whole of what the server answers. */
export function createApi(services: Services): Hono<Env> {
  const app = new Hono<Env>();
  const bound = handlers(services);
  const handle = (label: string, work: Work, anyHost = false) =>
    handler(services, label, work, anyHost);

  app.options(`${API_PREFIX}/*`, async (context, next) => {
    const { method, path } = context.req;
    const header = (name: string) => context.req.header(name);
    const headers = services.origins.preflight({ method, path, header });
    if (headers === undefined) return await next();
    const answer = () => Promise.resolve(new Response(null, { status: 204, headers }));
    return await handle('preflight', answer)(context);
  });

  // Where two paths match (`/users/me`, `/users/{user_id}`), the table names the narrower one first.
  for (const name of Object.keys(routes) as RouteName[]) {
    const route: Route = routes[name];
    const perform = serve(name, bound[name]);
    app.on(
      route.method.toUpperCase(),
      pathOf(route),
      handle(route.path, (exchange, context) => perform(services, exchange, context.req.param())),
    );
  }
  for (const [path, { answer, anyHost }] of Object.entries<OpenPath>(openPaths(services))) {
    app.get(
      path,
      handle(path, (exchange, context) => answer(exchange, context.req.param()), anyHost),
    );
  }
  for (const [path, allow] of allowed()) {
    app.all(
      path,
      handle('method_not_allowed', () => refuseMethod(allow)),
    );
  }
  app.notFound((context) => handle('not_found', () => Promise.reject(nothingHere()))(context));
  return app;
}

const pathOf = (route: Route) => `${API_PREFIX}${route.path.replaceAll(/\{(\w+)\}/g, ':$1')}`;

/** One request: its host is checked, its errors become answers, and it is counted and traced. */
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
          return openStream(answer.joining, exchange, context.env.outgoing, crossOrigin);
        }
        if ('open' in answer) return openPeer(answer, exchange);
        answer.headers.set('x-request-id', exchange.id);
        return withHeaders(answer, crossOrigin);
      } catch (error) {
        return withHeaders(refuse(services, exchange, error), crossOrigin);
      }
    });
    const seconds = (performance.now() - started) / 1000;
    services.metrics.request(label, exchange.method, response.status, seconds);
    exchange.log.debug(
      { method: exchange.method, path: exchange.path, status: response.status, seconds },
      'request',
    );
    return response;
  };
}

function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.append(name, value);
  return response;
}

function checkHost({ hosts }: Services, exchange: Exchange): void {
  const host = exchange.header('host');
  if (hosts.allows(host)) return;
  throw new RequestRefused(
    'host_not_allowed',
    `The server was not told that it is called ${JSON.stringify(host ?? '')}: name it in CHATD_ALLOWED_HOSTS.`,
  );
}

function refuse(services: Services, exchange: Exchange, error: unknown): Response {
  const problem = asProblem(error);
  services.metrics.refusal(problem.body.code);
  const { method, path } = exchange;
  if (problem.unexpected) exchange.log.error({ err: error, method, path }, 'a request failed');
  else if (problem.status === 503) exchange.log.warn({ err: error, path }, 'the database is away');
  return problemResponse(problem, exchange.id);
}

const methods = ({ method }: Route) => (method === 'get' ? 'GET, HEAD' : method.toUpperCase());

/** By path, the methods that it has. */
function allowed(): Map<string, string> {
  const table = Map.groupBy(Object.values<Route>(routes), pathOf);
  return new Map([
    ...[...table].map(([path, some]): [string, string] => [path, some.map(methods).join(', ')]),
    ...OPEN_PATHS.map((path): [string, string] => [path, 'GET, HEAD']),
  ]);
}

function refuseMethod(allow: string): Promise<never> {
  return Promise.reject(
    new RequestRefused('method_not_allowed', `Only ${allow} can be used here.`, {
      headers: { allow },
    }),
  );
}

const nothingHere = () =>
  new RequestRefused('not_found', 'There is no such path: /docs describes what there is.');
