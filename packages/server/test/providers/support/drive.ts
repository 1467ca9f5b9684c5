import type { PushModel, Transport } from '@chatd/loop';
import { type FakeProvider, startFakeProvider } from '@chatd/testing';
import { afterAll, afterEach } from 'vitest';
import { buildModel } from '../../../src/providers/build-model.ts';
import { guardedAgent } from '../../../src/providers/fetch/guarded-agent.ts';
import { providerFetch } from '../../../src/providers/fetch/provider-fetch.ts';
import { providerTransport } from '../../../src/providers/fetch/provider-transport.ts';
import type { Subject } from './subjects.ts';

const agent = guardedAgent(() => Promise.resolve(true));
afterAll(() => agent.destroy());

const started: FakeProvider[] = [];
afterEach(async () => {
  const all = started.splice(0);
  await Promise.all(all.map((fake) => fake.close()));
  for (const { api, rejected } of all) {
    for (const { message, request } of rejected) {
      // A request that the real service would refuse is a bug.
      throw new Error(`${api} refused: ${message}\n${JSON.stringify(request.body, null, 1)}`);
    }
  }
});

/** Starts the fake service of a subject, which accepts only its key. Refused requests fail the test. */
export async function serve(subject: Subject): Promise<FakeProvider> {
  const { api_key } = subject.access;
  const fake = await startFakeProvider({
    api: subject.api,
    ...(api_key !== undefined && { key: api_key }),
  });
  started.push(fake);
  return fake;
}

/** The model as the server builds it, including its HTTP connections. */
export async function modelOf(
  subject: Subject,
  fake: FakeProvider,
  onHeaders: () => void = () => {},
): Promise<PushModel> {
  const access = { ...subject.access, base_url: fake.url };
  const fetch = providerFetch(agent);
  const observedFetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    onHeaders();
    return response;
  };
  const transport: Transport = (request, opened, take) =>
    providerTransport(agent)(
      request,
      (headers) => {
        onHeaders();
        opened(headers);
      },
      take,
    );
  return await buildModel(access, subject.model, observedFetch, transport);
}

/** The body of a request, as text. */
export const bodyOf = (fake: FakeProvider, index: number): string =>
  JSON.stringify(fake.requests[index]?.body);
