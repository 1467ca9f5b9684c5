import type { Json } from '@chatd/protocol';

/** An untyped client for the API of any version. */
export class PlainApi {
  readonly url: string;
  readonly token: string;

  constructor(url: string, token: string) {
    this.url = url;
    this.token = token;
  }

  /** The same server with another token. */
  as(token: string): PlainApi {
    return new PlainApi(this.url, token);
  }

  async get<T = Json>(path: string): Promise<T> {
    return await this.call<T>('GET', path);
  }

  async post<T = Json>(path: string, body: unknown = {}): Promise<T> {
    return await this.call<T>('POST', path, body);
  }

  async call<T = Json>(method: string, path: string, body?: unknown): Promise<T> {
    const { status, text } = await this.try(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  async try(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; text: string }> {
    const response = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  }
}

/** The responses of a version's API, by path. */
export type Observed = Record<string, Json>;

const USER_PATHS = ['/users/me', '/model-configs', '/users/me/approvals', '/workspaces'];
const ADMIN_PATHS = ['/settings', '/providers', '/users', '/templates', '/mcp-servers'];

/** Reads the state over the API. Paths that the version does not have are left out. */
export async function observe(
  api: PlainApi,
  options: {
    readonly admin: boolean;
    readonly chats: readonly string[];
    readonly files: readonly string[];
    /** A date range that covers all usage. */
    readonly range: string;
  },
): Promise<Observed> {
  const paths = [
    ...USER_PATHS,
    ...(options.admin ? ADMIN_PATHS : []),
    ...['model', 'chat', 'day'].map((group) => `/usage?${options.range}&group_by=${group}`),
    ...options.chats.flatMap((id) => [
      `/chats/${id}`,
      `/chats/${id}/messages?limit=200`,
      `/chats/${id}/cost`,
    ]),
    ...options.files.map((id) => `/files/${id}`),
  ];
  const observed: Observed = {};
  for (const path of paths) {
    const { status, text } = await api.try('GET', path);
    if (status === 200) observed[path] = path.startsWith('/files/') ? text : JSON.parse(text);
    else if (status !== 404) throw new Error(`GET ${path}: ${status} ${text}`);
  }
  return observed;
}
