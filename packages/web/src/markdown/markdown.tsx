import { useLayoutEffect, useMemo, useState } from 'react';
import { Cell, useCell } from '../state/cell.ts';
import { BlockStream, blocksOf } from './blocks/block-stream.ts';
import { BlockGroupView } from './blocks-view.tsx';

export interface MarkdownProps {
  readonly text: string;
  /** More text may follow: incomplete markup is rendered as if complete. */
  readonly streaming?: boolean;
}

/** Untrusted Markdown as React nodes, never as HTML. */
export function Markdown({ text, streaming = false }: MarkdownProps) {
  return streaming ? <Growing text={text} /> : <Finished text={text} />;
}

function Finished({ text }: { readonly text: string }) {
  const stream = useMemo(() => blocksOf(text), [text]);
  return <Groups stream={stream} />;
}

function Growing({ text }: { readonly text: string }) {
  const [followed] = useState(() => new FollowedText());
  useLayoutEffect(() => followed.follow(text), [followed, text]);
  return <Groups stream={useCell(followed.stream)} />;
}

function Groups({ stream }: { readonly stream: BlockStream }) {
  const groups = useCell(stream.groups);
  return groups.map((group) => <BlockGroupView key={group.key} group={group} stream={stream} />);
}

/** Appended text continues the stream; any other text restarts it. */
class FollowedText {
  readonly stream = new Cell(new BlockStream());
  #text = '';

  follow(text: string): void {
    const grows = text.startsWith(this.#text);
    if (!grows) this.stream.set(new BlockStream());
    this.stream.get().append(grows ? text.slice(this.#text.length) : text);
    this.#text = text;
  }
}
