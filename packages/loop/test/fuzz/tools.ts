import { type AwaitedTool, Media, type Tool, type ToolOutput } from '@chatd/loop';
import { png } from '../support/images.ts';
import { counted } from '../support/tools.ts';

/** Each tool returns a different kind of result. `unknown` is missing on purpose. */
export function toolsFor(send: (text: string) => void, { during }: { during: () => void }): Tool[] {
  const tool = (name: string, run: () => ToolOutput): Tool =>
    counted(name, () => {
      during();
      return run();
    });
  const client: AwaitedTool = { name: 'client', input: {}, answeredBy: 'client' };
  return [
    tool('text', () => 'some output'),
    tool('json', () => ({ list: [1, null, { $ref: 'x' }] })),
    tool('nothing', () => ''),
    tool('null', () => null),
    tool('image', () => new Media([{ data: png(), media_type: 'image/png' }], 'a picture')),
    tool(
      'broken_image',
      () => new Media([{ data: Buffer.from('no image'), media_type: 'image/png' }]),
    ),
    tool('failing', () => {
      throw new Error('it failed');
    }),
    tool('steering', () => {
      send('by the way');
      return 'ok';
    }),
    tool('asking', () => 'allowed'),
    tool('web_search', () => 'of my own'),
    tool('a.b', () => 'dotted'),
    client,
  ];
}
