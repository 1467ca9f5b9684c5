import { expect, test } from 'vitest';
import { dump, execute } from '@chatd/test-server/database';
import { ApiClient, startTestServer } from '@chatd/test-server';

const server = await startTestServer();
const { admin, anonymous, databaseUrl, url } = server;

/** A browser that sends its cookie and origin. */
const browser = (setCookie: string | null, headers: Record<string, string> = { origin: url }) =>
  new ApiClient(url, { cookie: setCookie?.split(';')[0] ?? '', ...headers });

let users = 0;
async function member(password = 'correct horse') {
  users += 1;
  const username = `member-${users}`;
  const user = await admin.ok('createUser', { body: { username, password } });
  return { user, username, password };
}

async function signedIn() {
  const { user, username, password } = await member();
  const reply = await anonymous.call('signIn', { body: { username, password } });
  return { user, username, password, cookie: reply.headers.get('set-cookie') ?? '' };
}

test('a password opens a session whose cookie is HttpOnly and SameSite=Strict', async () => {
  const { user, cookie } = await signedIn();
  expect(cookie).toMatch(
    /^chatd_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/,
  );
  expect(await browser(cookie).ok('getMe')).toEqual(user);
  expect(await dump(databaseUrl)).not.toContain(cookie.slice(14, 57));
});

test('behind TLS, the cookie is Secure', async () => {
  const { username, password } = await member();
  const { headers } = await anonymous.call('signIn', {
    body: { username, password },
    headers: { 'x-forwarded-proto': 'https' },
  });
  expect(headers.get('set-cookie')).toMatch(/; Secure$/);
});

test('a wrong password, an unknown user, and a user without a password get the same response', async () => {
  const { username } = await member();
  const without = await admin.ok('createUser', { body: { username: 'no-password' } });
  expect(without.has_password).toBe(false);
  const before = await dump(databaseUrl, ['audit_events', 'sign_in_attempts']);
  const replies = [];
  for (const name of [username, 'nobody', 'no-password']) {
    const body = { username: name, password: 'wrong' };
    replies.push(await anonymous.call('signIn', { body }));
  }
  expect(replies.map(({ status }) => status)).toEqual([401, 401, 401]);
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  expect(await dump(databaseUrl, ['audit_events', 'sign_in_attempts'])).toBe(before);
});

