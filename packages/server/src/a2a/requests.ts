import { z } from 'zod';

const MAX_PARTS = 100;
/** Senders leave out empty fields, or send them empty. */
const optional = (most = 255) =>
  z
    .string()
    .max(most)
    .optional()
    .transform((text) => text || undefined);
const historyLength = z.int().min(0).optional();

/** A request of JSON-RPC. Without an id, it has no response. */
export const RpcRequest = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string().max(255), z.number()]).nullish(),
  method: z.string().max(255),
  params: z.unknown(),
});

const RequestPart = z.object({
  text: z.string().optional(),
  raw: z.string().optional(),
  url: z.string().optional(),
  data: z.unknown().optional(),
  filename: z.string().max(255).optional(),
  mediaType: z.string().max(255).optional(),
});
export type RequestPart = z.infer<typeof RequestPart>;

export const SendMessageParams = z.object({
  message: z.object({
    messageId: z.string().min(1).max(255),
    contextId: optional(),
    taskId: optional(),
    role: z.literal('ROLE_USER'),
    parts: z.array(RequestPart).min(1).max(MAX_PARTS),
  }),
  configuration: z
    .object({
      historyLength,
      returnImmediately: z.boolean().optional(),
      taskPushNotificationConfig: z.unknown().optional(),
    })
    .nullish(),
  /** `chatd`: other fields of the created chat or of the message. */
  metadata: z
    .object({ chatd: z.record(z.string(), z.unknown()).optional() })
    .nullish()
    .transform((given) => given?.chatd ?? {}),
});
export type SendMessageParams = z.infer<typeof SendMessageParams>;

export const TaskParams = z.object({ id: z.string().max(255), historyLength });

export const ListTasksParams = z.object({
  contextId: optional(),
  status: optional().transform((state) => (state === 'TASK_STATE_UNSPECIFIED' ? undefined : state)),
  pageSize: z.int().min(1).max(100).optional(),
  pageToken: optional(4096),
  historyLength,
  statusTimestampAfter: z.iso.datetime({ offset: true }).optional(),
  includeArtifacts: z.boolean().optional(),
});
