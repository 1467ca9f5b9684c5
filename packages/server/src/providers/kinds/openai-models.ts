import { z } from 'zod';
import { type JsonRequest, getJson } from './get-json.ts';
import type { OfferedModel } from './kind.ts';

const List = z.object({ data: z.array(z.object({ id: z.string() })) });

/** OpenAI also lists models that are not for chat. */
const NO_CHAT =
  /embedding|whisper|tts|dall-e|image|moderation|transcribe|realtime|audio|sora|davinci|babbage|live/;

/** The list format of OpenAI and compatible services. */
export async function openaiModels(
  asking: JsonRequest,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<OfferedModel[]> {
  const { data } = await getJson(asking, url, headers, List);
  return data.filter(({ id }) => !NO_CHAT.test(id)).map(({ id }) => ({ id }));
}
