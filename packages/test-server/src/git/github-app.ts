import { type KeyObject, generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import { rest, type RestAnswer } from './rest.ts';

export interface TestInstallation {
  readonly id: number;
  /** All repositories have the same owner. */
  readonly repositories: readonly string[];
  permissions: Record<string, 'read' | 'write'>;
  suspended: boolean;
}

export interface InstallationToken {
  readonly token: string;
  readonly repositories: readonly string[];
  readonly permissions: Readonly<Record<string, string>>;
  readonly expires: number;
}

const MAX_LIFETIME_SECONDS = 600;
const TOKEN_MS = 60 * 60_000;
const unauthorized = (message: string) => rest({ message, status: '401' }, 401);
const notFound = rest({ message: 'Not Found', status: '404' }, 404);
const forbidden = rest({ message: 'Resource not accessible by integration', status: '403' }, 403);

/** A GitHub App at the fake host, with GitHub's rules for its assertions and tokens. */
export class TestGitHubApp {
  readonly id = '4711';
  readonly privateKey: string;
  readonly installations: TestInstallation[] = [];
  /** All issued tokens, oldest first. */
  readonly tokens: InstallationToken[] = [];
  now: () => number = Date.now;
  readonly #publicKey: KeyObject;

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    this.#publicKey = publicKey;
    this.privateKey = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  }

  install(...repositories: string[]): TestInstallation {
    const permissions: TestInstallation['permissions'] = {
      contents: 'write',
      pull_requests: 'write',
      checks: 'read',
      statuses: 'read',
      metadata: 'read',
    };
    const id = this.installations.length + 100;
    const installation = { id, repositories, permissions, suspended: false };
    this.installations.push(installation);
    return installation;
  }

  /** Undefined if the request is not one of the app itself. */
  answer(
    { method, path, body }: { method: string; path: string; body: Record<string, unknown> },
    authorization: string | undefined,
  ): RestAnswer | undefined {
    const [, repository] = /^\/repos\/(.+)\/installation$/.exec(path) ?? [];
    const [, id] = /^\/app\/installations\/(\d+)\/access_tokens$/.exec(path) ?? [];
    if (repository === undefined && id === undefined) return undefined;
    const problem = this.#problemIn(/^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '');
    if (problem !== undefined) return unauthorized(problem);
    if (repository !== undefined && method === 'GET') {
      const found = this.installations.find((one) => one.repositories.includes(repository));
      if (found === undefined) return notFound;
      const suspended_at = found.suspended ? '2026-01-01T00:00:00Z' : null;
      return rest({ id: found.id, permissions: found.permissions, suspended_at });
    }
    const installation = this.installations.find((one) => one.id === Number(id));
    if (installation === undefined || method !== 'POST') return notFound;
    if (installation.suspended)
      return rest({ message: 'This installation has been suspended', status: '403' }, 403);
    return this.#issue(installation, body);
  }

  /** Undefined if the token is unknown or expired. */
  tokenOf(secret: string): InstallationToken | undefined {
    return this.tokens.find(({ token, expires }) => token === secret && expires > this.now());
  }

  /** Undefined if the token allows the request. */
  refusal(
    { repositories, permissions }: InstallationToken,
    { method, path, body }: { method: string; path: string; body: Record<string, unknown> },
  ): RestAnswer | undefined {
    const variables = body['variables'] as Record<string, unknown> | undefined;
    const asked =
      path === '/graphql'
        ? `${String(variables?.['owner'])}/${String(variables?.['name'])}`
        : /^\/repos\/([^/]+\/[^/]+)/.exec(path)?.[1];
    if (asked === undefined) return forbidden;
    if (!repositories.includes(asked)) return notFound;
    const needed = path.includes('/check-runs')
      ? 'checks'
      : path.endsWith('/status')
        ? 'statuses'
        : path.includes('/pulls') || path === '/graphql'
          ? 'pull_requests'
          : undefined;
    if (needed === undefined) return undefined;
    const isWrite = method === 'POST' && path !== '/graphql';
    const granted = permissions[needed];
    return granted === undefined || (isWrite && granted !== 'write') ? forbidden : undefined;
  }

  #issue(installation: TestInstallation, body: Record<string, unknown>): RestAnswer {
    const [owner = ''] = installation.repositories[0]?.split('/') ?? [];
    const names = (body['repositories'] ?? []) as string[];
    const repositories = names.map((name) => `${owner}/${name}`);
    if (!repositories.every((one) => installation.repositories.includes(one)))
      return rest(
        { message: 'There is at least one repository that does not exist or is not accessible.' },
        422,
      );
    const permissions = (body['permissions'] ?? installation.permissions) as Record<string, string>;
    const isGranted = Object.entries(permissions).every(
      ([name, level]) =>
        installation.permissions[name] === 'write' || installation.permissions[name] === level,
    );
    if (!isGranted)
      return rest(
        { message: 'The permissions requested are not granted to this installation.' },
        422,
      );
    const issued: InstallationToken = {
      token: `ghs_${randomBytes(18).toString('hex')}`,
      // Without a list, the token is for all repositories.
      repositories: names.length === 0 ? installation.repositories : repositories,
      permissions: { metadata: 'read', ...permissions },
      expires: this.now() + TOKEN_MS,
    };
    this.tokens.push(issued);
    const { token, expires } = issued;
    const expires_at = new Date(expires).toISOString().replace(/\.\d+Z$/, 'Z');
    return rest({ token, expires_at, permissions: issued.permissions }, 201);
  }

  /** GitHub's error message for an invalid assertion. */
  #problemIn(assertion: string): string | undefined {
    const [header = '', claims = '', signature = ''] = assertion.split('.');
    const isSigned =
      read(header)['alg'] === 'RS256' &&
      verify(
        'RSA-SHA256',
        Buffer.from(`${header}.${claims}`),
        this.#publicKey,
        Buffer.from(signature, 'base64url'),
      );
    if (!isSigned) return 'A JSON web token could not be decoded';
    const { iss, iat, exp } = read(claims);
    const now = this.now() / 1000;
    if (iss !== this.id) return "'Issuer' claim ('iss') must be the App ID";
    if (typeof iat !== 'number' || iat > now)
      return "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued";
    if (typeof exp !== 'number' || exp <= now)
      return "'Expiration time' claim ('exp') is in the past";
    if (exp > now + MAX_LIFETIME_SECONDS)
      return "'Expiration time' claim ('exp') is too far in the future";
    return undefined;
  }
}

/** A part of an assertion. Empty if it is not JSON. */
function read(part: string): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  } catch {
    return {};
  }
}
