const NAME = 'chatd_session';
export const SESSION_DAYS = 30;

export const readSessionCookie = (header: string | undefined): string | undefined =>
  readCookie(header, NAME);

/** Undefined: absent or empty. */
export function readCookie(header: string | undefined, wanted: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === wanted && value !== undefined && value !== '') return value;
  }
  return undefined;
}

/** SameSite=Strict: browsers do not send it with requests from other sites. */
export function sessionCookie(secret: string, secure: boolean): string {
  return cookie(secret, SESSION_DAYS * 24 * 60 * 60, secure);
}

export const endedSessionCookie = (secure: boolean): string => cookie('', 0, secure);

const cookie = (value: string, maxAge: number, secure: boolean) =>
  `${NAME}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAge}${secure ? '; Secure' : ''}`;
