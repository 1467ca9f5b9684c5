import type { GoogleLanguageModelOptions } from '@ai-sdk/google';
import { z } from 'zod';
import type { OptionShape } from './option-shape.ts';

/** State of single calls, options of Vertex AI, and options for JSON responses. */
type LeftOut =
  | 'cachedContent'
  | 'continuationToken'
  | 'structuredOutputs'
  | 'labels'
  | 'audioTimestamp'
  | 'streamFunctionCallArguments'
  | 'sharedRequestType'
  | 'requestType';

const Threshold = z.enum([
  'HARM_BLOCK_THRESHOLD_UNSPECIFIED',
  'BLOCK_LOW_AND_ABOVE',
  'BLOCK_MEDIUM_AND_ABOVE',
  'BLOCK_ONLY_HIGH',
  'BLOCK_NONE',
  'OFF',
]);

export const googleOptions = z.strictObject({
  responseModalities: z.array(z.enum(['TEXT', 'IMAGE', 'AUDIO'])).optional(),
  thinkingConfig: z
    .strictObject({
      thinkingBudget: z.int().min(-1).optional(),
      includeThoughts: z.boolean().optional(),
      thinkingLevel: z.enum(['minimal', 'low', 'medium', 'high']).optional(),
    })
    .optional(),
  safetySettings: z
    .array(
      z.strictObject({
        category: z.enum([
          'HARM_CATEGORY_UNSPECIFIED',
          'HARM_CATEGORY_HATE_SPEECH',
          'HARM_CATEGORY_DANGEROUS_CONTENT',
          'HARM_CATEGORY_HARASSMENT',
          'HARM_CATEGORY_SEXUALLY_EXPLICIT',
          'HARM_CATEGORY_CIVIC_INTEGRITY',
        ]),
        threshold: Threshold,
      }),
    )
    .optional(),
  threshold: Threshold.optional(),
  mediaResolution: z
    .enum([
      'MEDIA_RESOLUTION_UNSPECIFIED',
      'MEDIA_RESOLUTION_LOW',
      'MEDIA_RESOLUTION_MEDIUM',
      'MEDIA_RESOLUTION_HIGH',
    ])
    .optional(),
  imageConfig: z
    .strictObject({
      aspectRatio: z
        .string()
        .regex(/^\d{1,2}:\d{1,2}$/)
        .optional(),
      imageSize: z.enum(['512', '1K', '2K', '4K']).optional(),
    })
    .optional(),
  retrievalConfig: z
    .strictObject({
      latLng: z
        .strictObject({
          latitude: z.number().min(-90).max(90),
          longitude: z.number().min(-180).max(180),
        })
        .optional(),
    })
    .optional(),
  serviceTier: z.enum(['standard', 'flex', 'priority']).optional(),
} satisfies OptionShape<GoogleLanguageModelOptions, LeftOut>);
