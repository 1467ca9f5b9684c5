import { describe, expect, test } from 'vitest';
import { ApiClient, startServerOn, startTestServer } from '@chatd/test-server';
import { execute } from '@chatd/test-server/database';
import { CLIENT_ID, CLIENT_SECRET, HttpBrowser, startOidcProvider } from '@chatd/test-server/oidc';

const provider = await startOidcProvider();
const options = {
  issuer: provider.issuer,
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  scopes: 'openid profile email',
  groupsClaim: 'groups',
  adminGroups: ['chatd-admins'],
  allowedDomains: [],
  name: 'Example & Co',
};
const secretKey = 'a-key-for-tests-0123456789';
const server = await startTestServer({ oidc: options, secretKey });
const { admin, anonymous, databaseUrl, logged, url } = server;
/** Another replica. */
const replica = await startServerOn(databaseUrl, { oidc: options, secretKey });
const strict = await startServerOn(databaseUrl, {
  oidc: { ...options, allowedDomains: ['example.org'] },
  secretKey,
  passwordSignIn: false,
});
for (const origin of [url, replica.url, strict.url]) provider.clients.add(origin);

let accounts = 0;

function newAccount(account = {}) {
  accounts += 1;
  const subject = `subject-${accounts}`;
  provider.accounts.set(subject, {
    preferred_username: `person-${accounts}`,
    email: `person-${accounts}@example.org`,
    email_verified: true,
    groups: ['staff'],
    ...account,
  });
  return { subject, username: `person-${accounts}` };
}

const isCallback = ({ pathname }: URL) => pathname === '/oidc/callback';

/** Signs in at the provider. Returns the URL of the callback, which is not requested. */
async function atProvider(
  browser: HttpBrowser,
  subject: string,
  { origin = url, returnTo = '/settings' } = {},
): Promise<string> {
  const start = `${origin}/oidc/sign-in?return_to=${encodeURIComponent(returnTo)}`;
  const page = await browser.follow(start, { isLast: isCallback });
  if (page.response === undefined) return page.url;
  const answered = await browser.follow(page.url, {
    method: 'POST',
    body: new URLSearchParams({ login: subject }),
    isLast: isCallback,
  });
  expect(answered.response, 'the provider sends the browser back').toBeUndefined();
  return answered.url;
}

async function visit(browser: HttpBrowser, address: string) {
  const response = await browser.request(address);
  return { status: response.status, headers: response.headers, page: await response.text() };
}

async function signIn(subject: string, { origin = url, browser = new HttpBrowser() } = {}) {
  const callback = await atProvider(browser, subject, { origin });
  return { ...(await visit(browser, callback)), browser, callback };
}

const api = (browser: HttpBrowser, origin = url) =>
  new ApiClient(origin, {
    cookie: `chatd_session=${browser.cookie(origin, 'chatd_session') ?? ''}`,
    origin,
  });

const me = async (browser: HttpBrowser, origin = url) => await api(browser, origin).ok('getMe');

const usersNamed = async (name: string) =>
  (await admin.ok('listUsers', { query: { limit: 200 } })).users.filter(({ username }) =>
    username.startsWith(name),
  );

test('the first sign-in creates a member, and later ones find the same user on any replica', async () => {
  const { subject, username } = newAccount();
  const first = await signIn(subject);
  expect(first.status).toBe(200);
  expect(first.page).toContain('<meta http-equiv="refresh" content="0; url=/settings">');
  const user = await me(first.browser);
  expect(user).toMatchObject({ username, role: 'member', has_password: false });
  const again = await signIn(subject, { origin: replica.url });
  expect((await me(again.browser, replica.url)).id).toBe(user.id);
  const { audit_events: events } = await admin.ok('listAuditEvents', {
    query: { target_id: user.id },
  });
  expect(events.map(({ action, actor_kind, detail }) => [action, actor_kind, detail])).toEqual([
    ['user.sign_in', 'user', { by: 'oidc' }],
    ['user.sign_in', 'user', { by: 'oidc' }],
    ['user.sync_groups', 'system', expect.anything()],
    ['user.create', 'system', { username, role: 'member', by: 'oidc' }],
  ]);
});