test('after ten wrong passwords, the address is rate limited even with the right one', async () => {
  const { username, password } = await member();
  const replies = await Promise.all(
    Array.from({ length: 14 }, () =>
      anonymous.call('signIn', { body: { username, password: 'wrong' } }),
    ),
  );
  expect(replies.filter(({ status }) => status === 401)).toHaveLength(10);
  expect(replies.filter(({ status }) => status === 429)).toHaveLength(4);
  const last = await anonymous.refused('signIn', { body: { username, password } });
  expect(last.code).toBe('too_many_requests');
  expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('signing out ends the session', async () => {
  const { cookie } = await signedIn();
  const reply = await browser(cookie).call('signOut');
  expect(reply.headers.get('set-cookie')).toContain('Max-Age=0');
  expect(await browser(cookie).refusal('getMe')).toBe('401 unauthenticated');
  expect((await anonymous.call('signOut')).status).toBe(204);
});

test('an expired session is refused', async () => {
  const { user, cookie } = await signedIn();
  await execute(
    databaseUrl,
    `UPDATE sessions SET expires_at = now() - interval '1 s' WHERE user_id = '${user.id}'`,
  );
  expect(await browser(cookie).refusal('getMe')).toBe('401 unauthenticated');
});

test("a new password ends the user's other sessions", async () => {
  const { username, password, cookie } = await signedIn();
  const other = await anonymous.call('signIn', { body: { username, password } });
  const body = { password: 'a new password' };
  expect(await browser(cookie).refusal('changePassword', { body })).toBe('401 invalid_credentials');
  await browser(cookie).ok('changePassword', {
    body: { ...body, current_password: password },
  });
  expect((await browser(cookie).ok('getMe')).username).toBe(username);
  expect(await browser(other.headers.get('set-cookie')).refusal('getMe')).toBe(
    '401 unauthenticated',
  );
  expect(await anonymous.refusal('signIn', { body: { username, password } })).toBe(
    '401 invalid_credentials',
  );
  await anonymous.ok('signIn', { body: { username, password: 'a new password' } });
});

test('an admin who sets a password ends all sessions of the user', async () => {
  const { user, cookie } = await signedIn();
  await admin.ok('updateUser', {
    params: { user_id: user.id },
    body: { password: 'set by an admin' },
  });
  expect(await browser(cookie).refusal('getMe')).toBe('401 unauthenticated');
});

test('a scoped token cannot set a password to escalate its privileges', async () => {
  const user = await admin.ok('createUser', { body: { username: 'scoped' } });
  const { token } = await admin.ok('createToken', {
    body: { name: 'w', user_id: user.id, scopes: ['write'] },
  });
  expect(
    await server.as(token).refusal('changePassword', { body: { password: 'long enough' } }),
  ).toBe('403 insufficient_scope');
});

test('a mutating request with a cookie must come from the same origin', async () => {
  const { cookie } = await signedIn();
  const send = async (headers: Record<string, string>) =>
    await browser(cookie, headers).call('createChat', { body: { content: 'x' } });
  const { host } = new URL(url);
  expect((await send({ origin: url })).status).toBe(201);
  expect((await send({ origin: `https://${host}` })).status).toBe(201);
  expect((await send({ 'sec-fetch-site': 'same-origin' })).status).toBe(201);
  // Housekeeping may delete the expired session of an earlier test in between.
  await execute(databaseUrl, 'DELETE FROM sessions WHERE expires_at < now()');
  const before = await dump(databaseUrl);
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://localhost:1' },
    { origin: `${url}.evil.example` },
    {},
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
  ];
  for (const headers of foreign) {
    const { status, text } = await send(headers);
    expect(status, JSON.stringify(headers)).toBe(403);
    expect(JSON.parse(text)).toMatchObject({ code: 'origin_not_allowed' });
  }
  expect(await dump(databaseUrl)).toBe(before);
  // Reads need no origin: browsers do not send a strict cookie from other sites.
  expect((await browser(cookie, {}).call('listChats')).status).toBe(200);
});

test('a page of another site cannot sign a browser in', async () => {
  const { username, password } = await member();
  const headers = { origin: 'https://evil.example' };
  expect(await anonymous.refusal('signIn', { body: { username, password }, headers })).toBe(
    '403 origin_not_allowed',
  );
});

test('an invalid token is refused despite a valid cookie, and a token needs no origin', async () => {
  const { cookie } = await signedIn();
  const headers = { authorization: 'Bearer wrong' };
  expect(await browser(cookie).refusal('getMe', { headers })).toBe('401 unauthenticated');
  const { token } = await browser(cookie).ok('createToken', { body: { name: 'x' } });
  await server
    .as(token)
    .ok('createChat', { body: { content: 'x' }, headers: { origin: 'https://evil.example' } });
});

test('the link printed at startup signs an admin in once', async () => {
  const link = server.signInUrl.slice(url.length);
  expect((await anonymous.send('HEAD', link)).status).toBe(200);
  const first = await anonymous.send('GET', link);
  expect(first.status).toBe(303);
  expect(first.headers.get('location')).toBe('/');
  expect((await browser(first.headers.get('set-cookie')).ok('getMe')).role).toBe('admin');
  const second = await anonymous.send('GET', link);
  expect(second.status).toBe(401);
  expect(second.headers.get('set-cookie')).toBeNull();
  expect(second.text).toContain('This sign-in link is no longer valid');
  expect(second.headers.get('content-security-policy')).toMatch(/style-src 'sha256-[^']+'/);
  expect(server.logged.join('')).not.toContain(link.split('token=')[1]);
});

test('a sign-in link for a user opens one session, even when used concurrently', async () => {
  const { user } = await member();
  const params = { user_id: user.id };
  const made = await admin.ok('createSignInLink', { params });
  expect(made.url.startsWith(`${url}/sign-in?token=`)).toBe(true);
  const link = made.url.slice(url.length);
  const replies = await Promise.all(Array.from({ length: 8 }, () => anonymous.send('GET', link)));
  expect(replies.filter(({ status }) => status === 303)).toHaveLength(1);
  expect(replies.filter(({ status }) => status === 401)).toHaveLength(7);
});

test('an expired link is refused', async () => {
  const { user } = await member();
  const made = await admin.ok('createSignInLink', { params: { user_id: user.id } });
  await execute(databaseUrl, `UPDATE sign_in_links SET expires_at = now() - interval '1 s'`);
  expect((await anonymous.send('GET', made.url.slice(url.length))).status).toBe(401);
  expect((await anonymous.send('GET', '/sign-in')).status).toBe(401);
});

test('a link opened from another site continues with a refresh page', async () => {
  const { user } = await member();
  const made = await admin.ok('createSignInLink', { params: { user_id: user.id } });
  const reply = await anonymous.send('GET', made.url.slice(url.length), {
    headers: { 'sec-fetch-site': 'cross-site' },
  });
  expect(reply.status).toBe(200);
  expect(reply.headers.get('set-cookie')).toContain('chatd_session=');
  expect(reply.text).toContain('http-equiv="refresh"');
});
