/** Added and removed lines. */
export function LineCounts({
  added,
  removed,
}: {
  readonly added: number;
  readonly removed: number;
}) {
  return (
    <span className="shrink-0 font-mono text-xs tabular-nums">
      <span className="text-good">
        <span className="sr-only">added </span>+{added}
      </span>{' '}
      <span className="text-bad">
        <span className="sr-only">removed </span>−{removed}
      </span>
    </span>
  );
}
