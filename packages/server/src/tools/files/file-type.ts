const IMAGES: readonly { readonly type: string; readonly matches: (bytes: Buffer) => boolean }[] = [
  { type: 'image/png', matches: (bytes) => starts(bytes, 0, '\x89PNG\r\n\x1a\n') },
  { type: 'image/jpeg', matches: (bytes) => starts(bytes, 0, '\xff\xd8\xff') },
  { type: 'image/gif', matches: (bytes) => starts(bytes, 0, 'GIF8') },
  {
    type: 'image/webp',
    matches: (bytes) => starts(bytes, 0, 'RIFF') && starts(bytes, 8, 'WEBP'),
  },
];

const starts = (bytes: Buffer, at: number, text: string) =>
  bytes.toString('latin1', at, at + text.length) === text;

/** By its first bytes, whatever it is called: the media type of an image that models can see. */
export function imageType(bytes: Buffer): string | undefined {
  return IMAGES.find(({ matches }) => matches(bytes))?.type;
}

/** Text has no NUL, and little that is no UTF-8. */
export function isBinary(bytes: Buffer): boolean {
  if (bytes.includes(0)) return true;
  const text = bytes.toString('utf8');
  let odd = 0;
  for (const character of text) if (character === '\uFFFD') odd += 1;
  return odd > text.length / 10;
}
