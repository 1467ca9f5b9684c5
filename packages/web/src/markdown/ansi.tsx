import './ansi.css';
import { type CSSProperties, useMemo } from 'react';
import { type AnsiRun, ansiRuns } from './ansi-runs.ts';

/** What a command has written: with its colours, without anything that a terminal would obey. */
export function Ansi({ text }: { readonly text: string }) {
  const runs = useMemo(() => ansiRuns(text), [text]);
  // Runs have no identity but their place: output only grows.
  // oxlint-disable-next-line react/no-array-index-key -- as said
  return <>{runs.map((run, at) => (isPlain(run) ? run.text : <Run key={at} run={run} />))}</>;
}

const isPlain = (run: AnsiRun): boolean => Object.keys(run).length === 1;

function Run({ run }: { readonly run: AnsiRun }) {
  const { text, bold, dim, italic, underline, strike } = run;
  const style: CSSProperties = {
    ...(run.color !== undefined && { color: colour(run.color) }),
    ...(run.background !== undefined && { backgroundColor: colour(run.background) }),
    ...(bold === true && { fontWeight: 600 }),
    ...(dim === true && { opacity: 0.75 }),
    ...(italic === true && { fontStyle: 'italic' }),
    ...((underline === true || strike === true) && {
      textDecoration: underline === true ? 'underline' : 'line-through',
    }),
  };
  return <span style={style}>{text}</span>;
}

const colour = (value: number | string): string =>
  typeof value === 'string' ? value : `var(--ansi-${value})`;
