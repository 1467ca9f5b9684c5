import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type OwnServer, type OwnTool, startOwnServer } from './own-server.ts';

interface Grant {
  readonly client: string;
  readonly user: string;
  readonly challenge: string;
  readonly redirect: string;
  readonly resource: string;
}

export interface OAuthServer extends OwnServer {
  /** Valid access tokens, with their users. */
  readonly access: Map<string, string>;
  readonly refresh: Map<string, string>;
  readonly refreshed: string[];
  /** All issued tokens. They must not appear in any output. */
  readonly secrets: string[];
  /** Signs a user in like a browser. Returns the redirect URL. */
  consent(authorizationUrl: string, user: string): Promise<URL>;
}

/** Overrides for the metadata of the protected resource and the authorization server. */
export interface Steering {
  readonly resource?: object;
  readonly server?: object;
  /** The URL in WWW-Authenticate. */
  readonly hint?: string;
}

const CLIENT = { id: 'the-machine', secret: 'a-secret-of-the-machine' };
export const MACHINE = CLIENT;

/** An MCP server that requires authorization, with its own strict authorization server. */
export async function startOAuthServer(
  tools: OwnTool[],
  atEnd: (stop: () => Promise<void>) => void,
  options: { expiresIn?: number; metadata?: Steering } = {},
): Promise<OAuthServer> {
  const access = new Map<string, string>();
  const refresh = new Map<string, string>();
  const refreshed: string[] = [];
  const secrets: string[] = [];
  const clients = new Map<string, string[]>();
  const codes = new Map<string, Grant>();

  const issue = (user: string) => {
    const [access_token, refresh_token] = [`at-${randomUUID()}`, `rt-${randomUUID()}`];
    access.set(access_token, user);
    refresh.set(refresh_token, user);
    secrets.push(access_token, refresh_token);
    const { expiresIn: expires_in = 3600 } = options;
    return { access_token, refresh_token, token_type: 'Bearer', expires_in };
  };

  const token = (form: URLSearchParams, authorization: string | undefined): object | undefined => {
    switch (form.get('grant_type') ?? '') {
      case 'authorization_code': {
        const code = form.get('code') ?? '';
        const grant = codes.get(code);
        codes.delete(code);
        const verifier = form.get('code_verifier') ?? '';
        const proof = createHash('sha256').update(verifier).digest('base64url');
        const isRight =
          grant?.challenge === proof &&
          grant.client === form.get('client_id') &&
          grant.redirect === form.get('redirect_uri') &&
          grant.resource === form.get('resource');
        return isRight ? issue(grant.user) : undefined;
      }
      case 'refresh_token': {
        // Valid once.
        const given = form.get('refresh_token') ?? '';
        const user = refresh.get(given);
        refresh.delete(given);
        refreshed.push(given);
        return user === undefined ? undefined : issue(user);
      }
      case 'client_credentials': {
        const basic = Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64');
        return authorization === `Basic ${basic}` ? issue('machine') : undefined;
      }
      default:
        return undefined;
    }
  };

  const before = async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    const origin = `http://${request.headers.host}`;
    const { pathname, searchParams } = new URL(request.url ?? '/', origin);
    const json = (body: object, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      return true;
    };
    switch (pathname) {
      case '/.well-known/oauth-protected-resource/mcp':
        return json({
          resource: `${origin}/mcp`,
          authorization_servers: [origin],
          ...options.metadata?.resource,
        });
      case '/.well-known/oauth-authorization-server':
        return json({
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
          ...options.metadata?.server,
        });
      case '/register': {
        const asked = JSON.parse(await bodyOf(request)) as { redirect_uris: string[] };
        const client_id = `client-${randomUUID()}`;
        clients.set(client_id, asked.redirect_uris);
        return json({ ...asked, client_id }, 201);
      }
      case '/authorize': {
        const client = searchParams.get('client_id') ?? '';
        const redirect = searchParams.get('redirect_uri') ?? '';
        if (clients.get(client)?.includes(redirect) !== true) return json({ error: 'x' }, 400);
        if (searchParams.get('code_challenge_method') !== 'S256') return json({ error: 'x' }, 400);
        const code = `code-${randomUUID()}`;
        codes.set(code, {
          client,
          redirect,
          user: searchParams.get('user') ?? '',
          challenge: searchParams.get('code_challenge') ?? '',
          resource: searchParams.get('resource') ?? '',
        });
        const back = new URL(redirect);
        back.searchParams.set('code', code);
        back.searchParams.set('state', searchParams.get('state') ?? '');
        back.searchParams.set('iss', origin);
        response.writeHead(302, { location: back.href }).end();
        return true;
      }
      case '/token': {
        const tokens = token(
          new URLSearchParams(await bodyOf(request)),
          request.headers.authorization,
        );
        return tokens === undefined ? json({ error: 'invalid_grant' }, 400) : json(tokens);
      }
      default: {
        const [, given = ''] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
        if (access.has(given)) return false;
        const metadata =
          options.metadata?.hint ?? `${origin}/.well-known/oauth-protected-resource/mcp`;
        response
          .writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` })
          .end();
        return true;
      }
    }
  };
  const own = await startOwnServer(tools, atEnd, { before });
  return Object.assign(own, {
    access,
    refresh,
    refreshed,
    secrets,
    async consent(authorizationUrl: string, user: string) {
      const answer = await fetch(`${authorizationUrl}&user=${user}`, { redirect: 'manual' });
      const location = answer.headers.get('location');
      if (location === null) throw new Error(`no consent: ${answer.status}`);
      return new URL(location);
    },
  });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
