import type { ListedSource, WebPage } from '@chatd/protocol/presentation';
import { Cell } from '../../state/cell.ts';
import type { Block, BlockGroup } from './block.ts';
import { BlockCutter, type CutBlock } from './block-cutter.ts';

/** The maximum of one timeline row. A longer code block continues in the next. */
const GROUP_BLOCKS = 12;
const GROUP_LENGTH = 4000;
const GROUP_CODE_LENGTH = 16_000;

/** Growing text as groups of blocks. Finished blocks never change; only the last group does. */
export class BlockStream {
  /** Changes when a group starts. Changes within a group are reported by the group. */
  readonly groups = new Cell<readonly BlockGroup[]>([]);
  /** The total length. */
  length = 0;
  /** A source is added before the text with its mark. */
  readonly citations = new Map<number, WebPage>();
  readonly #cutter = new BlockCutter((block) => {
    this.#show(block, false);
    this.#key += 1;
  });
  #key = 0;
  #ended = false;

  get definitions(): readonly string[] {
    return this.#cutter.definitions;
  }

  append(piece: string): void {
    if (piece === '') return;
    this.length += piece.length;
    this.#cutter.append(piece);
    const { open } = this.#cutter;
    if (open !== undefined) this.#show(open, true);
  }

  /** The text is complete. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    // The last line is complete now and may close a code block.
    this.#cutter.append('\n');
    const { open } = this.#cutter;
    if (open !== undefined) this.#show(open, false);
    if (this.definitions.length > 0) this.#readReferencesAgain();
  }

  #show(cut: CutBlock, open: boolean): void {
    const block: Block = { ...cut, key: this.#key, open };
    const group = this.groups.get().at(-1);
    const blocks = group?.blocks.get() ?? [];
    if (group !== undefined && blocks.at(-1)?.key === block.key) {
      group.blocks.set([...blocks.slice(0, -1), block]);
    } else if (group !== undefined && hasRoom(blocks, block)) {
      group.blocks.set([...blocks, block]);
    } else {
      this.groups.update((all) => [...all, { key: block.key, blocks: new Cell([block]) }]);
    }
  }

  /** A link may precede its definition: such blocks are parsed again at the end. */
  #readReferencesAgain(): void {
    for (const { blocks } of this.groups.get()) {
      blocks.update((all) =>
        all.map((block) =>
          block.kind === 'prose' && block.text.includes('[') ? { ...block } : block,
        ),
      );
    }
  }
}

function hasRoom(blocks: readonly Block[], block: Block): boolean {
  const length = blocks.reduce((sum, { text }) => sum + text.length, 0);
  const goesOn = block.fence !== undefined && block.fence === blocks.at(-1)?.fence;
  return goesOn
    ? length < GROUP_CODE_LENGTH
    : blocks.length < GROUP_BLOCKS && length < GROUP_LENGTH;
}

/** Citation marks of these sources become links. */
export function addCitations(stream: BlockStream, sources: readonly ListedSource[]): void {
  for (const source of sources) {
    if (source.number !== undefined) stream.citations.set(source.number, source);
  }
}

/** The blocks of a complete text. */
export function blocksOf(text: string, sources: readonly ListedSource[] = []): BlockStream {
  const stream = new BlockStream();
  addCitations(stream, sources);
  stream.append(text);
  stream.end();
  return stream;
}
