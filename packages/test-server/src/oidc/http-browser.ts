/** The features of a browser that a sign-in needs: cookies by origin, and redirects. */
export class HttpBrowser {
  readonly #cookies = new Map<string, Map<string, string>>();
  /** Every Set-Cookie header, newest last. */
  readonly setCookies: string[] = [];

  /** One request, without following its redirect. */
  async request(url: string, init: RequestInit = {}): Promise<Response> {
    const { origin, pathname } = new URL(url);
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    const sent = [...jar]
      // The only cookie with a path.
      .filter(([name]) => name !== 'chatd_sign_in' || pathname.startsWith('/oidc'))
      .map(([name, value]) => `${name}=${value}`);
    const response = await fetch(url, {
      redirect: 'manual',
      ...init,
      headers: { ...(init.headers as Record<string, string>), cookie: sent.join('; ') },
    });
    for (const line of response.headers.getSetCookie()) {
      this.setCookies.push(line);
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  /** Follows redirects to the end, or to the first URL for which `isLast` is true. That request is not sent. */
  async follow(
    url: string,
    { isLast = () => false, ...init }: RequestInit & { isLast?: (url: URL) => boolean } = {},
  ): Promise<{ url: string; response: Response | undefined }> {
    let next = url;
    let request: RequestInit = init;
    for (;;) {
      if (isLast(new URL(next))) return { url: next, response: undefined };
      const response = await this.request(next, request);
      const location = response.headers.get('location');
      if (location === null) return { url: next, response };
      await response.body?.cancel();
      next = new URL(location, next).href;
      request = {};
    }
  }

  cookie(origin: string, name: string): string | undefined {
    return this.#cookies.get(origin)?.get(name);
  }

  setCookie(origin: string, name: string, value: string): void {
    this.#cookies.get(origin)?.set(name, value);
  }
}
