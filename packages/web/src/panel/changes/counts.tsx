import { counted } from '../../format/number.ts';

/** Null for binary files. */
export function Counts({
  additions,
  deletions,
}: {
  readonly additions: number | null;
  readonly deletions: number | null;
}) {
  if (additions === null || deletions === null) {
    return <span className="text-sm text-muted">binary</span>;
  }
  return (
    <span className="inline-flex shrink-0 gap-1.5 text-sm tabular-nums">
      <span aria-hidden className="text-good">
        +{additions}
      </span>
      <span aria-hidden className="text-bad">
        −{deletions}
      </span>
      <span className="sr-only">{`${counted(additions, 'line')} added, ${deletions} removed`}</span>
    </span>
  );
}
