import { type Client, ChatdUnreachable } from '@chatd/client';
import { toArray } from '../output/to-array.ts';
import type { Finding } from './doctor.ts';

const MAX_CLOCK_SKEW_MS = 60_000;

type Report = (finding: Finding) => void;

/** Checks a server over its API, as far as the token permits. */
export async function checkServer(
  client: Client,
  hasToken: boolean,
  report: Report,
): Promise<void> {
  const health = await probe(`${client.url}/healthz`);
  if (health.status !== 200) {
    return report({
      check: 'server',
      level: 'broken',
      message: `${client.url} responded with status ${health.status}. It may be another program or a proxy.`,
      hint: 'Check the URL.',
    });
  }
  report({ check: 'server', level: 'ok', message: `${client.url} is reachable.` });
  const skew = Math.abs(Date.parse(health.date ?? '') - Date.now());
  if (skew > MAX_CLOCK_SKEW_MS) {
    report({
      check: 'clock',
      level: 'warning',
      message: `The clocks of the server and this machine differ by ${Math.round(skew / 1000)} seconds.`,
      hint: 'Synchronize both clocks with NTP.',
    });
  }
  const ready = await probe(`${client.url}/readyz`);
  report(
    ready.status === 200
      ? { check: 'server', level: 'ok', message: 'The server is connected to its database.' }
      : {
          check: 'server',
          level: 'broken',
          message: 'The server cannot reach its database.',
          hint: 'Run chatd doctor --local on the machine of the server.',
        },
  );
  if (!hasToken) {
    return report({
      check: 'token',
      level: 'warning',
      message: 'No token: models and providers were not checked.',
      hint: 'Run chatd login.',
    });
  }
  const me = await client.call('getMe');
  report({ check: 'token', level: 'ok', message: `Signed in as ${me.username} (${me.role}).` });
  await checkModels(client, report);
  if (me.role !== 'admin') return;
  await checkProviders(client, report);
  await checkMachines(client, report);
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

async function checkModels(client: Client, report: Report): Promise<void> {
  const { model_configs } = await client.call('listModelConfigs');
  const preset = model_configs.find(({ is_default }) => is_default);
  report(
    preset === undefined
      ? {
          check: 'models',
          level: 'broken',
          message: 'There is no default model. New chats without a model are refused.',
          hint: 'chatd model update NAME --default',
        }
      : {
          check: 'models',
          level: 'ok',
          message: `Models: ${model_configs.length}. Default: ${preset.display_name}.`,
        },
  );
}

async function checkMachines(client: Client, report: Report): Promise<void> {
  const machines = await toArray(client.machines.each({ limit: 200 }));
  const offline = machines.filter(({ status, draining }) => status === 'offline' && !draining);
  const check = 'machines';
  if (offline.length === 0) {
    return report({ check, level: 'ok', message: `Machines: ${machines.length}, none offline.` });
  }
  for (const { name, last_seen_at } of offline) {
    report({
      check,
      level: 'warning',
      message: `The machine ${name} is offline${last_seen_at === null ? '; it has never connected' : ` since ${last_seen_at}`}.`,
      hint: `Run chatd doctor --machine on it, or delete it with chatd machines delete ${name}.`,
    });
  }
}

/** Sends a request to each enabled provider, one after the other. */
async function checkProviders(client: Client, report: Report): Promise<void> {
  const { providers } = await client.call('listProviders');
  for (const { id, name, enabled, type } of providers) {
    if (!enabled || type === 'demo') continue;
    const test = await client.call('testProvider', { params: { provider_id: id } });
    const message = `${name}: ${test.message}`;
    report(
      test.ok
        ? { check: 'provider', level: 'ok', message }
        : {
            check: 'provider',
            level: 'broken',
            message,
            hint: `Fix it with chatd provider update ${JSON.stringify(name)}, or disable it with --disable.`,
          },
    );
  }
}
