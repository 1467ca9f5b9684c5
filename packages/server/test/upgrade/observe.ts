import type { Json } from '@chatd/protocol';

/** A caller of an API of any version: shapes are what that version says. */
export class PlainApi {
  readonly url: string;
  readonly token: string;

  constructor(url: string, token: string) {
    this.url = url;
    this.token = token;
  }

  /** The same server for somebody else. */
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

/** Whose token sees what: the answers of a version's API, by path. */
export type Observed = Record<string, Json>;

const OF_EVERYBODY = ['/users/me', '/model-configs', '/users/me/approvals', '/workspaces'];
const OF_ADMINS = ['/settings', '/providers', '/users', '/templates', '/mcp-servers'];

/** What an API says of its state. A call that this version does not have is left out. */
export async function observe(
  api: PlainApi,
  options: {
    readonly admin: boolean;
    readonly chats: readonly string[];
    readonly files: readonly string[];
    /** A range of days that holds all usage. */
    readonly range: string;
  },
): Promise<Observed> {
  const paths = [
    ...OF_EVERYBODY,
    ...(options.admin ? OF_ADMINS : []),
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