test('cookies are HttpOnly, and only the sign-in cookie is sent from other sites', async () => {
  const { browser } = await signIn(newAccount().subject);
  const own = browser.setCookies.filter((line) => line.startsWith('chatd_'));
  expect(own.map((line) => line.replace(/=[^;]*/, '=…'))).toEqual([
    'chatd_sign_in=…; Path=/oidc; HttpOnly; SameSite=Lax; Max-Age=600',
    'chatd_session=…; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000',
    'chatd_sign_in=…; Path=/oidc; HttpOnly; SameSite=Lax; Max-Age=0',
  ]);
});

test('an account is found by its subject, never by its name or email address', async () => {
  const { subject, username } = newAccount();
  const victim = await signIn(subject);
  const impostor = newAccount({ ...provider.accounts.get(subject) });
  const other = await signIn(impostor.subject);
  expect((await me(other.browser)).id).not.toBe((await me(victim.browser)).id);
  expect((await me(other.browser)).username).toBe(`${username}-2`);
});

test('concurrent first sign-ins create one user', async () => {
  const { subject, username } = newAccount();
  const browsers = [url, replica.url, url, replica.url];
  const all = await Promise.all(browsers.map((origin) => signIn(subject, { origin })));
  expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(await usersNamed(username)).toHaveLength(1);
});

test('the admin role follows the groups at every sign-in', async () => {
  const { subject } = newAccount({ groups: ['staff', 'chatd-admins'] });
  const promoted = await signIn(subject);
  expect(await me(promoted.browser)).toMatchObject({ role: 'admin' });
  provider.accounts.set(subject, { groups: ['staff'] });
  const demoted = await signIn(subject);
  expect(await me(demoted.browser)).toMatchObject({ role: 'member' });
  // Existing sessions have the new role too.
  expect(await api(promoted.browser).refusal('listUsers')).toBe('403 admin_required');
  const [identity] = await execute<{ groups: string[] }>(
    databaseUrl,
    `SELECT groups FROM user_identities WHERE subject = '${subject}'`,
  );
  expect(identity?.groups).toEqual(['staff']);
  const { groups } = await admin.ok('listGroups');
  const members = groups.map((group) => [group.name, group.mirrored, group.members ?? 0]);
  expect(members).toContainEqual(['staff', true, expect.any(Number)]);
  expect(members).toContainEqual(['chatd-admins', true, 0]);
});

test('the last admin stays an admin', async () => {
  const lonely = await startTestServer({ oidc: options, secretKey });
  provider.clients.add(lonely.url);
  provider.rotateKeys();
  const { subject } = newAccount({ groups: ['chatd-admins'] });
  const { browser } = await signIn(subject, { origin: lonely.url });
  const { id } = await me(browser, lonely.url);
  const local = await lonely.admin.ok('getMe');
  await lonely.admin.ok('updateUser', { params: { user_id: local.id }, body: { role: 'member' } });
  provider.accounts.set(subject, { groups: [] });
  const again = await signIn(subject, { origin: lonely.url });
  expect(await me(again.browser, lonely.url)).toMatchObject({ id, role: 'admin' });
});

test('a suspended user is refused', async () => {
  const { subject } = newAccount();
  const { id } = await me((await signIn(subject)).browser);
  await admin.ok('updateUser', { params: { user_id: id }, body: { suspended: true } });
  const refused = await signIn(subject);
  expect(refused.status).toBe(403);
  expect(refused.page).toContain('Your account is suspended');
  expect(refused.browser.cookie(url, 'chatd_session')).toBeUndefined();
  const [event] = (
    await admin.ok('listAuditEvents', { query: { action: 'user.sign_in_failed', target_id: id } })
  ).audit_events;
  expect(event?.detail).toEqual({ by: 'oidc', reason: 'suspended' });
});

