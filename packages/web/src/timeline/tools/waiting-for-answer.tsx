/** For viewers, who cannot answer. */
export const WaitingForAnswer = () => (
  <p className="mt-2 text-sm text-muted">Waiting for an answer of the owner or an editor.</p>
);
