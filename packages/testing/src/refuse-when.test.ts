import type { Api } from './index.ts';
import { describe, expect, test } from 'vitest';
import { post } from '../test/support/post.ts';
import { SMALLEST } from '../test/support/smallest.ts';
import { APIS } from './api.ts';
import { answer, inProcessProvider, text } from './index.ts';

const MESSAGE = 'This organization must not use the word x.';

describe.each(APIS)('%s', (api: Api) => {
  test('refuses every matching request in its own error format', async () => {
    const provider = inProcessProvider({ api });
    provider.answerWith(() => answer([text('Fine.')]));
    let refused = true;
    provider.refuseWhen(({ body }) => refused && JSON.stringify(body).includes('"x"'), MESSAGE);
    const own = await post(provider, { ...SMALLEST[api], unknown: 1 });
    for (let index = 0; index < 2; index++) {
      const { status, body } = await post(provider, SMALLEST[api]);
      expect(status).toBe(400);
      expect(JSON.stringify(body)).toContain(MESSAGE);
      expect(Object.keys(Object(body))).toEqual(Object.keys(Object(own.body)));
    }
    expect(provider.rejected.map(({ message }) => message).slice(1)).toEqual([MESSAGE, MESSAGE]);
    refused = false;
    expect(await post(provider, SMALLEST[api])).toMatchObject({ status: 200 });
  });
});

test('a refusal can have another status and code', async () => {
  const provider = inProcessProvider({ api: 'openai-chat', strict: false });
  provider.refuseWhen(() => true, MESSAGE, { status: 403, code: 'word_not_allowed' });
  expect(await post(provider, SMALLEST['openai-chat'])).toMatchObject({
    status: 403,
    body: { error: { message: MESSAGE, code: 'word_not_allowed' } },
  });
});