test('a callback from another browser or with another state is refused', async () => {
  const { subject } = newAccount();
  const browser = new HttpBrowser();
  const callback = await atProvider(browser, subject);
  const elsewhere = await visit(new HttpBrowser(), callback);
  expect(elsewhere.status).toBe(400);
  expect(elsewhere.page).toContain('This sign-in is no longer valid');
  const other = new URL(callback);
  other.searchParams.set('state', 'another');
  expect((await visit(browser, other.href)).status).toBe(400);
  expect(browser.cookie(url, 'chatd_session')).toBeUndefined();
  // The sign-in in progress is not affected.
  expect((await visit(browser, callback)).status).toBe(200);
});

test('a forged cookie is refused', async () => {
  const browser = new HttpBrowser();
  const callback = await atProvider(browser, newAccount().subject);
  const sealed = browser.cookie(url, 'chatd_sign_in') ?? '';
  browser.setCookie(url, 'chatd_sign_in', `${sealed.slice(0, -2)}AA`);
  expect((await visit(browser, callback)).page).toContain('This sign-in is no longer valid');
});

test('a callback works once, even if the provider accepts its code again', async () => {
  const browser = new HttpBrowser();
  const callback = await atProvider(browser, newAccount().subject);
  const sealed = browser.cookie(url, 'chatd_sign_in') ?? '';
  expect((await visit(browser, callback)).status).toBe(200);
  browser.setCookie(url, 'chatd_sign_in', sealed);
  const replayed = await visit(browser, callback);
  expect(replayed.status).toBe(400);
  expect(replayed.page).toContain('already used');

  const other = new HttpBrowser();
  const next = await atProvider(other, newAccount().subject);
  const state = new URL(next).searchParams.get('state') ?? '';
  await execute(
    databaseUrl,
    `INSERT INTO finished_sign_ins VALUES (sha256('${state}'), now() + interval '1 hour')`,
  );
  const finished = await visit(other, next);
  expect(finished.page).toContain('This sign-in was already used');
  expect(other.cookie(url, 'chatd_session')).toBeUndefined();
});

test('an expired code is refused', async () => {
  const browser = new HttpBrowser();
  const callback = await atProvider(browser, newAccount().subject);
  await provider.expireCode(callback);
  const refused = await visit(browser, callback);
  expect(refused.status).toBe(400);
  expect(refused.page).toContain('already used or has expired');
  expect(refused.page).toContain('start again');
});

test.each([
  ['of another issuer', { iss: 'https://evil.example' }],
  ['for another client', { aud: 'another' }],
  ['of another sign-in', { nonce: 'another' }],
  ['that has expired', { exp: 1 }],
])('a token %s is refused', async (_, claims) => {
  const { subject, username } = newAccount();
  provider.forge = (given) => ({ ...given, ...claims });
  const refused = await signIn(subject).finally(() => (provider.forge = undefined));
  expect(refused.status).toBe(502);
  expect(refused.page).toContain('The response of Example &amp; Co is not valid');
  expect(await usersNamed(username)).toEqual([]);
});

test('the issuer in the callback must be that of the provider', async () => {
  const browser = new HttpBrowser();
  const callback = new URL(await atProvider(browser, newAccount().subject));
  expect(callback.searchParams.get('iss')).toBe(provider.issuer);
  callback.searchParams.set('iss', 'https://evil.example');
  expect((await visit(browser, callback.href)).status).toBe(502);
});

test('a changed signing key is fetched', async () => {
  const { subject } = newAccount();
  expect((await signIn(subject)).status).toBe(200);
  provider.rotateKeys();
  expect((await signIn(subject)).status).toBe(200);
});

test('an error from the provider is shown as text', async () => {
  const refused = await signIn('refused');
  expect(refused.status).toBe(403);
  expect(refused.page).toContain('The account &lt;b&gt;may not&lt;/b&gt; use chatd.');
});

