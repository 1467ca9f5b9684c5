/** Notes that a model sees instead of a file. */

const called = (kind: string, name: string | undefined): string =>
  name === undefined ? `a ${kind}` : `${kind} ${JSON.stringify(name)}`;

export const deletedNote = (name: string | undefined): string =>
  `[${called('file', name)} was deleted]`;

export const hiddenNote = (
  { media_type, name }: { media_type: string; name?: string | undefined },
  reason: string,
): string =>
  `[${called(media_type.startsWith('image/') ? 'image' : 'file', name)} cannot be shown: ${reason}]`;

export const supersededNote = (name: string | undefined): string =>
  `[${called('file', name)} is no longer shown: there are newer files]`;

export const refusedNote = (mediaType: string, reason: string): string =>
  `[a file of type ${mediaType} was not stored: ${reason}]`;

export const repeatedNote = (name: string | undefined): string =>
  `[${called('file', name)} is shown above]`;

export const inMegabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
