import { z } from 'zod';
import { Labels } from './chat.ts';

/** As many to go as to come. */
const MOST = 100;

/** Labels that are given, and names of those that go: a JSON Merge Patch (RFC 7396) of a chat's labels. */
export const LabelChanges = z
  .record(Labels.keyType, Labels.valueType.nullable())
  .refine((changes) => Object.keys(changes).length <= MOST, `must not be more than ${MOST}`)
  .meta({
    id: 'LabelChanges',
    description:
      'Values by name: those that are named are set, null takes one away, all others stay. Two programs can change labels of one chat at the same time.',
    examples: [{ project: 'shop', draft: null }],
  });
export type LabelChanges = z.infer<typeof LabelChanges>;
