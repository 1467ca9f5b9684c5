import { z } from 'zod';
import { Labels } from './chat.ts';

/** Twice the label limit: one request can replace all labels. */
const MOST = 100;

export const LabelChanges = z
  .record(Labels.keyType, Labels.valueType.nullable())
  .refine((changes) => Object.keys(changes).length <= MOST, `must have at most ${MOST} labels`)
  .meta({
    id: 'LabelChanges',
    description:
      'Label changes by name, as a JSON Merge Patch (RFC 7396): a string sets a label, null removes it, other labels stay. Clients can change different labels of a chat concurrently.',
    examples: [{ project: 'shop', draft: null }],
  });
export type LabelChanges = z.infer<typeof LabelChanges>;
