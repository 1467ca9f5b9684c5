import { z } from 'zod';
import { type JsonRequest, getJson } from './get-json.ts';
import type { OfferedModel } from './kind.ts';

const List = z.object({ data: z.array(z.object({ id: z.string() })) });

/** Under OpenAI's roof there are also models that one cannot chat with. */
const NO_CHAT =
  /embedding|whisper|tts|dall-e|image|moderation|transcribe|realtime|audio|sora|davinci|babbage|live/;

/** The list that OpenAI and everything that is like it answers with. */
export async function openaiModels(
  asking: JsonRequest,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<OfferedModel[]> {
  const { data } = await getJson(asking, url, headers, List);
  return data.filter(({ id }) => !NO_CHAT.test(id)).map(({ id }) => ({ id }));
}
