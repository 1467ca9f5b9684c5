import { z } from 'zod';

/** A chunk of the AI SDK's UI message stream; what there is of them is described there. */
export const UiMessageChunk = z
  .looseObject({ type: z.string() })
  .meta({ id: 'UiMessageChunk', description: 'A chunk of the UI message stream protocol, v1' });

/** A message as the AI SDK's front ends keep it. Of its parts, those count that a person or a tool made. */
export const UiMessage = z
  .looseObject({
    id: z.string().max(256),
    role: z.enum(['system', 'user', 'assistant']),
    parts: z.array(z.looseObject({ type: z.string() })).max(10_000),
  })
  .meta({ id: 'UiMessage' });
