import { createContext, memo, type ReactNode, useContext, useMemo } from 'react';
import { useCell } from '../state/cell.ts';
import type { Block, BlockGroup } from './blocks/block.ts';
import { type BlockStream, blocksOf } from './blocks/block-stream.ts';
import type { Citations } from './citation.ts';
import { CodePiece } from './code.tsx';
import { CodeFrame } from './code-block.tsx';
import { completed } from './parse/completed.ts';
import { parseBlock, parseInline, type References, referencesOf } from './parse/parser.ts';
import { Details, detailsIn } from './render/details.tsx';
import { Diagram } from './diagram/diagram.tsx';
import { Footnotes, footnotesIn } from './render/footnotes.tsx';
import { Formula } from './render/formula.tsx';
import { renderTokens } from './render/tokens.tsx';
import './markdown.css';

/** One group of blocks: a row of the timeline. */
export const BlockGroupView = memo(function BlockGroupView({
  group,
  stream,
}: {
  readonly group: BlockGroup;
  readonly stream: BlockStream;
}) {
  const blocks = useCell(group.blocks);
  const count = stream.definitions.length;
  const references = useMemo(
    () => referencesOf(stream.definitions.slice(0, count)),
    [stream, count],
  );
  return (
    // The text direction is detected per block.
    <div className="md" dir="auto">
      {runsOf(blocks).map((run) => (
        <Run key={run[0]?.key} run={run} references={references} citations={stream.citations} />
      ))}
    </div>
  );
});

/** The pieces of one code block share a box. */
function runsOf(blocks: readonly Block[]): Block[][] {
  const runs: Block[][] = [];
  for (const block of blocks) {
    const run = runs.at(-1);
    if (run !== undefined && block.fence !== undefined && run[0]?.fence === block.fence) {
      run.push(block);
    } else {
      runs.push([block]);
    }
  }
  return runs;
}

function Run({
  run,
  references,
  citations,
}: {
  readonly run: readonly Block[];
  readonly references: References;
  readonly citations: Citations;
}) {
  const [first] = run;
  if (first === undefined) return null;
  const { fence } = first;
  if (fence === undefined) {
    return <Prose block={first} references={references} citations={citations} />;
  }
  const isWhole = run.at(-1)?.open === false && run.length === fence.pieces.length;
  if (fence.language === 'mermaid' && isWhole) {
    const source = fence.pieces.join('\n');
    return <Diagram key={source} source={source} />;
  }
  return (
    <CodeFrame
      language={fence.language}
      joined={first.joined}
      copied={() => fence.pieces.join('\n')}
    >
      <code>
        {run.map((block, at) => (
          <CodePiece
            key={block.key}
            text={withLineEnd(block, at === run.length - 1)}
            language={fence.language}
            after={run[at - 1]?.text ?? ''}
          />
        ))}
      </code>
    </CodeFrame>
  );
}

/** The last line of open code may be the start of its closing fence. */
const HALF_AN_END = /(?:^|\n)[ \t]*(?:`{1,2}|~{1,2}|`{3,}|~{3,})$/;

function withLineEnd({ text, open }: Block, last: boolean): string {
  if (!last) return `${text}\n`;
  return open ? text.replace(HALF_AN_END, '') : text;
}

/** Deeper `<details>` are shown as text: thousands of nested elements would crash the page. */
const DEEPEST_DETAILS = 8;
const DetailsDepth = createContext(0);

/** Parsed once when finished; while open, on every change. */
const Prose = memo(function Prose({
  block,
  references,
  citations,
}: {
  readonly block: Block;
  readonly references: References;
  readonly citations: Citations;
}): ReactNode {
  const depth = useContext(DetailsDepth);
  if (block.kind === 'math') return <BlockFormula block={block} />;
  const details = depth < DEEPEST_DETAILS ? detailsIn(block.text) : undefined;
  if (details !== undefined) {
    const { open, summary, content } = details;
    return (
      <Details
        open={open}
        summary={
          summary === '' ? 'Details' : renderTokens(parseInline(summary, references), citations)
        }
      >
        {() => (
          <DetailsDepth value={depth + 1}>
            <Inner text={content} citations={citations} />
          </DetailsDepth>
        )}
      </Details>
    );
  }
  const text = block.open ? completed(block.text) : block.text;
  const notes = footnotesIn(text);
  if (notes !== undefined) {
    const render = (note: string) => renderTokens(parseInline(note, references), citations);
    return <Footnotes notes={notes} render={render} />;
  }
  if (block.joined) {
    return <p className="md-joined">{renderTokens(parseInline(text, references), citations)}</p>;
  }
  return renderTokens(parseBlock(text, references), citations);
});

/** Blocks within a block. */
function Inner({ text, citations }: { readonly text: string; readonly citations: Citations }) {
  const stream = useMemo(() => {
    const blocks = blocksOf(text);
    for (const [number, source] of citations) blocks.citations.set(number, source);
    return blocks;
  }, [text, citations]);
  return useCell(stream.groups).map((group) => (
    <BlockGroupView key={group.key} group={group} stream={stream} />
  ));
}

function BlockFormula({ block }: { readonly block: Block }) {
  const text = block.text.trim();
  const tex = text.replace(/^(?:\$\$|\\\[)/, '').replace(/(?:\$\$|\\\])$/, '');
  if (block.open) return <p className="md-formula-block">{text}</p>;
  return (
    <p>
      <Formula tex={tex} source="$$" block />
    </p>
  );
}
