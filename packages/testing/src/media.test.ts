import { expect, test } from 'vitest';
import { pngOf } from '../test/support/images.ts';
import { post } from '../test/support/post.ts';
import { type Api, answer, startFakeProvider, text } from './index.ts';

const PNG = pngOf(1, 1);
const CUT_OFF = PNG.slice(0, 40);

const url = (type: string, data: string) => `data:${type};base64,${data}`;
const chat = (type: string, data: string) => ({
  model: 'm',
  stream: true,
  messages: [
    { role: 'user', content: [{ type: 'image_url', image_url: { url: url(type, data) } }] },
  ],
});

/** A request with an image, in the format of each API. */
const IMAGE_REQUESTS: Partial<Record<Api, (type: string, data: string) => unknown>> = {
  anthropic: (media_type, data) => ({
    model: 'm',
    max_tokens: 1,
    stream: true,
    messages: [
      { role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type, data } }] },
    ],
  }),
  'openai-responses': (type, data) => ({
    model: 'm',
    stream: true,
    input: [{ role: 'user', content: [{ type: 'input_image', image_url: url(type, data) }] }],
  }),
  'openai-chat': chat,
  'openai-compatible': chat,
  google: (mimeType, data) => ({
    contents: [{ role: 'user', parts: [{ inlineData: { mimeType, data } }] }],
  }),
};

test.each(Object.entries(IMAGE_REQUESTS) as [Api, (type: string, data: string) => unknown][])(
  '%s validates images',
  async (api, requestWith) => {
    await using provider = await startFakeProvider({ api });
    provider.answerWith(() => answer([text('A dot.')]));
    expect(await post(provider, requestWith('image/png', PNG))).toMatchObject({ status: 200 });
    expect(await post(provider, requestWith('image/png', CUT_OFF))).toMatchObject({ status: 400 });
    expect(await post(provider, requestWith('image/jpeg', PNG))).toMatchObject({ status: 400 });
    expect(await post(provider, requestWith('image/bmp', PNG))).toMatchObject({ status: 400 });
    expect(await post(provider, requestWith('image/png', 'not base64!'))).toMatchObject({
      status: 400,
    });
  },
);