test('while the provider is down, pages say so; afterwards, sign-ins work again', async () => {
  const browser = new HttpBrowser();
  const callback = await atProvider(browser, newAccount().subject);
  provider.isDown = true;
  try {
    const down = await visit(browser, callback);
    expect([down.status, down.page]).toEqual([503, expect.stringContaining('cannot be reached')]);
    // A replica that has not read the configuration of the provider.
    const fresh = await startServerOn(databaseUrl, { oidc: options, secretKey });
    const start = await visit(browser, `${fresh.url}/oidc/sign-in`);
    expect([start.status, start.page]).toEqual([503, expect.stringContaining('chatd doctor')]);
    provider.isDown = false;
    expect((await browser.request(`${fresh.url}/oidc/sign-in`)).status).toBe(303);
  } finally {
    provider.isDown = false;
  }
});

test('only verified email addresses of allowed domains can sign in', async () => {
  const origin = strict.url;
  expect((await signIn(newAccount().subject, { origin })).status).toBe(200);
  const foreign = await signIn(newAccount({ email: 'eve@example.org.evil.example' }).subject, {
    origin,
  });
  expect(foreign.status).toBe(403);
  expect(foreign.page).toContain('eve@example.org.evil.example');
  const unverified = newAccount({ email: 'eve@example.org', email_verified: false });
  const refused = await signIn(unverified.subject, { origin });
  expect([refused.status, refused.page]).toEqual([403, expect.stringContaining('not verified')]);
  expect(await usersNamed(unverified.username)).toEqual([]);
});

test('return_to stays on this server', async () => {
  for (const returnTo of ['https://evil.example', '//evil.example', '/\\evil.example']) {
    const browser = new HttpBrowser();
    const callback = await atProvider(browser, newAccount().subject, { returnTo });
    expect((await visit(browser, callback)).page).toContain('content="0; url=/"');
  }
});

const PASSWORD = 'correct horse battery';

/** A browser in which a local user is signed in with a password. */
async function localUser(name: string) {
  const { id } = await admin.ok('createUser', { body: { username: name, password: PASSWORD } });
  const browser = new HttpBrowser();
  await post(browser, '/session', { username: name, password: PASSWORD });
  return { id, browser };
}

async function post(browser: HttpBrowser, path: string, body: object) {
  const response = await browser.request(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify(body),
  });
  return (await response.json()) as { readonly url: string; readonly code: string };
}

const connect = async (browser: HttpBrowser, current_password = PASSWORD) =>
  await post(browser, '/users/me/identities', { current_password });

/** Signs in at the provider. Returns the URL of the callback. */
async function signInAt(browser: HttpBrowser, address: string, subject: string) {
  const page = await browser.follow(address, { isLast: isCallback });
  const body = new URLSearchParams({ login: subject });
  return (await browser.follow(page.url, { method: 'POST', body, isLast: isCallback })).url;
}

