import { type Client, ChatdUnreachable } from '@chatd/client';
import type { Finding } from './doctor.ts';

const SKEW_MS = 60_000;

/** What can be found out about a server from outside, with as much as the token lets us see. */
export async function remoteFindings(
  client: Client,
  hasToken: boolean,
  found: (finding: Finding) => void,
): Promise<void> {
  const health = await probe(`${client.url}/healthz`);
  if (health.status !== 200) {
    found({
      check: 'server',
      level: 'broken',
      message: `${client.url} answers ${health.status}: something else listens there, or a proxy in front of it.`,
      hint: 'Check the address.',
    });
    return;
  }
  found({ check: 'server', level: 'ok', message: `${client.url} answers` });
  const skew = Date.parse(health.date ?? '') - Date.now();
  if (Math.abs(skew) > SKEW_MS) {
    found({
      check: 'clock',
      level: 'warning',
      message: `Its clock and ours differ by ${Math.round(Math.abs(skew) / 1000)} seconds.`,
      hint: 'Let both machines set their clocks by the network.',
    });
  }
  const ready = await probe(`${client.url}/readyz`);
  found(
    ready.status === 200
      ? { check: 'server', level: 'ok', message: 'it reaches its database' }
      : {
          check: 'server',
          level: 'broken',
          message: 'It does not reach its database.',
          hint: 'Run chatd doctor --local where it runs.',
        },
  );
  if (!hasToken) {
    found({
      check: 'token',
      level: 'warning',
      message: 'There is no token, so nothing else can be seen.',
      hint: 'Run chatd login.',
    });
    return;
  }
  const me = await client.call('getMe');
  found({ check: 'token', level: 'ok', message: `you are ${me.username} (${me.role})` });
  await models(client, found);
  if (me.role === 'admin') await providers(client, found);
}

async function probe(url: string): Promise<{ status: number; date: string | null }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
    await response.body?.cancel();
    return { status: response.status, date: response.headers.get('date') };
  } catch (error) {
    throw new ChatdUnreachable(url, error);
  }
}

async function models(client: Client, found: (finding: Finding) => void): Promise<void> {
  const { model_configs } = await client.call('listModelConfigs');
  const chosen = model_configs.find(({ is_default }) => is_default);
  if (chosen === undefined) {
    found({
      check: 'models',
      level: 'broken',
      message: 'There is no default model: new chats are refused.',
      hint: 'chatd model update NAME --default',
    });
  } else {
    found({
      check: 'models',
      level: 'ok',
      message: `${model_configs.length} models, ${chosen.display_name} by default`,
    });
  }
}

/** Really asked, one after the other. */
async function providers(client: Client, found: (finding: Finding) => void): Promise<void> {
  const all = await client.call('listProviders');
  for (const { id, name, enabled, type } of all.providers) {
    if (!enabled || type === 'demo') continue;
    const test = await client.call('testProvider', { params: { provider_id: id } });
    found(
      test.ok
        ? { check: 'provider', level: 'ok', message: `${name}: ${test.message}` }
        : {
            check: 'provider',
            level: 'broken',
            message: `${name}: ${test.message}`,
            hint: `Put it right with chatd provider update ${JSON.stringify(name)}, or disable it: --disable.`,
          },
    );
  }
}
