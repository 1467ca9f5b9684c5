import './ansi.css';
import { type CSSProperties, useMemo } from 'react';
import { type AnsiRun, ansiRuns } from './ansi-runs.ts';

/** Command output with its colors and without other terminal controls. */
export function Ansi({ text }: { readonly text: string }) {
  const runs = useMemo(() => ansiRuns(text), [text]);
  // oxlint-disable-next-line react/no-array-index-key -- output only grows
  return <>{runs.map((run, at) => (isPlain(run) ? run.text : <Run key={at} run={run} />))}</>;
}

const isPlain = (run: AnsiRun): boolean => Object.keys(run).length === 1;

function Run({ run }: { readonly run: AnsiRun }) {
  const { text, bold, dim, italic, underline, strike } = run;
  const style: CSSProperties = {
    ...(run.color !== undefined && { color: color(run.color) }),
    ...(run.background !== undefined && { backgroundColor: color(run.background) }),
    ...(bold === true && { fontWeight: 600 }),
    ...(dim === true && { opacity: 0.75 }),
    ...(italic === true && { fontStyle: 'italic' }),
    ...((underline === true || strike === true) && {
      textDecoration: underline === true ? 'underline' : 'line-through',
    }),
  };
  return <span style={style}>{text}</span>;
}

const color = (value: number | string): string =>
  typeof value === 'string' ? value : `var(--ansi-${value})`;