describe('a local user', () => {
  test('connects a provider account, which then signs in the same user', async () => {
    const { id, browser } = await localUser('connects');
    const { subject } = newAccount();
    expect((await connect(browser, 'wrong password')).code).toBe('invalid_credentials');
    const { url: address } = await connect(browser);
    expect(new URL(address).searchParams.get('prompt')).toBe('login');
    const done = await visit(browser, await signInAt(browser, address, subject));
    expect(done.page).toContain('url=/settings/account');
    expect(await api(browser).ok('listIdentities')).toMatchObject({
      identities: [
        { issuer: provider.issuer, email: `${subject.replace('subject', 'person')}@example.org` },
      ],
    });
    expect((await me((await signIn(subject)).browser)).id).toBe(id);
    const events = (await admin.ok('listAuditEvents', { query: { target_id: id } })).audit_events;
    expect(events.find(({ action }) => action === 'user.connect_identity')).toMatchObject({
      actor_id: id,
      detail: { issuer: provider.issuer },
    });
    expect((await connect(browser)).code).toBe('identity_connected');
  });

  test('cannot connect the account of another user', async () => {
    const { browser } = await localUser('takes-over');
    const { subject, username } = newAccount();
    const victim = await me((await signIn(subject)).browser);
    const { url: address } = await connect(browser);
    const refused = await visit(browser, await signInAt(browser, address, subject));
    expect([refused.status, refused.page]).toEqual([409, expect.stringContaining(username)]);
    expect(await api(browser).ok('listIdentities')).toEqual({ identities: [] });
    expect((await me((await signIn(subject)).browser)).id).toBe(victim.id);
  });

  test('connects nothing in another browser, after signing out, or with a token', async () => {
    const { id, browser } = await localUser('careful');
    const { subject, username } = newAccount();
    const { url: address } = await connect(browser);
    // A forged link: the attacker's callback in the victim's browser.
    const victim = await localUser('victim');
    const callback = await signInAt(browser, address, subject);
    expect((await visit(victim.browser, callback)).status).toBe(400);
    expect(await api(victim.browser).ok('listIdentities')).toEqual({ identities: [] });
    await api(browser).ok('signOut');
    const late = await visit(browser, callback);
    expect([late.status, late.page]).toEqual([
      403,
      expect.stringContaining('signed out meanwhile'),
    ]);
    const { token } = await admin.ok('createToken', { body: { name: 'x', user_id: id } });
    expect(await server.as(token).refusal('connectIdentity', { body: {} })).toBe(
      '403 insufficient_scope',
    );
    // A page of another site cannot connect an account.
    const foreign = new ApiClient(url, {
      cookie: `chatd_session=${victim.browser.cookie(url, 'chatd_session') ?? ''}`,
      origin: 'https://evil.example',
    });
    const body = { current_password: PASSWORD };
    expect(await foreign.refusal('connectIdentity', { body })).toBe('403 origin_not_allowed');
    expect(await usersNamed(username)).toEqual([]);
  });
});

test("signing out returns the provider's sign-out URL without a token", async () => {
  const { browser } = await signIn(newAccount().subject);
  const signedOut = await api(browser).ok('signOut');
  const address = new URL(signedOut?.redirect_url ?? '');
  expect(address.origin).toBe(provider.issuer);
  expect(Object.fromEntries(address.searchParams)).toEqual({
    client_id: CLIENT_ID,
    post_logout_redirect_uri: `${url}/`,
  });
  expect(await api(browser).refusal('getMe')).toBe('401 unauthenticated');
});

test('the sign-in methods are public, and password sign-in is refused when disabled', async () => {
  expect(await anonymous.ok('getSignInMethods')).toEqual({
    password: true,
    oidc: { name: 'Example & Co', path: '/oidc/sign-in' },
  });
  const off = new ApiClient(strict.url, {});
  expect(await off.ok('getSignInMethods')).toMatchObject({ password: false });
  const body = { username: 'ada', password: 'correct horse' };
  expect(await off.refusal('signIn', { body })).toBe('403 password_sign_in_disabled');
});

test('without a provider, the OIDC routes return 404', async () => {
  const plain = await startServerOn(databaseUrl);
  for (const path of ['/oidc/sign-in', '/oidc/callback']) {
    expect((await fetch(`${plain.url}${path}`)).status, path).toBe(404);
  }
});

test('a sign-in at another address of the server is redirected to the public URL', async () => {
  const publicUrl = 'https://chat.example.org';
  const behind = await startServerOn(databaseUrl, { oidc: options, secretKey, publicUrl });
  const moved = await fetch(`${behind.url}/oidc/sign-in?return_to=/a`, { redirect: 'manual' });
  expect(moved.headers.get('location')).toBe(`${publicUrl}/oidc/sign-in?return_to=%2Fa`);
});

test('no log line contains a sign-in secret', () => {
  const text = logged.join('\n');
  expect(text).toContain('a sign-in with OIDC failed');
  expect(text).not.toContain(CLIENT_SECRET);
  expect(text).not.toMatch(/eyJ[\w-]+\./);
});
